//! `cargo xtask interop`: exchanges files with age (Go), rage (Rust) and typage (JavaScript) in
//! both directions, and shares with the programs that define their formats.

mod shares;

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::process::{self, step};

/// What to exchange; everything unless told.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Suite {
    /// Files, with age, rage and typage
    Files,
    /// Shares, with ssss, shamir-mnemonic and Vault's package
    Shares,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run only this suite
    #[arg(long, value_enum)]
    only: Option<Suite>,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    match options.only {
        Some(Suite::Files) => files(),
        Some(Suite::Shares) => shares::run(),
        None => files().and_then(|()| shares::run()),
    }
}

fn files() -> Result<()> {
    let age_help = "go install filippo.io/age/cmd/...@v1.3.2 (1.3 or later, for post-quantum keys)";
    let rage_help = "cargo install rage --version 0.12.1 --locked";
    let age = process::tool_from_env("AGE", "age", age_help)?;
    let age_keygen = process::tool_from_env("AGE_KEYGEN", "age-keygen", age_help)?;
    let age_inspect = process::tool_from_env("AGE_INSPECT", "age-inspect", age_help)?;
    let old_age = process::tool_from_env("AGE_OLD", "age-1.2", "GOBIN=... go install filippo.io/age/cmd/age@v1.2.1")?;
    let openssl = process::tool_from_env("OPENSSL", "openssl", "apt-get install openssl")?;
    let go = process::tool_from_env("GO", "go", "apt-get install golang-go")?;
    let rage = process::tool_from_env("RAGE", "rage", rage_help)?;
    let ssh_keygen = process::tool_from_env("SSH_KEYGEN", "ssh-keygen", "apt-get install openssh-client")?;
    let node = process::tool_from_env("NODE", "node", "apt-get install nodejs")?;
    let typage = typage()?;
    step(&format!("interoperability with {}, {} and {}", age.display(), rage.display(), typage.display()));
    process::run(
        process::cargo()
            // Builds the whole workspace, so that cargo reuses the build of `cargo test
            // --workspace`.
            .args(["test", "--workspace", "--features", "sealane-cli/interop", "--test", "interop"])
            .env("AGE", age)
            .env("AGE_KEYGEN", age_keygen)
            .env("AGE_INSPECT", age_inspect)
            .env("AGE_OLD", old_age)
            .env("OPENSSL", openssl)
            .env("GO", go)
            .env("RAGE", rage)
            .env("SSH_KEYGEN", ssh_keygen)
            .env("NODE", node)
            .env("TYPAGE", typage),
    )
}

/// The folder with the npm package.
fn typage() -> Result<PathBuf> {
    let folder = std::env::var_os("TYPAGE").map_or_else(|| process::target_dir().join("typage"), PathBuf::from);
    if !folder.join("node_modules/age-encryption/package.json").is_file() {
        bail!(
            "there is no npm package age-encryption in {}: install it with `bash .ci/run typage_package`, or set TYPAGE to the \
             folder with its node_modules",
            folder.display()
        );
    }
    Ok(folder)
}

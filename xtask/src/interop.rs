//! `cargo xtask interop`: files exchanged with age (Go) and rage (Rust), both ways, and shares with those who make them.

mod shares;

use anyhow::Result;

use crate::process::{self, step};

/// What to exchange; everything unless told.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Suite {
    /// Files, with age and rage
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
    let age_help = "go install filippo.io/age/cmd/...@v1.3.1 (1.3 or later, for post-quantum keys)";
    let rage_help = "cargo install rage --version 0.12.1 --locked";
    let age = process::tool_from_env("AGE", "age", age_help)?;
    let age_keygen = process::tool_from_env("AGE_KEYGEN", "age-keygen", age_help)?;
    let rage = process::tool_from_env("RAGE", "rage", rage_help)?;
    let ssh_keygen = process::tool_from_env("SSH_KEYGEN", "ssh-keygen", "apt-get install openssh-client")?;
    step(&format!("interoperability with {} and {}", age.display(), rage.display()));
    process::run(
        process::cargo()
            // The whole workspace, so that cargo uses what `cargo test --workspace` built.
            .args(["test", "--workspace", "--features", "sealane-cli/interop", "--test", "interop"])
            .env("AGE", age)
            .env("AGE_KEYGEN", age_keygen)
            .env("RAGE", rage)
            .env("SSH_KEYGEN", ssh_keygen),
    )
}

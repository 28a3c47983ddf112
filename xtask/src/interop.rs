//! `cargo xtask interop`: files exchanged with age (Go) and rage (Rust), both ways.

use anyhow::Result;

use crate::process::{self, step};

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let age_help = "apt-get install age, or: go install filippo.io/age/cmd/...@latest";
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

//! Exchanges shares with ssss, with Python's shamir-mnemonic and with Vault's Go package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, step};
use crate::python;

const SHAMIR_MNEMONIC: &str = "shamir-mnemonic==0.3.0";
const VAULT: &str = "github.com/hashicorp/vault@v1.21.4";

/// Runs the suite.
pub(super) fn run() -> Result<()> {
    let split = process::tool_from_env("SSSS_SPLIT", "ssss-split", "apt-get install ssss")?;
    let combine = process::tool_from_env("SSSS_COMBINE", "ssss-combine", "apt-get install ssss")?;
    let directory = process::target_dir().join("interop");
    let python = python::with(SHAMIR_MNEMONIC)?;
    let vault = vault(&directory.join("vault"))?;
    step("interoperability of shares with ssss, shamir-mnemonic and Vault");
    process::run(
        process::cargo()
            .args(["test", "--package", "sealane-shares", "--features", "interop", "--test", "exchange"])
            .env("SSSS_SPLIT", split)
            .env("SSSS_COMBINE", combine)
            .env("SLIP39_PYTHON", python)
            .env("VAULT_SHAMIR", vault),
    )
}

/// Copies the program of crates/shares/tests/vault, and the package of Vault's module into it. The
/// module itself would bring hundreds of dependencies that the package does not need.
fn vault(directory: &Path) -> Result<PathBuf> {
    let go = process::tool_from_env("GO", "go", "apt-get install golang-go, or https://go.dev/dl")?;
    step(&format!("{VAULT}, its package shamir"));
    fs::create_dir_all(directory.join("shamir"))?;
    fs::write(directory.join("go.mod"), "module sealane-vault-shamir\n\ngo 1.21\n")?;
    let download = Command::new(&go).args(["mod", "download", "-json", VAULT]).current_dir(directory).output()?;
    let found: serde_json::Value = serde_json::from_slice(&download.stdout).context("go mod download")?;
    let module = found["Dir"].as_str().with_context(|| format!("go mod download {VAULT}: {found}"))?;
    // The bytes are copied without permissions, because files of the module cache are read-only.
    fs::write(directory.join("shamir/shamir.go"), fs::read(Path::new(module).join("shamir/shamir.go"))?)?;
    fs::write(directory.join("main.go"), fs::read("crates/shares/tests/vault/main.go")?)?;
    let program = directory.join("vault-shamir");
    process::run(Command::new(go).arg("build").arg("-o").arg(&program).arg(".").current_dir(directory))?;
    Ok(program)
}

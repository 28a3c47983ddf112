//! `cargo xtask interop`: exchanges files with age (Go), rage (Rust) and typage (JavaScript) in
//! both directions, and shares with ssss, Python's shamir-mnemonic and Vault's Go package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::python;

const SHAMIR_MNEMONIC: &str = "shamir-mnemonic==0.3.0";
const VAULT: &str = "github.com/hashicorp/vault@v1.21.4";

/// The other programs, each with the variable that gives its path to the tests, and its
/// installation command.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("AGE", "age", AGE),
    ("AGE_KEYGEN", "age-keygen", AGE),
    ("AGE_INSPECT", "age-inspect", AGE),
    ("AGE_OLD", "age-1.2", "GOBIN=... go install filippo.io/age/cmd/age@v1.2.1"),
    ("OPENSSL", "openssl", "apt-get install openssl"),
    ("GO", "go", "apt-get install golang-go"),
    ("RAGE", "rage", "cargo install rage --version 0.12.1 --locked"),
    ("SSH_KEYGEN", "ssh-keygen", "apt-get install openssh-client"),
    ("NODE", "node", "apt-get install nodejs"),
];
const AGE: &str = "go install filippo.io/age/cmd/...@v1.3.2 (1.3 or later, for post-quantum keys)";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let mut command = process::cargo();
    // Builds the whole workspace, so that cargo reuses the build of `cargo test --workspace`.
    command.args(["test", "--workspace", "--test", "interop", "--test", "exchange"]);
    files(&mut command)?;
    shares(&mut command)?;
    process::run(&mut command)
}

/// Passes the programs that exchange files to the tests.
fn files(tests: &mut Command) -> Result<()> {
    step("interoperability with age, rage and typage");
    for (variable, program, how_to_install) in PROGRAMS {
        let program = process::tool_from_env(variable, program, how_to_install)?;
        println!("   {variable}={}", program.display());
        tests.env(variable, program);
    }
    let typage = std::env::var_os("TYPAGE").map_or_else(|| process::target_dir().join("typage"), PathBuf::from);
    ensure!(
        typage.join("node_modules/age-encryption/package.json").is_file(),
        "there is no npm package age-encryption in {}: install it with `bash .ci/run typage_package`, or set TYPAGE to \
         the folder with its node_modules",
        typage.display()
    );
    tests.env("TYPAGE", typage);
    Ok(())
}

/// Passes the programs that exchange shares to the tests.
fn shares(tests: &mut Command) -> Result<()> {
    step("interoperability of shares with ssss, shamir-mnemonic and Vault");
    let split = process::tool_from_env("SSSS_SPLIT", "ssss-split", "apt-get install ssss")?;
    let combine = process::tool_from_env("SSSS_COMBINE", "ssss-combine", "apt-get install ssss")?;
    let python = python::interpreter_with(SHAMIR_MNEMONIC)?;
    tests.env("SSSS_SPLIT", split).env("SSSS_COMBINE", combine).env("SLIP39_PYTHON", python);
    tests.env("VAULT_SHAMIR", vault()?);
    Ok(())
}

/// Copies the program of crates/shares/tests/vault, and the package of Vault's module into it. The
/// module itself would bring hundreds of dependencies that the package does not need.
fn vault() -> Result<PathBuf> {
    let directory = process::target_dir().join("interop/vault");
    process::folder("interop/vault/shamir")?;
    let go = process::tool_from_env("GO", "go", "apt-get install golang-go, or https://go.dev/dl")?;
    step(&format!("{VAULT}, its package shamir"));
    process::write(directory.join("go.mod"), "module sealane-vault-shamir\n\ngo 1.21\n")?;
    let mut download = Command::new(&go);
    let download = process::outcome(download.args(["mod", "download", "-json", VAULT]).current_dir(&directory))?;
    let found: serde_json::Value = serde_json::from_slice(&download.stdout).context("go mod download")?;
    let module = found["Dir"].as_str().with_context(|| format!("go mod download {VAULT}: {found}"))?;
    // The bytes are copied without permissions, because files of the module cache are read-only.
    fs::write(directory.join("shamir/shamir.go"), fs::read(Path::new(module).join("shamir/shamir.go"))?)?;
    fs::write(directory.join("main.go"), fs::read("crates/shares/tests/vault/main.go")?)?;
    let program = directory.join("vault-shamir");
    process::run(Command::new(go).arg("build").arg("-o").arg(&program).arg(".").current_dir(&directory))?;
    Ok(program)
}

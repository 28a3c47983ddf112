//! `cargo xtask msrv`: checks that all manifests promise the same oldest compiler, and builds with
//! it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command_crates::{Package, metadata};
use crate::process::{self, step};
use crate::toolchain;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Let rustup install that compiler where it is missing
    #[arg(long)]
    install: bool,
}

/// Documents that name the version, with the surrounding words.
const DOCUMENTS: &[(&str, &str)] =
    &[("README.md", "You need Rust {} or later"), ("docs/verification.md", "| Rust {} |")];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    step("the oldest compiler");
    let promised = promised()?;
    dependencies(&promised)?;
    let running = toolchain::of_compiler("release")?;
    if is_release(&running, &promised) {
        println!("   this is Rust {running}, the oldest: the builds and tests of all other steps are the proof,");
        println!("   and nothing is built here");
        return Ok(());
    }
    let toolchain = if promised.matches('.').count() == 1 { format!("{promised}.0") } else { promised };
    check(&toolchain, options.install)
}

/// Fails if any crate of the lock file needs a newer compiler, on any target. A build compiles only
/// the crates of this machine's target.
fn dependencies(promised: &str) -> Result<()> {
    let packages = metadata(Path::new("Cargo.toml"), &[])?;
    let wants = |package: &Package| package.rust_version.as_deref().map(numbers);
    let newer = packages.iter().filter(|package| wants(package) > Some(numbers(promised)));
    let names: Vec<_> = newer.map(|package| format!("{} {}", package.name, package.version)).collect();
    ensure!(names.is_empty(), "these need a newer compiler than Rust {promised}: {}", names.join(", "));
    println!("   {} crates, for all targets: none needs a newer one", packages.len());
    Ok(())
}

/// Returns the three numbers of a version. Missing numbers are 0.
fn numbers(version: &str) -> [u32; 3] {
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    std::array::from_fn(|_| numbers.next().unwrap_or(0))
}

/// Returns whether the version is a release of the promised one: 1.95.1 is a release of 1.95.
fn is_release(version: &str, promised: &str) -> bool {
    version.strip_prefix(promised).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Type-checks everything, including tests, with another compiler.
fn check(toolchain: &str, install: bool) -> Result<()> {
    let rustup = process::tool("rustup", "rustup, or https://rustup.rs")?;
    let how = format!("rustup toolchain install {toolchain} --profile minimal");
    let run = |program: &str| {
        let mut command = Command::new(&rustup);
        command.args(["run", toolchain, program]).env_remove("RUSTC").env_remove("CARGO");
        command
    };
    let is_there = || run("rustc").arg("--version").output().is_ok_and(|output| output.status.success());
    if !is_there() && install {
        process::run(Command::new(&rustup).args(how.split(' ').skip(1)))?;
    }
    ensure!(is_there(), "the manifests promise Rust {toolchain}, which is not here: {how}");
    step(&format!("cargo check with Rust {toolchain}"));
    process::run(
        run("cargo")
            .args(["check", "--locked", "--workspace", "--all-targets"])
            .env("CARGO_TARGET_DIR", process::target_dir().join("msrv")),
    )
}

/// Returns the `rust-version` of the workspace, and checks all others against it.
fn promised() -> Result<String> {
    let root: toml::Table = parse(Path::new("Cargo.toml"))?;
    let promised =
        root["workspace"]["package"]["rust-version"].as_str().context("the workspace has no rust-version")?;
    let mut manifests = 0;
    for path in process::tracked_files()?.iter().filter(|path| path.ends_with("Cargo.toml")) {
        let manifest = parse(path)?;
        let Some(package) = manifest.get("package") else { continue };
        says(package, promised).with_context(|| path.display().to_string())?;
        manifests += 1;
    }
    for (path, phrase) in DOCUMENTS {
        let phrase = phrase.replace("{}", promised);
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
        ensure!(text.contains(&phrase), "{path} does not say \"{phrase}\"");
    }
    println!("   {manifests} manifests and {} documents say {promised}", DOCUMENTS.len());
    Ok(promised.to_owned())
}

fn parse(path: &Path) -> Result<toml::Table> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("cannot understand {}", path.display()))
}

/// A package takes the workspace's version or repeats it.
fn says(package: &toml::Value, promised: &str) -> Result<()> {
    match package.get("rust-version") {
        Some(toml::Value::String(version)) if version == promised => Ok(()),
        Some(toml::Value::Table(table)) if table.get("workspace") == Some(&toml::Value::Boolean(true)) => Ok(()),
        Some(other) => bail!("rust-version is {other:?}, and {promised} elsewhere"),
        None => bail!("no rust-version; it is {promised} elsewhere"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(numbers("1.100") > numbers("1.95") && numbers("1.95.1") > numbers("1.95"));
        assert!(numbers("1.70.0") < numbers("1.95") && numbers("1.95.0") == numbers("1.95"));
        assert!(is_release("1.95.0", "1.95") && is_release("1.95.1", "1.95.1") && !is_release("1.950.0", "1.95"));
    }

    #[test]
    fn a_package_says_the_version() {
        let package = |text: &str| toml::Value::Table(toml::from_str(text).unwrap());
        assert!(says(&package("rust-version = '1.95'"), "1.95").is_ok());
        assert!(says(&package("rust-version.workspace = true"), "1.95").is_ok());
        assert!(says(&package("rust-version = '1.94'"), "1.95").is_err());
        assert!(says(&package("rust-version.workspace = false"), "1.95").is_err());
        assert!(says(&package("name = 'x'"), "1.95").is_err());
    }
}

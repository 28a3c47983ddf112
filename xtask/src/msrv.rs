//! `cargo xtask msrv`: checks that all manifests promise the same oldest compiler, and builds with
//! it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cargo_metadata::semver::Version;

use crate::command_crates::{Crate, metadata, workspaces};
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
    let this = Version::parse(&running).with_context(|| format!("the compiler's version is {running}"))?;
    if (this.major, this.minor) == (promised.major, promised.minor) {
        println!("   this is Rust {running}, the oldest: the builds and tests of all other steps are the proof,");
        println!("   and nothing is built here");
        return Ok(());
    }
    check(&promised.to_string(), options.install)
}

/// Returns the oldest compiler, which all manifests and documents must name.
fn promised() -> Result<Version> {
    let mut packages = Vec::new();
    for manifest in workspaces()? {
        packages.extend(metadata(&manifest, &["--no-deps"])?);
    }
    let promised = packages.iter().find_map(|package| package.rust_version.clone()).context("no rust-version")?;
    for package in &packages {
        let own = &package.rust_version;
        ensure!(own.as_ref() == Some(&promised), "{}: {own:?}, and {promised} elsewhere", package.manifest_path);
    }
    for (path, phrase) in DOCUMENTS {
        let phrase = phrase.replace("{}", &format!("{}.{}", promised.major, promised.minor));
        ensure!(process::read(path)?.contains(&phrase), "{path} does not say \"{phrase}\"");
    }
    println!("   {} manifests and {} documents say {promised}", packages.len(), DOCUMENTS.len());
    Ok(promised)
}

/// Fails if any crate of the lock file needs a newer compiler, on any target. A build compiles only
/// the crates of this machine's target.
fn dependencies(promised: &Version) -> Result<()> {
    let packages = metadata(Path::new("Cargo.toml"), &[])?;
    let newer = packages.iter().filter(|package| package.rust_version.as_ref() > Some(promised));
    let names: Vec<_> = newer.map(|package| Crate::from(package).to_string()).collect();
    ensure!(names.is_empty(), "these need a newer compiler than Rust {promised}: {}", names.join(", "));
    println!("   {} crates, for all targets: none needs a newer one", packages.len());
    Ok(())
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
    let is_there = || process::output(run("rustc").arg("--version")).is_ok();
    if !is_there() && install {
        process::run(Command::new(&rustup).args(how.split(' ').skip(1)))?;
    }
    ensure!(is_there(), "the manifests promise Rust {toolchain}, which is not here: {how}");
    step(&format!("cargo check with Rust {toolchain}"));
    let arguments = ["check", "--locked", "--workspace", "--all-targets"];
    process::run(run("cargo").args(arguments).env("CARGO_TARGET_DIR", process::target_dir().join("msrv")))
}

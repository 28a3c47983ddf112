//! `cargo xtask msrv`: checks that the manifests of all published crates and some documents name
//! the same minimum supported Rust version (MSRV), and that no dependency needs a newer one.
//! `.ci/run oldest_compiler` checks the workspace with this version.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use cargo_metadata::semver::Version;

use crate::command_crates::{Crate, metadata, workspaces};
use crate::process::{self, step};

/// Documents that must name the version, each with the phrase that has it.
const DOCUMENTS: &[(&str, &str)] =
    &[("README.md", "You need Rust {} or later"), ("docs/verification.md", "| Rust {} |")];

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    step("the oldest compiler");
    dependencies(&promised()?)
}

/// Returns the oldest compiler, which all documents and the manifests of published crates must
/// name. Other manifests may name a newer one.
fn promised() -> Result<Version> {
    let mut packages = Vec::new();
    for manifest in workspaces()? {
        packages.extend(metadata(&manifest, &["--no-deps"])?);
    }
    let promised = packages.iter().find_map(|package| package.rust_version.clone()).context("no rust-version")?;
    for package in &packages {
        let version = &package.rust_version;
        // `publish` is `None` for crates that may be published.
        let fits =
            version.as_ref() == Some(&promised) || package.publish.is_some() && version.as_ref() > Some(&promised);
        ensure!(fits, "{}: {version:?}, and {promised} elsewhere", package.manifest_path);
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

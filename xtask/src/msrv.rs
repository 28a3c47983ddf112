//! `cargo xtask msrv`: checks that the manifests of all published crates and some documents name
//! the same minimum supported Rust version (MSRV), and that no dependency needs a newer one.
//! `.ci/run oldest_compiler` checks the crates with this version.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cargo_metadata::Package;
use cargo_metadata::semver::Version;

use crate::command_crates::{Crate, metadata, workspaces};
use crate::process::{self, step};

/// Documents that must name the version, each with the phrase that has it.
const DOCUMENTS: &[(&str, &str)] =
    &[("README.md", "You need Rust {} or later"), ("docs/verification.md", "| Rust {} |")];

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    step("the oldest compiler");
    let mut members = Vec::new();
    for manifest in workspaces()? {
        let packages = metadata(&manifest, &["--no-deps"])?;
        members.push((manifest, packages));
    }
    let promised = promised(&members)?;
    for (manifest, packages) in &members {
        if packages.iter().any(|package| package.rust_version.as_ref() == Some(&promised)) {
            dependencies(manifest, &promised)?;
        }
    }
    Ok(())
}

/// Returns the oldest compiler, which all documents and the manifests of published crates must
/// name. Other manifests may name a newer one.
fn promised(workspaces: &[(PathBuf, Vec<Package>)]) -> Result<Version> {
    let packages: Vec<_> = workspaces.iter().flat_map(|(_, packages)| packages).collect();
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

/// Fails if any crate of a workspace's lock file needs a newer compiler, on any target. A build
/// compiles only the crates of this machine's target.
fn dependencies(manifest: &Path, promised: &Version) -> Result<()> {
    let packages = metadata(manifest, &[])?;
    let newer = packages.iter().filter(|package| package.rust_version.as_ref() > Some(promised));
    let names: Vec<_> = newer.map(|package| Crate::from(package).to_string()).collect();
    let manifest = manifest.display();
    ensure!(names.is_empty(), "{manifest}: these need a newer compiler than Rust {promised}: {}", names.join(", "));
    println!("   {manifest}: {} crates, for all targets: none needs a newer one", packages.len());
    Ok(())
}

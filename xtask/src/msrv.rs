//! `cargo xtask msrv`: checks that all manifests promise the same oldest compiler (those of other
//! workspaces, that or a newer one), and that no dependency needs a newer one. `.ci/run
//! oldest_compiler` builds with it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use cargo_metadata::semver::Version;

use crate::command_crates::{Crate, metadata, workspaces};
use crate::process::{self, step};

/// Documents that name the version, with the surrounding words.
const DOCUMENTS: &[(&str, &str)] =
    &[("README.md", "You need Rust {} or later"), ("docs/verification.md", "| Rust {} |")];

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    step("the oldest compiler");
    dependencies(&promised()?)
}

/// Returns the oldest compiler, which all manifests and documents must name.
fn promised() -> Result<Version> {
    let (mut promised, mut manifests) = (None, 0);
    for manifest in workspaces()? {
        for package in metadata(&manifest, &["--no-deps"])? {
            let own = package.rust_version.with_context(|| format!("no rust-version: {}", package.manifest_path))?;
            let first = promised.get_or_insert_with(|| own.clone());
            let fits = if manifest == Path::new("Cargo.toml") { own == *first } else { own >= *first };
            ensure!(fits, "{}: {own}, and {first} elsewhere", package.manifest_path);
            manifests += 1;
        }
    }
    let promised = promised.context("there is no manifest")?;
    for (path, phrase) in DOCUMENTS {
        let phrase = phrase.replace("{}", &format!("{}.{}", promised.major, promised.minor));
        ensure!(process::read(path)?.contains(&phrase), "{path} does not say \"{phrase}\"");
    }
    println!("   {manifests} manifests and {} documents say {promised}", DOCUMENTS.len());
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

//! `cargo xtask msrv`: checks that the manifests of all published crates, the pages, the scripts
//! and the comments name the same minimum supported Rust version (MSRV), and that no dependency
//! needs a newer one. `.ci/run oldest_compiler` checks the crates with this version.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cargo_metadata::Package;
use cargo_metadata::semver::Version;

use crate::command_crates::{Crate, metadata, workspaces};
use crate::process::{self, step};

/// The phrases that promise the version: the text before it and after it. Sentences about other
/// versions use other words.
const PROMISES: &[(&str, &str)] = &[
    ("Rust ", " or later"),
    ("Rust ", " is the oldest compiler"),
    ("install version ", " or later from https://rustup.rs"),
    ("oldest supported compiler is Rust ", "."),
    ("oldest compiler, Rust ", "."),
    ("bindings build with Rust ", "."),
    ("| Rust ", " |"),
];

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

/// Returns the oldest compiler, which all files that promise one and the manifests of published
/// crates must name. Other manifests may name a newer one.
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
    let version = format!("{}.{}", promised.major, promised.minor);
    let mut promising = Vec::new();
    for path in process::tracked_files()? {
        // Other files are not text.
        let Ok(text) = std::fs::read_to_string(process::workspace_root().join(&path)) else { continue };
        for other in promises(&text) {
            ensure!(other == version, "{}: Rust {other}, and {version} in the manifests", path.display());
            promising.push(path.clone());
        }
    }
    promising.dedup();
    ensure!(promising.contains(&PathBuf::from("README.md")), "README.md promises no version in a phrase that is known");
    println!("   {} manifests and {} other files say {promised}", packages.len(), promising.len());
    Ok(promised)
}

/// Returns the versions that the phrases of a text promise. A phrase may be on two lines.
fn promises(text: &str) -> Vec<String> {
    if !text.contains("Rust") {
        return Vec::new();
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut versions = Vec::new();
    for (before, after) in PROMISES {
        for (start, _) in text.match_indices(before) {
            let rest = &text[start + before.len()..];
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let version = rest[..end].trim_end_matches('.');
            if version.contains('.') && rest[version.len()..].starts_with(after) {
                versions.push(version.to_owned());
            }
        }
    }
    versions
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

#[cfg(test)]
mod tests {
    use super::promises;

    #[test]
    fn every_phrase_is_found_and_no_other_version() {
        // The chore also reads this file, so no phrase stands here as a whole.
        let version = "1.7";
        for text in [
            format!("You need Rust {version} or later. In"),
            format!("- Rust {version} is the oldest compiler."),
            format!("'Rust is missing: install version {version} or later from https://rustup.rs'"),
            format!("The oldest supported compiler is Rust {version}."),
            format!("the oldest compiler, Rust\n{version}. `bash"),
            format!("the command and the bindings build with Rust {version}. The"),
            format!("| `cargo test` | Rust {version} |"),
        ] {
            assert_eq!(promises(&text), [version], "{text}");
        }
        for text in ["Rust 1.7 does not allow", "install version 1.7 or later", "needs Rust 1.7.", "Rust or later"] {
            assert!(promises(text).is_empty(), "{text}");
        }
    }
}

//! `cargo xtask reproducible`: builds the command twice, in different places, and compares the
//! results.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::{Place, Target, digest, names_no_place};
use crate::process::{self, step};
use crate::sbom;

/// The folder of the other build, in cargo's output folder.
const FOLDER: &str = "reproducible";

/// Runs the chore. Builds in the usual folder and, at the same time, from a copy of the sources
/// with other folders for the output and for the sources of other crates.
pub(crate) fn run() -> Result<()> {
    let usual = Place::usual(Target::native()?)?;
    let other = elsewhere(&usual)?;
    step(&format!("building in {} and in {}", usual.root.display(), other.root.display()));
    let (a, b) = std::thread::scope(|scope| {
        let other = scope.spawn(|| other.build());
        (usual.build(), other.join())
    });
    let (a, b) = (a?, b.expect("the thread that builds does not panic")?);

    for build in [&a, &b] {
        println!("   SHA-256 {}  {}", digest(&build.bytes), build.program.display());
    }
    let differ = a.bytes.iter().zip(&b.bytes).position(|(a, b)| a != b);
    ensure!(a.bytes == b.bytes, "the two programs differ, first at the byte {differ:?}");
    println!("   the same {} bytes", a.bytes.len());
    names_no_place(&a.bytes, &[&usual, &other])?;
    println!("   no folder of this machine is in them");
    sbom::compare_with_build(&a.packages, &usual.target.triple)?;
    fs::remove_dir_all(process::target_dir().join(FOLDER)).context("cannot remove the other build")
}

/// Creates another place with all files of the repository, including changes that are not
/// committed.
fn elsewhere(here: &Place) -> Result<Place> {
    // The new paths have other lengths than the usual ones, and contain a space.
    let base = process::empty_folder(FOLDER)?.join("another place");
    let copied = Place {
        target: here.target.clone(),
        root: base.join("sources/of/sealane"),
        output: base.join("built"),
        cargo_home: base.join("cargo"),
    };
    for file in process::tracked_files()? {
        let copy = copied.root.join(&file);
        fs::create_dir_all(copy.parent().context("a file is in a folder")?)?;
        fs::copy(here.root.join(&file), &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    fetched(&here.cargo_home, &copied.cargo_home)?;
    Ok(copied)
}

/// Creates a cargo home that shares the downloaded archives and the settings of `from`. Cargo
/// unpacks the archives again.
fn fetched(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.join("registry"))?;
    for shared in ["registry/cache", "registry/index", "config.toml", "config"] {
        let original = from.join(shared);
        if original.exists() {
            symlink(&original, to.join(shared)).with_context(|| format!("cannot link to {}", original.display()))?;
        }
    }
    Ok(())
}

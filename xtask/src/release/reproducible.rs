//! `cargo xtask reproducible`: two builds in different places give the same program.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::{Place, difference, digest, names_no_place};
use crate::process::{self, step};
use crate::sbom;

/// Runs the chore: one build where every other chore has it, and one of a copy of the sources, with
/// other folders for what is built and for the sources of other crates, at the same time.
pub(crate) fn run() -> Result<()> {
    let here = Place::here()?;
    let there = elsewhere(&here)?;
    step(&format!("building in {} and in {}", here.root.display(), there.root.display()));
    let (a, b) = std::thread::scope(|scope| {
        let other = scope.spawn(|| there.build());
        (here.build(), other.join())
    });
    let (a, b) = (a?, b.expect("the thread that builds does not panic")?);

    for build in [&a, &b] {
        println!("   SHA-256 {}  {}", digest(&build.bytes), build.program.display());
    }
    if a.bytes != b.bytes {
        bail!("the two programs differ: {}", difference(&a.bytes, &b.bytes));
    }
    println!("   the same {} bytes", a.bytes.len());
    names_no_place(&a.bytes, &[&here, &there])?;
    println!("   no folder of this machine is in them");
    sbom::compare_with_build(&a.packages)?;
    fs::remove_dir_all(folder()).context("cannot remove the other build")
}

fn folder() -> PathBuf {
    process::target_dir().join("reproducible")
}

/// Another place, with all that belongs to the repository in it, changes that are not committed
/// too.
fn elsewhere(here: &Place) -> Result<Place> {
    let folder = std::path::absolute(folder())?;
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    // Of other lengths and with a space in it.
    let base = folder.join("another place");
    let there =
        Place { root: base.join("sources/of/sealane"), target: base.join("built"), cargo_home: base.join("cargo") };
    for file in process::tracked_files()? {
        let copy = there.root.join(&file);
        fs::create_dir_all(copy.parent().context("a file is in a folder")?)?;
        fs::copy(here.root.join(&file), &copy).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    fetched(&here.cargo_home, &there.cargo_home)?;
    Ok(there)
}

/// A folder of cargo's in which what was fetched is there, but not unpacked, with the settings of
/// the first.
fn fetched(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.join("registry"))?;
    for shared in ["registry/cache", "registry/index"] {
        let original = from.join(shared);
        if original.is_dir() {
            symlink(&original, to.join(shared)).with_context(|| format!("cannot link to {}", original.display()))?;
        }
    }
    for settings in ["config.toml", "config"] {
        let original = from.join(settings);
        if original.is_file() {
            fs::copy(&original, to.join(settings)).with_context(|| format!("cannot copy {}", original.display()))?;
        }
    }
    Ok(())
}

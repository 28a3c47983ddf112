//! `cargo xtask examples`: checks the programs in `examples`, which use the crates from outside, in
//! a separate workspace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let nm = process::tool("nm", "binutils")?;
    let target = process::target_dir().join("examples");
    let cargo = |arguments: &[&str]| {
        let (subcommand, rest) = arguments.split_first().expect("a subcommand");
        let mut command = process::cargo();
        command.args([subcommand, "--manifest-path", "examples/Cargo.toml"]).args(rest);
        // Debug information is off: these programs have many instances of each function, and
        // writing it takes long.
        process::run(command.env("CARGO_TARGET_DIR", &target).env("CARGO_PROFILE_DEV_DEBUG", "0"))
    };
    step("examples: format, clippy");
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    step("examples: tests");
    cargo(&["test", "--workspace"])?;
    step("examples/built-twice: both copies");
    cargo(&["run", "--package", "built-twice"])?;
    two_copies(&nm, &target)
}

/// Fails if both copies have a function of the same name: the linker would keep one of the two for
/// the callers of both.
fn two_copies(nm: &Path, target: &Path) -> Result<()> {
    let debug = target.join("debug");
    let simd = files(&debug.join("build"), "built-twice-", "out/simd/libsimd.a")?;
    ensure!(!simd.is_empty(), "there is no libsimd.a in {}", debug.join("build").display());
    let mut fallback = BTreeSet::new();
    for library in ["libsealane_simd-", "liboperations-"] {
        let libraries = files(&debug.join("deps"), library, "")?;
        ensure!(!libraries.is_empty(), "there is no {library}*.rlib in {}", debug.join("deps").display());
        for library in libraries {
            fallback.append(&mut functions(nm, &library)?);
        }
    }
    for archive in simd {
        let functions = functions(nm, &archive)?;
        ensure!(functions.contains("simd_multiply"), "{} has not its functions", archive.display());
        let common: Vec<_> = functions.intersection(&fallback).take(5).collect();
        ensure!(common.is_empty(), "{} and the library have functions in common: {common:?}", archive.display());
    }
    println!("no name is in both, of {} in the first", fallback.len());
    Ok(())
}

/// Returns the files `folder/prefix…/inner`, or, without `inner`, the libraries
/// `folder/prefix….rlib`.
fn files(folder: &Path, prefix: &str, inner: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let begins = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        let file = if inner.is_empty() { path } else { path.join(inner) };
        let wanted = !inner.is_empty() || file.extension().is_some_and(|extension| extension == "rlib");
        if begins && wanted && file.is_file() {
            files.push(file);
        }
    }
    Ok(files)
}

/// Returns the names of the functions that other objects can call.
fn functions(nm: &Path, archive: &Path) -> Result<BTreeSet<String>> {
    let output = process::output(Command::new(nm).args(["--defined-only", "--extern-only"]).arg(archive))?;
    Ok(output.lines().filter_map(|line| line.split_once(" T ")).map(|(_, name)| name.to_owned()).collect())
}

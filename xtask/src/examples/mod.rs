//! `cargo xtask examples`: checks the programs in `examples`, which use the crates from outside, in
//! separate workspaces.

mod cortex_m;
pub(crate) mod programs;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process::{self, step};

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let nm = process::tool("nm", "binutils")?;
    let target = process::target_dir().join("examples");
    let cargo = |subcommand: &str, arguments: &[&str]| {
        let mut command = process::cargo();
        command.args([subcommand, "--manifest-path", "examples/Cargo.toml"]).args(arguments);
        // Debug information is off: these programs have many instances of each function, and
        // writing it takes long.
        process::run(command.env("CARGO_TARGET_DIR", &target).env("CARGO_PROFILE_DEV_DEBUG", "0"))
    };
    step("examples: format, clippy");
    cargo("fmt", &["--all", "--check"])?;
    cargo("clippy", &["--workspace", "--all-targets", "--", "-D", "warnings"])?;
    step("examples: tests");
    cargo("test", &["--workspace"])?;
    step("examples/built-twice: both copies");
    cargo("run", &["--package", "built-twice"])?;
    two_copies(&nm, &target)?;
    http_range()?;
    cortex_m::run()
}

/// Runs the tests of the reader of ranges, with a server of their own.
fn http_range() -> Result<()> {
    let cargo = |subcommand: &str, arguments: &[&str]| {
        let mut command = process::cargo();
        command.args([subcommand, "--manifest-path", "examples/http-range/Cargo.toml"]).args(arguments);
        command.env("CARGO_TARGET_DIR", process::target_dir().join("http-range"));
        process::run(command.env("CARGO_PROFILE_DEV_DEBUG", "0"))
    };
    step("examples/http-range: format, clippy, tests");
    cargo("fmt", &["--check"])?;
    cargo("clippy", &["--locked", "--all-targets", "--", "-D", "warnings"])?;
    cargo("test", &["--locked"])
}

/// Fails if both copies have a function of the same name: the linker would keep one of the two for
/// the callers of both.
fn two_copies(nm: &Path, target: &Path) -> Result<()> {
    let debug = target.join("debug");
    let functions = |folder: &str, file: &str| -> Result<BTreeSet<String>> {
        // The shell expands the names, because they contain hashes.
        let files =
            process::output(Command::new("sh").arg("-c").arg(format!("ls {file}")).current_dir(debug.join(folder)))?;
        let mut nm = Command::new(nm);
        nm.args(["--defined-only", "--extern-only"]).args(files.lines()).current_dir(debug.join(folder));
        let symbols = process::output(&mut nm)?;
        Ok(symbols.lines().filter_map(|line| line.split_once(" T ")).map(|(_, name)| name.to_owned()).collect())
    };
    let simd = functions("build", "built-twice-*/out/simd/libsimd.a")?;
    ensure!(simd.contains("simd_multiply"), "libsimd.a lacks its functions");
    let fallback = functions("deps", "libsealane_simd-*.rlib liboperations-*.rlib")?;
    let common: Vec<_> = simd.intersection(&fallback).take(5).collect();
    ensure!(common.is_empty(), "libsimd.a and the library have functions in common: {common:?}");
    println!("no name is in both, of {} in the first", fallback.len());
    Ok(())
}

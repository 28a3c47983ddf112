//! `cargo xtask examples`: runs the examples of the crates, and checks the programs in `examples`,
//! which use the crates from outside, in a separate workspace.

mod cortex_m;
pub(crate) mod programs;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use cargo_metadata::Message;

use crate::command_crates::metadata;
use crate::process::{self, step};

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    of_crates()?;
    process::tool("nm", "binutils")?;
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
    step("examples/wireguard: packets over UDP");
    cargo("run", &["--package", "wireguard"])?;
    step("examples/built-twice: both copies");
    cargo("run", &["--package", "built-twice"])?;
    two_copies(&target)?;
    http_range()?;
    cortex_m::run()
}

/// Runs each example of each crate, in a folder of its own. They are built as `cargo test
/// --workspace` builds them, so that nothing is built again.
fn of_crates() -> Result<()> {
    step("the examples of the crates");
    let mut build = process::cargo();
    build.args(["build", "--workspace", "--examples", "--message-format=json-render-diagnostics"]);
    let messages = process::output(&mut build)?;
    let mut done = BTreeSet::new();
    for message in Message::parse_stream(messages.as_bytes()) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        let (true, Some(program)) = (artifact.target.is_example(), artifact.executable) else { continue };
        let folder = process::empty_folder("examples-run")?;
        process::output(Command::new(&program).current_dir(folder).stdin(Stdio::null()))?;
        ensure!(done.insert(artifact.target.name.clone()), "two examples have the name {}", artifact.target.name);
    }
    let targets = metadata(Path::new("Cargo.toml"), &["--no-deps"])?.into_iter().flat_map(|package| package.targets);
    let all: BTreeSet<_> = targets.filter(|target| target.is_example()).map(|target| target.name).collect();
    ensure!(done == all, "not run: {:?}", all.difference(&done));
    println!("   {} examples ran", done.len());
    Ok(())
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
fn two_copies(target: &Path) -> Result<()> {
    let debug = target.join("debug");
    let functions = |files: &str| -> Result<BTreeSet<String>> {
        // The shell expands the names, because they contain hashes.
        let command = format!("nm --defined-only --extern-only {files}");
        let symbols = process::output(Command::new("sh").args(["-c", &command]).current_dir(&debug))?;
        Ok(symbols.lines().filter_map(|line| line.split_once(" T ")).map(|(_, name)| name.to_owned()).collect())
    };
    let simd = functions("build/built-twice-*/out/simd/libsimd.a")?;
    ensure!(simd.contains("simd_multiply"), "libsimd.a lacks its functions");
    let fallback = functions("deps/libsealane_simd-*.rlib deps/liboperations-*.rlib")?;
    let common: Vec<_> = simd.intersection(&fallback).take(5).collect();
    ensure!(common.is_empty(), "libsimd.a and the library have functions in common: {common:?}");
    println!("no name is in both, of {} in the first", fallback.len());
    Ok(())
}

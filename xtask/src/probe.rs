//! The program that runs the table of workloads: xtask/probe.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::process;
use crate::{cross, toolchain};

/// Options of `cargo xtask time`.
#[derive(clap::Args)]
pub(crate) struct TimeOptions {
    /// Only operations whose name has this in it
    operation: Option<String>,
}

/// Builds the probe with the release profile, for an architecture of Linux. Its symbols are mangled
/// as v0, which keeps the generic arguments that tell the backends apart.
pub(crate) fn build(architecture: &str, arguments: &[&str]) -> Result<PathBuf> {
    let (target, linker) = cross::compiler(architecture)?;
    let toolchain = toolchain::for_target(&target, "std", false)?;
    // The folder differs from other builds', because the flags differ.
    let dir = process::target_dir().join("probe");
    let mut command = process::cargo();
    command
        .args(["build", "--release", "--package", "sealane-probe", "--target", &target])
        .args(arguments)
        .args(toolchain.arguments)
        .envs(toolchain.environment.into_iter().chain(linker))
        .env("RUSTFLAGS", "-C symbol-mangling-version=v0")
        .env("CARGO_TARGET_DIR", &dir)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    process::run(&mut command)?;
    let program = dir.join(target).join("release/sealane-probe");
    ensure!(program.is_file(), "cargo did not build {}", program.display());
    Ok(std::path::absolute(program)?)
}

/// Runs valgrind's `tool` on the probe, in an empty environment. Returns the exit status and the
/// output of both.
pub(crate) fn under_valgrind(
    arguments: &[OsString],
    program: &PathBuf,
    mode: &[&str],
) -> Result<(Option<i32>, String, String)> {
    let valgrind = process::tool("valgrind", "valgrind")?;
    let mut command = Command::new(valgrind);
    // GLIBC_TUNABLES must not be set: it chooses how the C library copies memory.
    let output = command.arg("--quiet").args(arguments).arg(program).args(mode).env_clear().output()?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Ok((output.status.code(), text(&output.stdout), text(&output.stderr)))
}

/// Compares the times of fixed and random secrets, for `cargo xtask time`.
pub(crate) fn time(options: &TimeOptions) -> Result<()> {
    let program = build(std::env::consts::ARCH, &[])?;
    process::run(Command::new(program).arg("time").args(&options.operation))
}

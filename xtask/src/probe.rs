//! Builds the program `probe`, which runs the table of workloads.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::places::List;
use crate::process;
use crate::toolchain;

/// The exit status of memcheck if it reported something.
pub(crate) const REPORTED: i32 = 99;

/// Builds the probe with the release profile, for Linux on this architecture. Its symbols are
/// mangled as v0, which keeps the generic arguments that tell the backends apart.
pub(crate) fn build(architecture: &str) -> Result<PathBuf> {
    build_with("probe", architecture, "", &[])
}

/// Builds the probe with the settings that programs have by default: with 16 codegen units, and
/// without link-time optimisation across crates. The compiler then inlines less.
pub(crate) fn build_in_units(architecture: &str) -> Result<PathBuf> {
    let profile = ["--config", "profile.release.codegen-units=16", "--config", "profile.release.lto=false"];
    build_with("probe-units", architecture, "", &profile)
}

/// Builds the probe for memcheck. The library reports its verdicts; otherwise the code is the same
/// as in a release, because line numbers change no code.
pub(crate) fn build_for_memcheck() -> Result<PathBuf> {
    let debug = ["--config", "profile.release.debug=\"line-tables-only\"", "--config", "profile.release.strip=false"];
    build_with("probe-memcheck", "x86_64", " --cfg sealane_declassify", &debug)
}

/// Builds the probe. Each set of flags has its own folder, because builds with other flags in the
/// same folder would replace it.
fn build_with(folder: &str, architecture: &str, flags: &str, arguments: &[&str]) -> Result<PathBuf> {
    let list = List::read()?;
    let target = list.target(&format!("{architecture}-unknown-linux-gnu"))?;
    let folder = process::target_dir().join(folder);
    let mut command = process::cargo();
    command
        .args(["build", "--release", "--locked", "--package", "sealane-probe", "--target", &target.triple])
        .args(arguments)
        .envs(target.linker()?)
        .env("RUSTFLAGS", format!("-C symbol-mangling-version=v0{flags}"))
        .env("CARGO_TARGET_DIR", &folder)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    toolchain::add(&target.triple)?;
    process::run(&mut command)?;
    let program = folder.join(&target.triple).join("release/sealane-probe");
    ensure!(program.is_file(), "cargo did not build {}", program.display());
    Ok(program)
}

/// Runs the probe under valgrind, in an empty environment. Returns the exit status, the standard
/// output and the standard error.
pub(crate) fn under_valgrind(flags: &[&str], program: &Path, mode: &[&str]) -> Result<(Option<i32>, String, String)> {
    let valgrind = process::tool("valgrind", "valgrind")?;
    let mut command = Command::new(valgrind);
    // GLIBC_TUNABLES must not be set: it chooses how the C library copies memory.
    let output = process::outcome(command.arg("--quiet").args(flags).arg(program).args(mode).env_clear())?;
    Ok((output.status.code(), process::lossy(&output.stdout), process::lossy(&output.stderr)))
}

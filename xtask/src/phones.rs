//! `cargo xtask phones`: checks the promises of docs/phones.md without an NDK, by
//! tools/android-runner/tests/phones.sh: type-checks everything for Android, checks the alignment
//! of shared objects, and runs static AArch64 programs with a replacement for `adb`.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;

use crate::places::List;
use crate::process::{self, cargo_variable, step};
use crate::test_binaries::QUICK_RELEASE;
use crate::toolchain;

/// Android's targets.
const ANDROID: &[&str] =
    &["aarch64-linux-android", "armv7-linux-androideabi", "i686-linux-android", "x86_64-linux-android"];
/// A target of static programs. Rust has the linker and the C library.
const MUSL: &str = "aarch64-unknown-linux-musl";
/// A target of static programs. Debian has the linker and the C library.
const GNU: &str = "aarch64-unknown-linux-gnu";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    // Missing tools are reported before the builds, which take minutes.
    for (tool, package) in [
        ("qemu-aarch64", "qemu-user"),
        ("setsid", "util-linux"),
        ("readelf", "binutils"),
        ("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"),
    ] {
        process::tool(tool, package)?;
    }
    device()?;
    for (part, library) in [("alignment", "core"), ("check", "std")] {
        step(&format!("Android: {part}"));
        let mut script = script(part);
        for target in ANDROID {
            script.envs(toolchain::for_target(target, library)?.variables);
        }
        process::run(script.arg(process::empty_folder("phones/probe")?))?;
    }
    Ok(())
}

fn script(part: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg("tools/android-runner/tests/phones.sh").arg(part).env_remove("RUSTFLAGS");
    command
}

/// Runs the tests and the command on a device.
fn device() -> Result<()> {
    let (target, environment) = static_target()?;
    step(&format!("{target}: a runner, the command, and tests"));
    // Builds the whole workspace, as `cargo test --workspace` does.
    process::run(process::cargo().args(["build", "--workspace", "--bin", "android-runner"]))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [process::target_dir().join("debug")].into_iter().chain(std::env::split_paths(&path));
    let mut script = script("device");
    script.env("TARGET", target).env("CARGO_TARGET_DIR", process::target_dir()).envs(environment).envs(QUICK_RELEASE);
    script.env(cargo_variable(target, "RUNNER"), "android-runner").env("PATH", std::env::join_paths(path)?);
    process::run(script.arg(process::empty_folder("phones/device")?))
}

/// Returns the target of static programs, with the environment in which cargo builds for it:
/// musl's, with the linker in tools/android-runner/config.toml. If rustup cannot install the
/// library for musl, the target has GNU's C library, linked statically.
fn static_target() -> Result<(&'static str, Vec<(OsString, OsString)>)> {
    if toolchain::by_rustup(MUSL)? {
        return Ok((MUSL, vec![(cargo_variable(MUSL, "LINKER"), "rust-lld".into())]));
    }
    println!("   rustup cannot install {MUSL} here, so static programs are built for {GNU}");
    let variables = toolchain::for_target(GNU, "std")?.variables.into_iter();
    let mut environment: Vec<_> = variables.map(|(name, value)| (name.into(), value.into())).collect();
    environment.extend(List::read()?.target(GNU)?.linker()?);
    environment.push((cargo_variable(GNU, "RUSTFLAGS"), "-C target-feature=+crt-static".into()));
    Ok((GNU, environment))
}

//! `cargo xtask phones`: checks the promises of docs/phones.md without an NDK, by
//! tools/android-runner/tests/phones.sh: type-checks everything for Android, checks the alignment
//! of shared objects, and runs static AArch64 programs with a replacement for `adb`.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, cargo_variable, step};
use crate::test_binaries::QUICK_RELEASE;
use crate::toolchain;

/// Android's targets.
const ANDROID: &[&str] =
    &["aarch64-linux-android", "armv7-linux-androideabi", "i686-linux-android", "x86_64-linux-android"];
/// The target of static programs. Rust has the linker and the C library.
const STATIC: &str = "aarch64-unknown-linux-musl";

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
    ANDROID.iter().try_for_each(|target| toolchain::add(target))?;
    for part in ["alignment", "check"] {
        step(&format!("Android: {part}"));
        process::run(script(part).arg(process::empty_folder("phones/probe")?))?;
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
    toolchain::add(STATIC)?;
    step(&format!("{STATIC}: a runner, the command, and tests"));
    // Builds the whole workspace, as `cargo test --workspace` does.
    process::run(process::cargo().args(["build", "--workspace", "--bin", "android-runner"]))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [process::target_dir().join("debug")].into_iter().chain(std::env::split_paths(&path));
    let mut script = script("device");
    script.env("TARGET", STATIC).env("CARGO_TARGET_DIR", process::target_dir()).envs(QUICK_RELEASE);
    script.env(cargo_variable(STATIC, "LINKER"), "rust-lld").env(cargo_variable(STATIC, "RUNNER"), "android-runner");
    script.env("PATH", std::env::join_paths(path)?);
    process::run(script.arg(process::empty_folder("phones/device")?))
}

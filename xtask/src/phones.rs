//! `cargo xtask phones`: checks the promises of docs/phones.md without an NDK: type-checks
//! everything for Android, checks the alignment of shared objects, and runs static AArch64 programs
//! on a stand-in for `adb`.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::places::List;
use crate::process::{self, cargo_variable, step};
use crate::test_binaries::QUICK_RELEASE;
use crate::toolchain;

/// Android's targets.
const TARGETS: &[&str] =
    &["aarch64-linux-android", "armv7-linux-androideabi", "i686-linux-android", "x86_64-linux-android"];

/// Targets for devices that may have pages of 16 KiB, each with a compiler that replaces the NDK's
/// linker.
const ALIGNED: &[(&str, &str, &str)] = &[
    ("aarch64-linux-android", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("x86_64-linux-android", "x86_64-linux-gnu-gcc", "gcc"),
];

/// A target of static programs for which Rust brings linker and C library.
const MUSL: &str = "aarch64-unknown-linux-musl";
/// A target for which Debian has them.
const GNU: &str = "aarch64-unknown-linux-gnu";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    // Missing tools are reported before the builds, which take minutes.
    process::tool("qemu-aarch64", "qemu-user")?;
    process::tool("setsid", "util-linux")?;
    alignment()?;
    check()?;
    device()
}

/// Returns cargo with the settings that docs/phones.md tells users to copy.
fn cargo() -> Command {
    let mut command = process::cargo();
    command.arg("--config").arg(process::workspace_root().join("tools/android-runner/config.toml"));
    command
}

/// Type-checks the command and all libraries.
fn check() -> Result<()> {
    step("Android: cargo check");
    // One run for all targets builds the code for this machine only once.
    let mut command = cargo();
    command.args(["check", "--package", "sealane-cli"]);
    for target in TARGETS {
        toolchain::for_target(target, "std")?.apply(command.args(["--target", target]));
    }
    process::run(&mut command)
}

const MANIFEST: &str = "
    [package]
    name = 'probe'
    edition = '2024'
    [lib]
    crate-type = ['cdylib']
    path = 'lib.rs'
    [profile.dev]
    panic = 'abort'
    [workspace]
";

/// This crate needs no operating system, so it needs no library of the NDK.
const SOURCE: &str = "
    #![no_std]
    static mut COUNT: u32 = 1;
    #[unsafe(no_mangle)]
    pub extern \"C\" fn count() -> *mut u32 { &raw mut COUNT }
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }
";

/// Links shared objects with the settings that docs/phones.md tells users to copy. All segments
/// that are loaded must be aligned to 16 KiB.
fn alignment() -> Result<()> {
    let readelf = process::tool("readelf", "binutils")?;
    let dir = process::empty_folder("phones/probe")?;
    process::write(dir.join("Cargo.toml"), MANIFEST)?;
    process::write(dir.join("lib.rs"), SOURCE)?;
    for &(target, linker, package) in ALIGNED {
        step(&format!("{target}: the alignment of shared objects"));
        process::tool(linker, package)?;
        let mut command = cargo();
        command.arg("--config").arg(format!("target.{target}.linker = '{linker}'"));
        // These are added to the flags of the settings.
        command.arg("--config").arg(format!("target.{target}.rustflags = ['-C', 'link-arg=-nostdlib']"));
        command.args(["build", "--target", target, "--target-dir", "target", "--offline"]);
        command.env_remove("RUSTFLAGS").current_dir(&dir);
        process::run(toolchain::for_target(target, "core")?.apply(&mut command))?;
        let library = dir.join("target").join(target).join("debug/libprobe.so");
        let segments = process::output(Command::new(&readelf).args(["--segments", "--wide"]).arg(&library))?;
        let segments: Vec<_> = segments.lines().filter(|line| line.trim_start().starts_with("LOAD ")).collect();
        // One for code, and one for writable data. The alignment is the last column.
        let aligned = segments.iter().all(|line| line.ends_with(" 0x4000"));
        ensure!(segments.len() >= 2 && aligned, "{} is not aligned to 16 KiB: {segments:#?}", library.display());
        println!("   {} segments, all aligned to 16 KiB", segments.len());
    }
    Ok(())
}

/// Runs the tests and the command on the device that tools/android-runner/tests/device.sh makes.
fn device() -> Result<()> {
    let (target, environment) = static_target()?;
    step(&format!("{target}: a runner, the command, and tests"));
    // Builds the whole workspace, as `cargo test --workspace` does.
    process::run(process::cargo().args(["build", "--workspace", "--bin", "android-runner"]))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = [process::target_dir().join("debug")].into_iter().chain(std::env::split_paths(&path));
    let mut script = Command::new("bash");
    script.args(["tools/android-runner/tests/device.sh", target]).arg(process::empty_folder("phones/device")?);
    script.envs(environment).envs(QUICK_RELEASE).env("CARGO_TARGET_DIR", process::target_dir());
    script.env(cargo_variable(target, "RUNNER"), "android-runner").env("PATH", std::env::join_paths(path)?);
    process::run(&mut script)
}

/// Returns the target of static programs, with the environment in which cargo builds for it: musl's,
/// with the linker in tools/android-runner/config.toml. If Rust's libraries for it are out of reach,
/// GNU's, linked statically.
fn static_target() -> Result<(&'static str, Vec<(OsString, OsString)>)> {
    if toolchain::by_rustup(MUSL)? {
        return Ok((MUSL, vec![(cargo_variable(MUSL, "LINKER"), "rust-lld".into())]));
    }
    println!("   rustup does not get {MUSL} here: {GNU} in its place, as static");
    let mut environment = toolchain::for_target(GNU, "std")?.variables();
    environment.extend(List::read()?.target(GNU)?.linker()?);
    environment.push((cargo_variable(GNU, "RUSTFLAGS"), "-C target-feature=+crt-static".into()));
    Ok((GNU, environment))
}

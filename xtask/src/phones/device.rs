//! Runs static AArch64 programs through the runner, on a stand-in for `adb` whose device is qemu.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, ensure};

use super::cargo;
use crate::process::{self, step};
use crate::static_aarch64::StaticTarget;
use crate::test_binaries::{self, QUICK_RELEASE};

/// The device: a folder, and an emulator for the programs that are pushed.
pub(super) struct Device {
    dir: PathBuf,
    adb: PathBuf,
}

impl Device {
    pub(super) fn new() -> Result<Self> {
        let qemu = process::tool("qemu-aarch64", "qemu-user")?;
        process::tool("setsid", "util-linux")?;
        let dir = process::empty_folder("phones/device")?;
        process::write(dir.join("devices"), "emulator-5554\tdevice\n")?;
        process::write(dir.join("emulator"), qemu.display().to_string())?;
        std::fs::create_dir(dir.join("tmp")).context("cannot create the device's folder")?;
        Ok(Self { dir, adb: process::workspace_root().join("tools/android-runner/tests/adb.sh") })
    }

    fn prepare<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("ADB", &self.adb)
            .env("STAND_IN", &self.dir)
            .env("ANDROID_RUNNER_DIR", self.dir.join("tmp"))
            .env_remove("ANDROID_SERIAL")
            .env_remove("SEALANE_BACKEND")
            .stdin(Stdio::null())
    }

    /// Returns the output of `adb`.
    fn adb(&self, arguments: &[&str]) -> Result<String> {
        process::output(self.prepare(Command::new(&self.adb).args(arguments)))
    }

    /// Checks that programs were pushed and run since the last check, and that nothing is left of
    /// them.
    fn was_used(&self) -> Result<()> {
        let path = self.dir.join("log");
        let log = process::read(&path).context("no call of adb")?;
        std::fs::remove_file(&path).context("cannot clear the calls of adb")?;
        for call in [": push ", ": shell exec sh "] {
            ensure!(log.contains(call), "adb was not called as expected:\n{log}");
        }
        let left = std::fs::read_dir(self.dir.join("tmp")).context("cannot read the device's folder")?.count();
        ensure!(left == 0, "{left} folders are left on the device");
        Ok(())
    }
}

/// Runs tests through cargo, and the command through the runner and through `adb` alone.
pub(super) fn run(device: &Device) -> Result<()> {
    let target = StaticTarget::new()?;
    step(&format!("{}: a runner, the command, and tests", target.triple));
    // Builds the whole workspace, as `cargo test --workspace` does.
    process::run(process::cargo().args(["build", "--workspace", "--bin", "android-runner"]))?;
    let runner = process::target_dir().join("debug");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(runner.clone()).chain(std::env::split_paths(&path)))?;
    let cross = |arguments: &[&str]| {
        let mut command = cargo();
        command.args(arguments).args(["--release", "--target", target.triple]).envs(target.environment.clone());
        command.env(process::cargo_variable(target.triple, "RUNNER"), "android-runner");
        device.prepare(command.env("PATH", &path).envs(QUICK_RELEASE));
        command
    };

    step("cargo test, by the runner");
    let output = process::output(&mut cross(&["test", "--package", "sealane-simd", "--lib"]))?;
    let count = test_binaries::passed("sealane-simd", &output)?;
    ensure!(count > 0, "no test ran");
    device.was_used()?;
    println!("   {count} tests passed");

    step("the command, by cargo run and the runner");
    process::run(&mut cross(&["build", "--package", "sealane-cli"]))?;
    let sealane = |arguments: &[&str]| -> Result<Output> {
        let mut command = cross(&["run", "--quiet", "--package", "sealane-cli"]);
        let output = process::outcome(command.arg("--").args(arguments))?;
        device.was_used()?;
        Ok(output)
    };
    let cpu = sealane(&["cpu", "--json"])?;
    ensure!(cpu.status.success(), "sealane cpu failed: {cpu:?}");
    let cpu: serde_json::Value = serde_json::from_slice(&cpu.stdout).context("sealane cpu --json is no JSON")?;
    ensure!(cpu["architecture"] == "aarch64", "not on AArch64: {cpu}");
    let quick = ["bench", "--time-per-cell", "1", "--sizes", "64,1KiB", "--filter", "chacha20", "--html", "-"];
    let bench = sealane(&quick)?;
    let page = process::lossy(&bench.stdout);
    let is_page = bench.status.success() && page.contains("<svg") && page.contains("neon");
    ensure!(is_page, "sealane bench failed: {bench:?}");
    let failed = sealane(&["decrypt", "-i", "no such file"])?;
    let error = process::lossy(&failed.stderr);
    ensure!(failed.status.code() == Some(1) && error.contains("no such file"), "not as it fails here: {failed:?}");
    println!("   cpu and bench ran, and a failure came back");

    step("the command, by adb alone");
    let program = process::target_dir().join(target.triple).join("release/sealane");
    let push = |file: &str, name: &str| device.adb(&["push", file, &format!("{}/{name}", device.dir.display())]);
    push(&program.display().to_string(), "sealane")?;
    push("README.md", "plain")?;
    let shell = |command: &str| device.adb(&["shell", &format!("cd '{}' && {command}", device.dir.display())]);
    let key = shell("./sealane keygen -o key >&2; cat key")?;
    let recipient = key.lines().find_map(|line| line.strip_prefix("# public key: ")).context("no public key")?;
    let opened = shell(&format!("./sealane -r {recipient} -o sealed plain && ./sealane -d -i key sealed"))?;
    ensure!(opened == process::read("README.md")?, "the opened file differs");
    let sealed = std::fs::read(device.dir.join("sealed")).context("no sealed file")?;
    ensure!(sealed.starts_with(b"age-encryption.org/v1\n"), "the file is not sealed");
    println!("   a file was sealed, and opened again");
    Ok(())
}

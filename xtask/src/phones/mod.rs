//! `cargo xtask phones`: checks the promises of docs/phones.md without an NDK, and with a stand-in
//! for `adb` that runs AArch64 in qemu.

mod android;
mod device;

use std::process::Command;

use anyhow::Result;

use crate::process;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    // Missing tools are reported before the builds, which take minutes.
    let device = device::Device::new()?;
    android::alignment()?;
    android::check()?;
    device::run(&device)
}

/// Returns cargo with the settings that docs/phones.md tells users to copy.
fn cargo() -> Command {
    let mut command = process::cargo();
    command.arg("--config").arg(process::workspace_root().join("tools/android-runner/config.toml"));
    command
}

//! `cargo xtask phones`: checks the promises of docs/phones.md without an NDK, and with a stand-in
//! for `adb` that runs AArch64 in qemu.

mod android;
mod device;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

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

/// Returns an empty folder for this chore.
fn empty_dir(name: &str) -> Result<PathBuf> {
    let dir = process::target_dir().join("phones").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("cannot clear {}", dir.display()))?;
    }
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir)
}

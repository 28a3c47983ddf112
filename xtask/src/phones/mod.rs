//! `cargo xtask phones`: what docs/phones.md promises, with a stand-in for `adb` that runs AArch64
//! in qemu, and without an NDK.

mod android;
mod device;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    // What is missing is said before minutes go into building.
    let device = device::Device::new()?;
    android::alignment()?;
    android::check()?;
    device::run(&device)
}

/// Cargo with the settings that users are told to copy.
fn cargo() -> Command {
    let mut command = process::cargo();
    command.arg("--config").arg(process::workspace_root().join("tools/android-runner/config.toml"));
    command
}

/// A folder of this chore, empty.
fn empty_dir(name: &str) -> Result<PathBuf> {
    let dir = process::target_dir().join("phones").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("cannot clear {}", dir.display()))?;
    }
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir)
}

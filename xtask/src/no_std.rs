//! `cargo xtask no-std`: builds the primitives for targets without a standard library.

use anyhow::Result;

use crate::process::{self, step};
use crate::toolchain;

/// Targets without an operating system: AArch64 with vectors, x86-64 without (no operating system
/// saves the registers), and a 32-bit microcontroller without 64-bit atomics.
const TARGETS: &[&str] = &["x86_64-unknown-none", "aarch64-unknown-none", "thumbv7em-none-eabi"];

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    for target in TARGETS {
        step(&format!("{target}: sealane without std"));
        let toolchain = toolchain::for_target(target, "core")?;
        // The crate is built alone, and with other crates, which have features for std.
        for features in ["", "rustcrypto,commit"] {
            let mut command = process::cargo();
            command
                .args(["build", "--release", "--package", "sealane", "--no-default-features", "--target", target])
                .arg(format!("--features={features}"))
                // With link-time optimisation a library stays bitcode, and no machine code would be
                // generated and checked.
                .env("CARGO_PROFILE_RELEASE_LTO", "off")
                // The level of optimisation does not affect whether it builds.
                .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
                .env("CARGO_TARGET_DIR", process::target_dir().join("no-std"));
            process::run(command.envs(toolchain.variables.clone()))?;
        }
    }
    Ok(())
}

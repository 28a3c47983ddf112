//! `cargo xtask no-std`: builds the primitives and the file format for targets without a standard
//! library.

use anyhow::Result;

use crate::process::{self, step};
use crate::toolchain;

/// Targets without an operating system: AArch64 with vectors, x86-64 without (no operating system
/// saves the registers), a 32-bit microcontroller without 64-bit atomics, and a browser.
const TARGETS: &[&str] =
    &["x86_64-unknown-none", "aarch64-unknown-none", "thumbv7em-none-eabi", "wasm32-unknown-unknown"];

/// The packages and the features of each build. The primitives are built alone, and with other
/// crates, which have features for std. Portable code is built alone, and with vectors. Generators of
/// the caller's choice are also built without the traits of RustCrypto, as the command has them.
const BUILDS: &[(&str, &str)] = &[
    ("sealane", ""),
    ("sealane", "rand_core"),
    ("sealane", "simd,rustcrypto,rustcrypto-05,commit"),
    ("sealane-age", ""),
];

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    for target in TARGETS {
        step(&format!("{target}: builds without std"));
        let toolchain = toolchain::for_target(target, "core,alloc")?;
        for (package, features) in BUILDS {
            // The crates `sha2` and `curve25519-dalek` ask for vectors on every x86-64.
            if *package == "sealane-age" && *target == "x86_64-unknown-none" {
                continue;
            }
            let mut command = process::cargo();
            command
                .args(["build", "--release", "--package", package, "--no-default-features", "--target", target])
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

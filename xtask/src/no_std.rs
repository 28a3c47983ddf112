//! `cargo xtask no-std`: builds the primitives and the file format for targets without a standard
//! library, and the file format with it for browsers.

use anyhow::Result;

use crate::process::{self, step};
use crate::toolchain::{self, Toolchain};

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

/// A browser, in which files can be encrypted with random numbers of JavaScript.
const BROWSER: &str = "wasm32-unknown-unknown";
const BROWSER_FEATURES: &str = "std,folders,tokio,getrandom/wasm_js";

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
            build(package, features, target, &toolchain)?;
        }
    }
    step(&format!("{BROWSER}: the file format with std"));
    build("sealane-age", BROWSER_FEATURES, BROWSER, &toolchain::for_target(BROWSER, "std")?)
}

fn build(package: &str, features: &str, target: &str, toolchain: &Toolchain) -> Result<()> {
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
    process::run(command.envs(toolchain.variables.clone()))
}

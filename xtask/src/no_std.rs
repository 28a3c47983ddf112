//! `cargo xtask no-std`: builds the primitives and the file format for targets without a standard
//! library, the file format with it for browsers, and the crates above the primitives without their
//! backends on vectors.

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::toolchain::{self, Toolchain};

/// Targets without an operating system: AArch64 with vectors, x86-64 without (no operating system
/// saves the registers), a 32-bit microcontroller without 64-bit atomics, and a browser.
const TARGETS: &[&str] =
    &["x86_64-unknown-none", "aarch64-unknown-none", "thumbv7em-none-eabi", "wasm32-unknown-unknown"];

/// The packages and the features of each build. The primitives are built alone, and with other
/// crates, which have features for std. Portable code is built alone, and with vectors. Generators
/// of the caller's choice are also built without the traits of RustCrypto, as the command has them.
const BUILDS: &[(&str, &str)] = &[
    ("sealane", ""),
    ("sealane", "rand_core"),
    ("sealane", "simd,rustcrypto,rustcrypto-05,commit"),
    ("sealane-age", ""),
    ("sealane-age", "simd"),
];

/// A browser, in which files can be encrypted with random numbers of JavaScript.
const BROWSER: &str = "wasm32-unknown-unknown";
const BROWSER_FEATURES: &str = "std,folders,tokio,getrandom/wasm_js";

/// The packages whose users choose the backends on vectors, and other features of theirs.
const CHOICES: &[(&str, &str)] = &[("sealane-age", "std"), ("sealane-age", "parallel"), ("sealane-shares", "")];

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
    build("sealane-age", BROWSER_FEATURES, BROWSER, &toolchain::for_target(BROWSER, "std")?)?;
    for (package, features) in CHOICES {
        for widest in [None, Some("simd"), Some("avx2"), Some("avx512")] {
            backends_of(package, &format!("{features},{}", widest.unwrap_or_default()), widest)?;
        }
    }
    Ok(())
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

/// Builds a package for this machine. Fails if its widest backends are others than `widest`.
fn backends_of(package: &str, features: &str, widest: Option<&str>) -> Result<()> {
    let arguments = ["--package", package, "--no-default-features", "--features", features];
    step(&format!("{package} with {features:?}"));
    let mut tree = process::cargo();
    tree.args(["tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p} {f}"]).args(arguments);
    let tree = process::output(&mut tree)?;
    let line = tree.lines().find(|line| line.starts_with("sealane v")).context("no crate sealane")?;
    let brought: Vec<_> = line.rsplit(' ').next().unwrap_or_default().split(',').collect();
    let widest_of_all = ["avx512", "avx2", "simd"].into_iter().find(|backends| brought.contains(backends));
    ensure!(widest_of_all == widest, "{package} with {features:?} brings the backends of {widest_of_all:?}");
    let target = process::target_dir().join("no-std");
    process::run(process::cargo().arg("check").args(arguments).env("CARGO_TARGET_DIR", target))
}

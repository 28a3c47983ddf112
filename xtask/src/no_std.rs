//! `cargo xtask no-std`: builds the primitives and the file format for targets without a standard
//! library, the file format with it for browsers, and the crates above the primitives without their
//! backends on vectors.

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::toolchain;

/// Targets without an operating system: AArch64 with vectors, x86-64 without (no operating system
/// saves the registers), a 32-bit microcontroller without 64-bit atomics, and a browser.
const TARGETS: &[&str] =
    &["x86_64-unknown-none", "aarch64-unknown-none", "thumbv7em-none-eabi", "wasm32-unknown-unknown"];

/// The features of the builds to machine code: portable code alone, and everything. The file format
/// is in the second one, so that its build and the primitives' are one.
const PORTABLE: &str = "";
const EVERYTHING: &str = "sealane/simd,sealane/rustcrypto,sealane/rustcrypto-05,sealane/commit";
const FILE_FORMAT: &str = "sealane-age/simd";

/// What is only checked: its code is in the builds too. These are generators of the caller's choice
/// without the traits of RustCrypto, as the command has them, and the file format in portable code.
const CHECKS: &[(&str, &str)] = &[("sealane", "rand_core"), ("sealane-age", "")];

/// A browser, in which files can be encrypted with random numbers of JavaScript.
const BROWSER: &str = "wasm32-unknown-unknown";
const BROWSER_FEATURES: &str = "std,folders,tokio,getrandom/wasm_js";

/// The packages whose users choose the backends on vectors, and other features of theirs.
const CHOICES: &[(&str, &str)] = &[("sealane-age", "std"), ("sealane-age", "parallel"), ("sealane-shares", "")];

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    for target in TARGETS {
        step(&format!("{target}: builds without std"));
        toolchain::add(target)?;
        cargo("build", &["sealane"], PORTABLE, target)?;
        // The crates `sha2` and `curve25519-dalek` ask for vectors on every x86-64.
        let has_file_format = *target != "x86_64-unknown-none";
        if has_file_format {
            cargo("build", &["sealane", "sealane-age"], &format!("{EVERYTHING},{FILE_FORMAT}"), target)?;
        } else {
            cargo("build", &["sealane"], EVERYTHING, target)?;
        }
        for (package, features) in CHECKS.iter().filter(|(package, _)| has_file_format || *package == "sealane") {
            cargo("check", &[package], features, target)?;
        }
    }
    step(&format!("{BROWSER}: the file format with std"));
    cargo("check", &["sealane-age"], BROWSER_FEATURES, BROWSER)?;
    for (package, features) in CHOICES {
        for widest in [None, Some("simd"), Some("avx2"), Some("avx512")] {
            backends_of(package, &format!("{features},{}", widest.unwrap_or_default()), widest)?;
        }
    }
    Ok(())
}

fn cargo(subcommand: &str, packages: &[&str], features: &str, target: &str) -> Result<()> {
    let mut command = process::cargo();
    command
        .args([subcommand, "--release", "--no-default-features", "--target", target])
        .args(packages.iter().flat_map(|package| ["--package", package]))
        .arg(format!("--features={features}"))
        // With link-time optimisation a library stays bitcode, and no machine code would be
        // generated and checked.
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        // The level of optimisation does not affect whether it builds.
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_TARGET_DIR", process::target_dir().join("no-std"));
    process::run(&mut command)
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

//! `cargo xtask backends`: the tests once per x86 backend, each forced; in an emulator where this CPU lacks one.

use anyhow::{Result, bail};

use crate::avx512;
use crate::process::step;
use crate::test_binaries::{self, ALL};

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    if cfg!(not(target_arch = "x86_64")) {
        bail!("this chore runs the x86 backends: run it on an x86-64 machine (`cargo xtask cross` has AArch64)");
    }
    let binaries = test_binaries::of_workspace(ALL)?;
    for backend in ["scalar", "ssse3", "avx2"] {
        step(&format!("tests with SEALANE_BACKEND={backend}"));
        // A CPU that lacks it fails here: every x86-64 machine that builds Rust in reasonable time has AVX2.
        test_binaries::run_all(&binaries, &[], &[("SEALANE_BACKEND", backend)])?;
    }
    avx512::run(&avx512::Options::default())
}

//! `cargo xtask backends`: the tests once per x86 backend, each forced; in an emulator where this CPU lacks one.

use anyhow::{Result, bail};

use crate::avx512;
use crate::process::{cargo, run as run_command, step};
use crate::test_binaries::ALL;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    if cfg!(not(target_arch = "x86_64")) {
        bail!("this chore runs the x86 backends: run it on an x86-64 machine (`cargo xtask cross` has AArch64)");
    }
    for backend in ["scalar", "ssse3", "avx2"] {
        step(&format!("tests with SEALANE_BACKEND={backend}"));
        // A CPU that lacks it fails here: every x86-64 machine that builds Rust in reasonable time has AVX2.
        let mut command = cargo();
        command.args(["test", "--lib", "--tests"]).env("SEALANE_BACKEND", backend);
        for package in ALL {
            command.args(["--package", package]);
        }
        run_command(&mut command)?;
    }
    avx512::run(&avx512::Options::default())
}

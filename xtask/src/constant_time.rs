//! `cargo xtask constant-time`: memcheck follows secrets through the machine code, and reports each branch and each memory
//! address that depends on one.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};

/// Not AVX-512: valgrind (3.19 here) does not know it, and hides it from programs.
const BACKENDS: &[&str] = &["scalar", "ssse3", "avx2"];
const PRIMITIVES: &[&str] = &["chacha20", "poly1305", "seal", "pieces", "batch"];
/// Must be reported: else a run without a report proves nothing.
const CONTROLS: &[&str] = &["leaky-branch", "leaky-index"];

/// The exit status that memcheck is told to give when it reported something.
const REPORTED: i32 = 99;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "the requests to memcheck are x86-64 code: run this on an x86-64 machine");
    step("constant time (memcheck)");
    let valgrind = process::tool("valgrind", "valgrind")?;
    process::run(process::cargo().args(["build", "--release", "--package", "constant-time"]))?;
    let program = process::target_dir().join("release/constant-time");
    for control in CONTROLS {
        let (status, report) = memcheck(&valgrind, &program, "scalar", control)?;
        ensure!(
            status == Some(REPORTED),
            "memcheck did not report {control}, so it would not report a leak either:\n{report}"
        );
        println!("   {control}: reported, as it must be");
    }
    for backend in BACKENDS {
        for primitive in PRIMITIVES {
            let (status, report) = memcheck(&valgrind, &program, backend, primitive)?;
            ensure!(status == Some(0), "{primitive} on {backend} depends on secrets, or did not run:\n{report}");
            println!("   {primitive} on {backend}: nothing depends on secrets");
        }
    }
    Ok(())
}

/// The exit status, and what memcheck and the program said.
fn memcheck(valgrind: &Path, program: &Path, backend: &str, primitive: &str) -> Result<(Option<i32>, String)> {
    let output = Command::new(valgrind)
        .args(["--tool=memcheck", "--quiet", &format!("--error-exitcode={REPORTED}")])
        .arg(program)
        .args([backend, primitive])
        .output()
        .context("cannot start valgrind")?;
    let said = [output.stdout, output.stderr].concat();
    Ok((output.status.code(), String::from_utf8_lossy(&said).into_owned()))
}

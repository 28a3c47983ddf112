//! `cargo xtask sanitize`: runs the tests of crates with `unsafe` code, and of the primitives on
//! top of them, with LLVM's address sanitizer. Then runs memcheck over the vector types, the output
//! buffer and the tables, to find uses of uninitialised memory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::probe::REPORTED;
use crate::process::{self, step};
use crate::test_binaries::{self, FEW_FIELDS, SOME_COMBINATIONS, TestBinary};
use crate::toolchain;

/// The sanitizer comes with the stable compiler, and an environment variable enables it. Arithmetic
/// and the standard library's preconditions are checked too, as in a debug build.
const FLAGS: &str = "-Zsanitizer=address -Cdebug-assertions=on -Coverflow-checks=on";
/// The function that each instrumented program calls first.
const INSTRUMENTED: &[u8] = b"__asan_init";
/// The sanitizer must report each of these. Otherwise a run without a report proves nothing.
const ADDRESSES: &[&str] = &["heap", "stack", "freed"];
const UNINITIALISED: &str = "uninitialised";
const NONE: &str = "none";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let valgrind = process::tool("valgrind", "valgrind")?;
    let host = toolchain::of_compiler("host")?;

    step("address sanitizer: errors that it must report");
    let control = control(FLAGS, "control-address")?;
    for name in ADDRESSES {
        let (status, output) = run_control(&[], &control, name)?;
        let reported = status != Some(0) && output.contains("ERROR: AddressSanitizer");
        ensure!(
            reported,
            "{name} was not reported, so the same error in a test would not be reported either:\n{output}"
        );
        println!("   {name}: reported, as it must be");
    }
    let (status, text) = run_control(&[], &control, NONE)?;
    ensure!(status == Some(0), "the control without an error failed:\n{text}");

    step("address sanitizer: tests");
    let mut build = build("sanitize");
    build.args(["--package", "sealane-simd", "--package", "sealane", "--lib", "--test", "suite"]);
    // A named target keeps the flags away from build scripts and macros.
    build.args(["--target", &host]).env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", format!("{FLAGS} {FEW_FIELDS}"));
    let binaries = test_binaries::executables(&mut build)?;
    for binary in &binaries {
        ensure!(is_instrumented(binary)?, "{} was compiled without the sanitizer", binary.name);
    }
    ensure!(binaries.len() == 3, "{} test executables, not those of two libraries and a suite", binaries.len());
    test_binaries::run_all("this CPU", &binaries, &[], None, &[SOME_COMBINATIONS])?;

    step("memcheck: an error that it must report");
    let status = format!("--error-exitcode={REPORTED}");
    let runner = [valgrind.into(), "--quiet".into(), status.into(), "--num-callers=40".into()];
    let control = self::control("", "control-memcheck")?;
    let (status, text) = run_control(&runner, &control, UNINITIALISED)?;
    ensure!(status == Some(REPORTED), "memcheck did not report a branch on memory that was never written:\n{text}");
    println!("   {UNINITIALISED}: reported, as it must be");
    let (status, text) = run_control(&runner, &control, NONE)?;
    ensure!(status == Some(0), "memcheck reported an error in a program without one:\n{text}");

    step("memcheck: tests of sealane-simd");
    let binaries = test_binaries::executables(self::build("memcheck").args(["--package", "sealane-simd", "--lib"]))?;
    test_binaries::run_all("memcheck", &binaries, &runner, None, &[])?;
    Ok(())
}

fn build(folder: &str) -> Command {
    let mut command = test_binaries::quick_build(folder);
    command.env("CARGO_PROFILE_QUICK_OPT_LEVEL", "1");
    command
}

/// Compiles the control program, whose errors must be reported.
fn control(flags: &str, name: &str) -> Result<PathBuf> {
    let program = process::folder("sanitize")?.join(name);
    let mut command = Command::new("rustc");
    command.args(["--edition=2024", "-Copt-level=1", "-Cdebuginfo=line-tables-only"]).args(flags.split_whitespace());
    command.arg("-o").arg(&program).arg("xtask/sanitize/control.rs").env("RUSTC_BOOTSTRAP", "1");
    process::run(&mut command)
        .context("the sanitizer comes with the compiler for x86-64 Linux, and needs a C linker")?;
    Ok(program)
}

fn is_instrumented(binary: &TestBinary) -> Result<bool> {
    let bytes = std::fs::read(&binary.path).with_context(|| format!("cannot read {}", binary.path.display()))?;
    Ok(bytes.windows(INSTRUMENTED.len()).any(|window| window == INSTRUMENTED))
}

/// Runs a program under `runner` with an argument. Returns its exit status and messages.
fn run_control(runner: &[OsString], program: &Path, argument: &str) -> Result<(Option<i32>, String)> {
    let output = process::outcome(process::under(runner, program).arg(argument))?;
    Ok((output.status.code(), process::lossy(&[output.stdout, output.stderr].concat())))
}

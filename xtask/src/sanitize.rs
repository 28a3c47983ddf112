//! `cargo xtask sanitize`: runs the tests of crates with `unsafe` code, and of the primitives on
//! top of them, with LLVM's address sanitizer. Then runs memcheck over the vector types, the output
//! buffer and the tables, to find uninitialised memory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process::{self, step};
use crate::test_binaries::{self, Build, TestBinary};
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

/// The exit status of memcheck if it reported something.
const REPORTED: i32 = 99;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let valgrind = process::tool("valgrind", "valgrind")?;
    let host = toolchain::host()?;
    let unstable = [("RUSTC_BOOTSTRAP".into(), "1".into()), ("CARGO_PROFILE_RELEASE_OPT_LEVEL".into(), "1".into())];

    step("address sanitizer: errors that it must report");
    let control = control(FLAGS, "control-address")?;
    for name in ADDRESSES {
        let (status, said) = said(Command::new(&control).arg(name))?;
        let reported = status != Some(0) && said.contains("ERROR: AddressSanitizer");
        ensure!(reported, "{name} was not reported, so it would not be in the tests either:\n{said}");
        println!("   {name}: reported, as it must be");
    }
    let (status, said) = said(Command::new(&control).arg(NONE))?;
    ensure!(status == Some(0), "the control without an error failed:\n{said}");

    step("address sanitizer: tests");
    let binaries = Build {
        packages: &["sealane-simd", "sealane"],
        tests: &["--lib", "--test", "suite"],
        // A named target keeps the flags away from build scripts and macros.
        target: Some(&host),
        rustflags: Some(FLAGS),
        target_dir: Some("sanitize"),
        environment: &unstable,
        ..Build::default()
    }
    .release()?;
    for binary in &binaries {
        ensure!(is_instrumented(binary)?, "{} was compiled without the sanitizer", binary.name);
    }
    ensure!(
        binaries.len() == 3,
        "there are {} test executables, not those of two libraries and a suite",
        binaries.len()
    );
    test_binaries::run_all(&binaries, &[], None, &[("SEALANE_TEST_ONE_IN", "7")])?;

    step("memcheck: an error that it must report");
    let runner = [
        valgrind.clone().into_os_string(),
        "--quiet".into(),
        format!("--error-exitcode={REPORTED}").into(),
        "--num-callers=40".into(),
    ];
    let control = self::control("", "control-memcheck")?;
    let under_memcheck = |name: &str| said_under(&runner, &control, name);
    let (status, text) = under_memcheck(UNINITIALISED)?;
    ensure!(status == Some(REPORTED), "memcheck did not report a branch on memory that was never written:\n{text}");
    println!("   {UNINITIALISED}: reported, as it must be");
    let (status, text) = under_memcheck(NONE)?;
    ensure!(status == Some(0), "memcheck reported an error in a program without one:\n{text}");

    step("memcheck: tests of sealane-simd");
    let binaries = Build {
        packages: &["sealane-simd"],
        tests: &["--lib"],
        target_dir: Some("memcheck"),
        environment: &unstable[1..],
        ..Build::default()
    }
    .release()?;
    test_binaries::run_all(&binaries, &runner, None, &[])?;
    Ok(())
}

/// Compiles the program with errors.
fn control(flags: &str, name: &str) -> Result<PathBuf> {
    let folder = process::target_dir().join("sanitize");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let program = folder.join(name);
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

fn said_under(runner: &[OsString], program: &Path, argument: &str) -> Result<(Option<i32>, String)> {
    said(Command::new(&runner[0]).args(&runner[1..]).arg(program).arg(argument))
}

/// Returns the exit status and the program's messages.
fn said(command: &mut Command) -> Result<(Option<i32>, String)> {
    let output = command.output().with_context(|| format!("cannot start {}", process::describe(command)))?;
    let said = [output.stdout, output.stderr].concat();
    Ok((output.status.code(), String::from_utf8_lossy(&said).into_owned()))
}

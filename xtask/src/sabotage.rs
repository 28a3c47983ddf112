//! `cargo xtask sabotage`: checks that the tests notice a kernel with wrong results. Builds the
//! library with `--cfg sealane_fault`, and runs a quick test of each primitive twice on each
//! backend. It must pass without a fault, and fail with a fault in the primitive on that backend.

use std::ffi::OsString;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use sealane_workloads::Workload;

use crate::bochs::{self, Guest};
use crate::cross;
use crate::places::List;
use crate::process::{self, lossy, step};
use crate::test_binaries::{self, TestBinary, emulated};

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the trials on this target (x86_64-unknown-linux-gnu) or in emulated machines (`bochs`)
    #[arg(long, value_name = "TARGET")]
    only: Option<String>,
    /// Only the trials on this backend
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// Make the trials of emulated machines on this CPU, which must have their backends
    #[arg(long)]
    on_this_cpu: bool,
}

/// The environment variable that tells the library where the fault is: the primitive, a colon, and
/// the backend.
const VARIABLE: &str = "SEALANE_FAULT";

/// Targets, each with the place of xtask/backends.toml that lists its backends.
const TARGETS: &[(&str, &str)] = &[
    ("x86_64-unknown-linux-gnu", "native"),
    ("aarch64-unknown-linux-gnu", "aarch64"),
    ("armv7-unknown-linux-gnueabihf", "armv7"),
    ("wasm32-wasip1", "wasm32"),
];

/// Emulated machines, for backends that this CPU lacks.
const MACHINES: &[&str] = &["bochs-cannon-lake", "bochs-skylake"];

/// The runner of the test suite at a place.
enum Runner {
    /// A program and its arguments. Empty to run natively.
    Program(Vec<OsString>),
    /// An emulated machine with that CPU.
    Machine(String),
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let list = List::read()?;
    let chosen = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
    let mut missed = Vec::new();
    let mut trials = 0;
    let mut judge = |place: &str, suite: &TestBinary, runner: &Runner| -> Result<()> {
        for (backend, workload) in list.primitives_at(place) {
            if options.backend.as_ref().is_some_and(|only| only != backend) {
                continue;
            }
            let passes = |fault| passes(suite, runner, workload, backend, fault);
            ensure!(passes(false)?, "{} on {backend} fails without a fault", workload.quick_test);
            let noticed = !passes(true)?;
            trials += 1;
            println!("   {:<14} {backend:<14} {}", workload.name, if noticed { "noticed" } else { "NOT NOTICED" });
            if !noticed {
                missed.push(format!("{} on {backend} at {place}", workload.name));
            }
        }
        Ok(())
    };
    for (target, place) in TARGETS.iter().filter(|(target, _)| chosen(target)) {
        step(target);
        let (suite, runner) = cross::suite_with_faults(&list, target, place)?;
        judge(place, &suite, &Runner::Program(runner))?;
    }
    if chosen("bochs") {
        let (suite, _) = cross::suite_with_faults(&list, TARGETS[0].0, TARGETS[0].1)?;
        if !options.on_this_cpu {
            bochs::prepare()?;
        }
        for place in MACHINES {
            step(place);
            let runner = if options.on_this_cpu {
                Runner::Program(Vec::new())
            } else {
                Runner::Machine(list.place(place)?.bochs.clone().context("the place names no CPU")?)
            };
            judge(place, &suite, &runner)?;
        }
    }
    ensure!(trials > 0, "there is no such trial");
    ensure!(missed.is_empty(), "the tests passed with a fault: {}", missed.join(", "));
    Ok(())
}

/// Runs a test on a backend, with or without a fault. Returns whether it passes.
fn passes(suite: &TestBinary, runner: &Runner, workload: &Workload, backend: &str, fault: bool) -> Result<bool> {
    let injected = format!("{}:{backend}", workload.name);
    let mut environment = emulated(backend, None);
    environment.extend(fault.then_some((VARIABLE, injected.as_str())));
    let output = match runner {
        Runner::Program(runner) => {
            let output = process::outcome(suite.command(runner).arg(workload.quick_test).envs(environment))?;
            lossy(&[output.stderr, output.stdout].concat())
        }
        Runner::Machine(cpu) => {
            let arguments = vec!["--test-threads=1".into(), workload.quick_test.into()];
            let guest = Guest { name: suite.name.clone(), program: suite.path.clone(), arguments };
            let outputs = bochs::run(cpu, &[guest], &environment, Duration::from_secs(10 * 60));
            // The error contains the output of a program that failed.
            outputs.map_or_else(|error| format!("{error:#}"), |outputs| outputs.concat())
        }
    };
    // Then no test would have compared a result.
    ensure!(!output.contains("failed its self-test"), "the self-test noticed, not {}:\n{output}", workload.quick_test);
    verdict(&output)
}

/// Returns whether the test passed, from the closing line, or from a panic that ended the program.
/// Any other output is an error.
fn verdict(output: &str) -> Result<bool> {
    match test_binaries::closing_line(output) {
        Some(line) if line.starts_with("ok. ") && !line.starts_with("ok. 0 passed") => Ok(true),
        Some(line) if line.starts_with("FAILED. ") => Ok(false),
        // On WebAssembly a panic ends the program, and its message stays in the test's own output.
        None if output.contains("panicked at") || output.contains("rust_panic") => Ok(false),
        _ => bail!("no test ran to its end:\n{output}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tests_that_ran_give_a_verdict() {
        assert!(verdict("test result: ok. 3 passed; 0 failed").unwrap());
        assert!(!verdict("…\ntest result: FAILED. 1 passed; 2 failed").unwrap());
        assert!(verdict("test result: ok. 0 passed; 0 failed").is_err());
        assert!(!verdict("thread 'main' panicked at x.rs:1:1").unwrap());
        assert!(verdict("Illegal instruction").is_err());
    }
}

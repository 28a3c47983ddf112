//! `cargo xtask sabotage`: checks that the tests notice a kernel with wrong results. Builds the
//! library with `--cfg sealane_fault`, and runs a quick test of each primitive twice on each
//! backend. It must pass without a fault, and fail with a fault in the primitive on that backend.

use std::ffi::OsString;

use anyhow::{Result, bail, ensure};
use sealane_workloads::Workload;

use crate::cross;
use crate::places::List;
use crate::process::{self, lossy, step};
use crate::test_binaries::{self, TestBinary, emulated};

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the trials at places of xtask/backends.toml whose name contains this (`native`,
    /// `bochs`)
    #[arg(long, value_name = "PLACE")]
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

/// The places of xtask/backends.toml whose backends are tried. The emulated machines have those
/// that this CPU may lack.
const PLACES: [&str; 6] = ["native", "aarch64", "armv7", "wasm32", "bochs-cannon-lake", "bochs-skylake"];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let list = List::read()?;
    let mut missed = Vec::new();
    let mut trials = 0;
    for name in PLACES.into_iter().filter(|name| options.only.as_ref().is_none_or(|only| name.contains(only))) {
        step(name);
        let place = list.place(name)?;
        let target = list.target(place.emulated.as_ref().map_or(cross::X86_64, |on| &on.target))?;
        let emulated = place.emulated.as_ref().filter(|_| place.chore() == "cross" || !options.on_this_cpu);
        let runner = emulated.map_or(Ok(Vec::new()), |on| target.runner(on))?;
        let suite = cross::suite_with_faults(target)?;
        for (backend, workload) in list.primitives_at(name) {
            if options.backend.as_ref().is_some_and(|only| only != backend) {
                continue;
            }
            let passes = |fault| passes(&suite, &runner, workload, backend, fault);
            ensure!(passes(false)?, "{} on {backend} fails without a fault", workload.quick_test);
            let noticed = !passes(true)?;
            trials += 1;
            println!("   {:<14} {backend:<14} {}", workload.name, if noticed { "noticed" } else { "NOT NOTICED" });
            if !noticed {
                missed.push(format!("{} on {backend} at {name}", workload.name));
            }
        }
    }
    ensure!(trials > 0, "there is no such trial");
    ensure!(missed.is_empty(), "the tests passed with a fault: {}", missed.join(", "));
    Ok(())
}

/// Runs a test on a backend, with or without a fault. Returns whether it passes.
fn passes(suite: &TestBinary, runner: &[OsString], workload: &Workload, backend: &str, fault: bool) -> Result<bool> {
    let injected = format!("{}:{backend}", workload.name);
    let mut environment = emulated(backend, None);
    environment.extend(fault.then_some((VARIABLE, injected.as_str())));
    let output = process::outcome(suite.command(runner).arg(workload.quick_test).envs(environment))?;
    let output = lossy(&[output.stderr, output.stdout].concat());
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

//! `cargo xtask ct`: memcheck follows secrets through the machine code, and reports each branch and
//! each memory address that depends on a secret. The library declassifies only its verdicts
//! (whether a tag is right, whether shares agree, whether two generators are equal), and the
//! syndromes of shares, which depend on their errors alone.

use anyhow::{Result, ensure};

use crate::places::List;
use crate::probe::{self, REPORTED};
use crate::process::step;

/// Controls that memcheck must report. Otherwise a run without a report proves nothing.
const CONTROLS: &[&str] = &["leaky-branch", "leaky-index"];

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "the requests to memcheck are x86-64 code: run this on an x86-64 machine");
    step("constant time (memcheck)");
    let program = probe::build_for_memcheck()?;
    let flags = ["--tool=memcheck", "--num-callers=40", &format!("--error-exitcode={REPORTED}")];
    let memcheck = |backend, primitive| probe::under_valgrind(&flags, &program, &["ct", backend, primitive]);
    for control in CONTROLS {
        let (status, output, reports) = memcheck("scalar", control)?;
        let is_reported = status == Some(REPORTED);
        ensure!(is_reported, "memcheck did not report {control}, nor would it report a leak:\n{output}{reports}");
        println!("   {control}: reported, as it must be");
    }
    // Runs on the backends that every machine for these chores has. Valgrind (3.19 here) does not
    // know AVX-512, VAES, VPCLMULQDQ and GFNI, and hides them from programs.
    for (backend, workload) in List::read()?.primitives_at("native") {
        let (status, output, reports) = memcheck(backend, workload.name)?;
        let name = format!("{} on {backend}", workload.name);
        let is_done = status == Some(0) && output.contains(&format!("{name}: done"));
        ensure!(is_done, "{name} depends on secrets, or did not run:\n{output}{reports}");
        println!("   {name}: nothing but verdicts depends on secrets, in {} operations", workload.operations.len());
    }
    Ok(())
}

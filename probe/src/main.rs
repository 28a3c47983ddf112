//! Runs the operations of the table of workloads. `cargo xtask` uses the first two modes:
//!
//! - `sealane-probe instructions BACKEND`: repeats each operation between calls of a function.
//!   Callgrind writes down its counts before each of these calls.
//! - `sealane-probe ct BACKEND PRIMITIVE`: runs a primitive's operations on secrets that memcheck
//!   tracks. Only in a build with `--cfg sealane_declassify`, in which the library reports its
//!   verdicts.
//! - `sealane-probe time [OPERATION]`: compares the times of fixed and random secrets.
//!
//! The assembly gate reads this program's machine code, which holds every kernel.

#[cfg(sealane_declassify)]
mod constant_time;
mod instructions;
#[cfg(sealane_declassify)]
mod memcheck;
mod timing;

use sealane_workloads::{Family, Operation, WORKLOADS};

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["instructions", backend] => instructions::run(backend),
        #[cfg(sealane_declassify)]
        ["ct", backend, primitive] => constant_time::run(backend, primitive),
        ["time"] => timing::run(""),
        ["time", filter] => timing::run(filter),
        _ => Err("usage: sealane-probe instructions BACKEND | ct BACKEND PRIMITIVE | time [OPERATION]".to_owned()),
    }
}

/// Returns all operations, each with its family.
fn operations() -> impl Iterator<Item = (Family, &'static Operation)> {
    WORKLOADS.iter().flat_map(|workload| workload.operations.iter().map(|operation| (workload.family, operation)))
}

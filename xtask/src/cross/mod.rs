//! `cargo xtask cross`: the tests of the primitives on other architectures and on older CPUs, in
//! qemu-user or, for WebAssembly, in Node.js.

use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result};

use crate::ledger::Ledger;
use crate::places::{List, Place, Target};
use crate::process::step;
use crate::selection::Selection;
use crate::test_binaries::{self, FEW_FIELDS, TestBinary};
use crate::toolchain;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this target; may be given several times
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
}

/// The target whose executables are static, so that they also run in an emulated machine.
pub(crate) const X86_64: &str = "x86_64-unknown-linux-gnu";

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut ledger = Ledger::new("cross");
    let list = List::read()?;
    for triple in &options.target {
        list.target(triple)?;
    }
    let is_chosen = |target: &&Target| options.target.is_empty() || options.target.contains(&target.triple);
    for target in list.target.iter().filter(is_chosen) {
        on(target, &list, |_| true, Selection::default(), 1, &mut ledger)?;
    }
    step("what was exercised");
    ledger.close(&list, |place| list.target.iter().filter(is_chosen).any(|target| place.has_target(&target.triple)))
}

/// Returns the test suite of the primitives, built with fault injection.
pub(crate) fn suite_with_faults(target: &Target) -> Result<TestBinary> {
    let mut build = build(target, "sabotage", "--cfg sealane_fault")?;
    let suite = test_binaries::executables(build.args(["--package", "sealane", "--test", "suite"]))?;
    suite.into_iter().next().context("there is no suite")
}

/// Runs tests at the chosen places that the ledger's chore has on a target, several `at_once`.
/// Leaves out the tests that `selection` has seen.
pub(crate) fn on(
    target: &Target,
    list: &List,
    is_chosen: impl Fn(&Place) -> bool,
    mut selection: Selection,
    at_once: usize,
    ledger: &mut Ledger,
) -> Result<()> {
    step(&target.triple);
    let mut runs = Vec::new();
    for place in list.places(ledger.chore) {
        let Some(emulated) = place.emulated.as_ref().filter(|on| on.target == target.triple) else { continue };
        // Tests are also selected for places that are left out, so that the selection for one place
        // does not depend on the options.
        let of_place = selection.runs(place).into_iter();
        if is_chosen(place) {
            // Missing tools are reported before the builds, which take minutes.
            let runner = target.runner(emulated)?;
            runs.extend(of_place.map(|(backends, tests)| (place, runner.clone(), backends, tests)));
        }
    }
    let binaries = tests(target)?;
    let run = |(place, runner, backends, tests): &(&Place, Vec<OsString>, String, Option<Vec<&str>>)| {
        let detects = place.detects();
        let environment = test_binaries::emulated(backends, detects.as_deref());
        let name = format!("{}, SEALANE_BACKEND={backends}", place.name);
        test_binaries::run_all(&name, &binaries, runner, tests.as_deref(), &environment)
    };
    for some in runs.chunks(at_once) {
        let outputs: Vec<_> = std::thread::scope(|scope| {
            let runs: Vec<_> = some.iter().map(|one| scope.spawn(move || run(one))).collect();
            runs.into_iter().map(|run| run.join().expect("a run does not panic")).collect()
        });
        for ((place, ..), output) in some.iter().zip(outputs) {
            ledger.at(&place.name).read(&output?);
        }
    }
    Ok(())
}

/// Builds the tests of the vector types and of the primitives. Leaves out the tests of the
/// reference implementations, because the tests of the primitives notice if a reference computes
/// wrong results. On targets that share their code with others, leaves out unit tests of the
/// primitives, and most fields.
pub(crate) fn tests(target: &Target) -> Result<Vec<TestBinary>> {
    let flags = if target.every_field { "" } else { FEW_FIELDS };
    let mut vectors = build(target, "cross", flags)?;
    // The tests of the primitives need the same crate with these features.
    vectors.args(["--package", "sealane-simd", "--lib", "--features=sealane-simd/bounds,sealane-simd/guarded"]);
    let mut binaries = test_binaries::executables(&mut vectors)?;
    let mut primitives = build(target, "cross", flags)?;
    primitives.args(["--package", "sealane", "--test", "suite"]);
    if target.unit_tests {
        primitives.arg("--lib");
    }
    binaries.extend(test_binaries::executables(&mut primitives)?);
    Ok(binaries)
}

/// Returns the command that builds tests for a target, with further flags for the compiler.
fn build(target: &Target, folder: &str, flags: &str) -> Result<Command> {
    toolchain::add(&target.triple)?;
    let mut command = test_binaries::quick_build(folder);
    if target.portable {
        command.env("CARGO_PROFILE_QUICK_OPT_LEVEL", "1");
    }
    if let Some(unstable) = &target.unstable {
        command.env("RUSTC_BOOTSTRAP", "sealane_simd").arg(format!("--features=sealane-simd/{unstable}"));
    }
    command.args(["--target", &target.triple]);
    let flags = [target.flags.as_deref().unwrap_or_default(), flags].join(" ");
    command.envs(target.linker()?).env("RUSTFLAGS", flags.trim());
    Ok(command)
}

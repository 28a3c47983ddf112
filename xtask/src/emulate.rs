//! `cargo xtask emulate`: runs the tests on x86 machines with AVX-512, IFMA, VAES, VPCLMULQDQ and
//! GFNI, which Bochs emulates. Checks detection on these machines and on older ones.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use crate::bochs::{self, Guest};
use crate::cross;
use crate::ledger::Ledger;
use crate::places::{List, Place};
use crate::process::step;
use crate::selection::Selection;
use crate::test_binaries::{self, TestBinary, emulated};

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this machine, by its name in xtask/backends.toml (`bochs-skylake`)
    #[arg(long, value_name = "NAME")]
    machine: Option<String>,
    /// Only test executables whose name contains this (`sealane/suite`)
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Arguments for the test executables: names of tests, `--skip NAME`, `--exact`, `--nocapture`
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// A place, the backends that are forced there, and parts of the names of tests.
type Run<'a> = (&'a Place, String, Vec<&'static str>);

/// The time limit of a run. Emulation executes about 20 million instructions a second.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut ledger = Ledger::new("emulate");
    let list = List::read()?;
    // Skips the tests that `cross` runs on other models of the same architecture.
    let mut selection = Selection::default();
    list.executed_by("cross").for_each(|(family, backend)| selection.skip(family, backend));
    let is_chosen = |place: &Place| options.machine.as_ref().is_none_or(|name| *name == place.name);
    let mut runs: Vec<Run<'_>> = Vec::new();
    for place in list.places("emulate") {
        // Tests are also selected for machines that are left out, so that the selection for one
        // machine does not depend on the options.
        let of_place = selection.runs(place).into_iter();
        if is_chosen(place) {
            runs.extend(of_place.map(|(backends, tests)| (place, backends, tests.expect("no run is the first"))));
        }
    }
    ensure!(!runs.is_empty(), "no such machine");
    step("tests for emulated machines");
    let mut binaries = cross::tests(list.target(cross::X86_64)?)?;
    let only = options.only.as_deref().unwrap_or_default();
    binaries.retain(|binary| binary.name.contains(only));
    ensure!(!binaries.is_empty(), "no test executable's name contains {only}");

    bochs::prepare()?;
    // All machines run at the same time: each is a process with one thread.
    let results: Vec<_> = std::thread::scope(|scope| {
        let binaries = &binaries;
        let runs: Vec<_> = runs.iter().map(|run| scope.spawn(move || emulate(run, binaries, options))).collect();
        runs.into_iter().map(|run| run.join().expect("a run does not panic")).collect()
    });
    for ((place, ..), exercised) in runs.iter().zip(results) {
        exercised?.iter().for_each(|output| ledger.at(&place.name).read(output));
    }
    if options.only.is_some() || !options.arguments.is_empty() {
        println!("   some tests only: what was exercised is not compared with what must be");
        return Ok(());
    }
    step("what was exercised");
    ledger.close(&list, is_chosen)
}

fn emulate(run: &Run<'_>, binaries: &[TestBinary], options: &Options) -> Result<Vec<String>> {
    let (place, backends, tests) = run;
    let (cpu, detects) = (place.bochs.as_deref().context("the place names no CPU")?, place.detects());
    // One thread: the machine has one CPU, and the output stays in order.
    let chosen = options.arguments.iter().map(String::as_str);
    let tests = if options.arguments.iter().all(|argument| argument.starts_with('-')) { tests.as_slice() } else { &[] };
    // The tests of the vector types run without this filter: nearly all depend on the CPU.
    let guest = |binary: &TestBinary| {
        let tests = if binary.package == "sealane" { tests } else { &[] };
        let arguments = ["--test-threads=1"].into_iter().chain(tests.iter().copied()).chain(chosen.clone());
        Guest {
            name: binary.name.clone(),
            program: binary.path.clone(),
            arguments: arguments.map(Into::into).collect(),
        }
    };
    let guests: Vec<_> = binaries.iter().map(guest).collect();
    let environment = emulated(backends, detects.as_deref());
    let outputs = bochs::run(cpu, &guests, &environment, LIMIT)?;
    // The whole report is printed in one piece, because other machines run at the same time.
    let mut report = format!("== {}: SEALANE_BACKEND={backends}\n", place.name);
    let mut total = 0;
    for (guest, output) in guests.iter().zip(&outputs) {
        let count = test_binaries::passed(&guest.name, output)?;
        writeln!(report, "   {}: {count} passed", guest.name)?;
        if options.arguments.iter().any(|argument| argument == "--nocapture") {
            writeln!(report, "{output}")?;
        }
        total += count;
    }
    ensure!(total > 0, "no test ran");
    println!("{report}   {total} tests passed with SEALANE_BACKEND={backends}");
    Ok(outputs)
}

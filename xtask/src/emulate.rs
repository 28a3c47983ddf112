//! `cargo xtask emulate`: the tests on x86 machines that are not at hand, in Bochs: with AVX-512, IFMA, VAES, VPCLMULQDQ and GFNI; and
//! what detection chooses on these and on older ones.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::bochs::{self, Guest};
use crate::coverage::{Exercised, Ledger};
use crate::cross;
use crate::process::{cache_dir, step};
use crate::test_binaries::{self, Emulated, TestBinary};

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only get the emulator ready
    #[arg(long)]
    prepare: bool,
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

/// Emulation runs about 20 million instructions a second.
const LIMIT: Duration = Duration::from_mins(30);

/// A place of xtask/backends.toml, the model of its CPU, the backends that its tests are to use (those that detection chooses, if none
/// are named), and which tests; all of them if none are named.
struct Run {
    place: &'static str,
    cpu: &'static str,
    backends: Option<&'static str>,
    tests: &'static [&'static str],
}

/// All tests on AVX-512 as it began, and with all later extensions; on these in vectors of 256 bits those of the primitives that have
/// a backend for them. On older machines, what detection chooses, and the known answers.
const RUNS: &[Run] = &[
    Run { place: "bochs-cannon-lake", cpu: bochs::WITH_GFNI, backends: None, tests: &[] },
    Run { place: "bochs-skylake", cpu: bochs::SKYLAKE_X, backends: None, tests: &[] },
    Run {
        place: "bochs-cannon-lake",
        cpu: bochs::WITH_GFNI,
        backends: Some("avx2,gfni,vaes,vpclmulqdq"),
        tests: &["gf8", "shamir", "aes", "haraka", "clmul", "gf2n"],
    },
    Run { place: "bochs-haswell", cpu: bochs::HASWELL, backends: None, tests: DETECTION },
    Run { place: "bochs-penryn", cpu: bochs::PENRYN, backends: None, tests: DETECTION },
];

const DETECTION: &[&str] = &["backend::", "known_answers"];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    if options.prepare {
        bochs::prepare()?;
        println!("   the emulator is ready in {}", cache_dir()?.display());
        return Ok(());
    }
    let mut ledger = Ledger::new("emulate")?;
    let runs = RUNS.iter().filter(|run| options.machine.as_deref().is_none_or(|name| name == run.place));
    let runs: Vec<_> = runs.collect();
    ensure!(!runs.is_empty(), "no such machine");
    step("tests for emulated machines");
    let mut binaries = cross::static_x86_64()?;
    // The references run as they do on this CPU.
    binaries.retain(|binary| binary.package != "sealane-spec");
    if let Some(only) = &options.only {
        binaries.retain(|binary| binary.name.contains(only.as_str()));
        ensure!(!binaries.is_empty(), "no test executable is named like {only}");
    }

    let machine = bochs::prepare()?;
    // Each machine is a process with one thread.
    let results: Vec<_> = std::thread::scope(|scope| {
        let start = |run| {
            let (ledger, machine, binaries) = (&ledger, &machine, &binaries);
            scope.spawn(move || emulate(machine, run, ledger, binaries, options))
        };
        let runs: Vec<_> = runs.iter().map(|run| start(run)).collect();
        runs.into_iter().map(|run| run.join().expect("a run does not panic")).collect()
    });
    for (run, exercised) in runs.iter().zip(results) {
        ledger.add(run.place, exercised?);
    }
    if options.only.is_some() || !options.arguments.is_empty() {
        println!("   some tests only: what was exercised is not compared with what must be");
        return Ok(());
    }
    step("what was exercised");
    ledger.close(options.machine.is_none())
}

fn emulate(
    machine: &bochs::Bochs,
    run: &Run,
    ledger: &Ledger,
    binaries: &[TestBinary],
    options: &Options,
) -> Result<Exercised> {
    let place = ledger.place(run.place)?;
    let (widest, detects) = (place.widest(), place.detects());
    let backends = run.backends.unwrap_or(&widest);
    // One thread: the machine has one CPU, and the output stays in order.
    let chosen = options.arguments.iter().map(String::as_str);
    let tests = if options.arguments.iter().all(|argument| argument.starts_with('-')) { run.tests } else { &[] };
    let arguments = ["--test-threads=1"].into_iter().chain(tests.iter().copied()).chain(chosen);
    let arguments: Vec<_> = arguments.map(Into::into).collect();
    let guests: Vec<_> = binaries
        .iter()
        .map(|binary| Guest { name: binary.name.clone(), program: binary.path.clone(), arguments: arguments.clone() })
        .collect();
    let environment = Emulated { backends, detects: detects.as_deref() }.environment();
    let outputs = machine.run(backends, run.cpu, &guests, &environment, LIMIT)?;
    // In one piece: other machines are running.
    let mut report = format!("== {}, {}: SEALANE_BACKEND={backends}\n", run.place, run.cpu);
    let mut total = 0;
    let mut exercised = Exercised::default();
    for (guest, output) in guests.iter().zip(&outputs) {
        let count = test_binaries::passed(&guest.name, output)?;
        writeln!(report, "   {}: {count} passed", guest.name)?;
        if options.arguments.iter().any(|argument| argument == "--nocapture") {
            writeln!(report, "{output}")?;
        }
        exercised.add(Exercised::read(output));
        total += count;
    }
    ensure!(total > 0, "no test ran");
    println!("{report}   {total} tests passed with SEALANE_BACKEND={backends}");
    Ok(exercised)
}

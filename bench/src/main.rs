//! Compares Sealane with its peers: every primitive, on every backend, at every size, in one run of
//! one process.
//!
//! A row is one implementation: Sealane on one backend, or a peer. Before the rows of a primitive
//! are timed, each row's output is compared with the first row's. Absolute figures drift with the
//! machine's speed, so compare ratios.

mod aead;
mod args;
mod chacha20;
mod crates;
mod element;
mod environment;
mod gf2n;
mod gf8;
mod haraka;
mod harness;
mod peers;
mod pieces;
mod poly1305;
mod report;
mod row;
mod setup;
mod shamir;
mod suites;
mod sweep;
mod targets;
mod timed;
mod verdict;
mod verify;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use sealane_measure::Rounds;
use sealane_simd::CpuClass;
use sealane_workloads::{Benchmark, Code};

use args::Args;
use harness::Suite;
use report::Report;
use timed::Run;

const QUICK_SIZES: [usize; 6] = [64, 256, 1024, 4096, 16384, 65536];
/// Lengths that do not fill the kernels' groups of blocks, for buffers that start `ODD_OFFSET`
/// bytes after a multiple of 64.
const ODD_SIZES: [usize; 9] = [1, 15, 65, 193, 449, 577, 1023, 4097, 16383];
const ODD_OFFSET: usize = 1;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<ExitCode, String> {
    force_class()?;
    if let Some(step) = args.sweep {
        return sweep::run(args, step);
    }
    peers::libsodium::init();
    let notes = peers::openssl_capabilities::check()?;
    let mut suites = suites::selected(args)?;
    let rounds = rounds(args);
    let mut report = Report::new(environment::Environment::read(notes));
    if !args.json {
        report.environment.print();
    }
    for suite in &mut suites {
        suite.verify()?;
        if suite.name == setup::SUITE {
            report.add_setup(setup::measure(suite, &rounds, args.statistic)?, args.json);
            continue;
        }
        for (sizes, offset) in passes(args, suite) {
            report.add(suite.measure(&rounds, &sizes, offset)?, args.statistic, args.json);
        }
    }
    for (family, benchmark) in Benchmark::all().filter(|(_, benchmark)| args.selects(benchmark)) {
        if let (Code::Own(prepare), false) = (&benchmark.code, args.is_about_messages()) {
            let run = Run { family, benchmark, prepare: *prepare, peers: suites::peers(benchmark), args };
            report.timed.extend(run.measure(&rounds)?);
        }
    }
    if args.json {
        report.print_json();
    } else {
        report.print_summary();
    }
    Ok(if args.check && !report.all_met() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns the passes over a suite: for each one, the sizes to measure, and the offset at which the
/// messages start.
fn passes(args: &Args, suite: &Suite) -> Vec<(Vec<usize>, usize)> {
    match &args.sizes {
        Some(sizes) => vec![(sizes.clone(), args.offset)],
        None if suite.batch > 1 => vec![(suite.sizes.clone(), 0)],
        None if args.quick => vec![(QUICK_SIZES.to_vec(), 0)],
        None => vec![(suite.sizes.clone(), 0), (ODD_SIZES.to_vec(), ODD_OFFSET)],
    }
}

/// Returns a plan of many short rounds. On a busy machine most rounds are undisturbed, so the
/// median is too.
fn rounds(args: &Args) -> Rounds {
    // After 512-bit operations some CPUs keep a lower clock for about 0.7 ms.
    let lowers_clock = sealane::Backend::by_name("avx512").is_ok();
    Rounds {
        count: if args.quick { 31 } else { 151 },
        turn: Duration::from_micros(if args.quick { 250 } else { 400 }),
        settle: Duration::from_micros(if lowers_clock { 700 } else { 50 }),
    }
}

/// Forces the class of CPU that `SEALANE_CPU_CLASS` names, as the command `sealane` does.
fn force_class() -> Result<(), String> {
    let Some(name) = std::env::var("SEALANE_CPU_CLASS").ok().filter(|name| !name.is_empty()) else { return Ok(()) };
    let class = CpuClass::ALL.into_iter().find(|class| class.name() == name);
    CpuClass::force(Some(class.ok_or("SEALANE_CPU_CLASS: unknown class")?));
    Ok(())
}

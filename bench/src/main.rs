//! Sealane beside its peers: every primitive, every backend, every size, in one process and run.
//!
//! Absolute figures drift with the machine, so compare ratios. Each row's output is compared with
//! the first row's before anything is timed.

mod aead;
mod batch;
mod buffers;
mod chacha20;
mod element;
mod environment;
mod gf2n;
mod gf8;
mod haraka;
mod harness;
mod peers;
mod poly1305;
mod report;
mod row;
mod setup;
mod shamir;
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

use harness::Suite;
use report::Report;
use row::{Owner, Row};
use verdict::Statistic;

/// Measures Sealane beside its peers, and checks its targets.
#[derive(Parser)]
struct Args {
    /// Only primitives whose name contains this (chacha20, poly1305, seal, open, seal_batch,
    /// open_batch, setup, shamir, gf8, gf2n, haraka, shamir_element)
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// Only peers whose name contains one of these, in any case
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    peer: Option<Vec<String>>,
    /// Only these backends of ours
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    backend: Option<Vec<String>>,
    /// Message sizes in bytes [default: 16 to 1 MiB, then odd ones in unaligned buffers]
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    sizes: Option<Vec<usize>>,
    /// The start of each message of --sizes, in bytes from a multiple of 64
    #[arg(long, value_name = "BYTES", default_value_t = 0, requires = "sizes")]
    offset: usize,
    /// Fewer, shorter rounds and fewer sizes: a rough picture in less than a minute
    #[arg(long)]
    quick: bool,
    /// Measures our code alone, at every STEP-th length to 4,200 bytes and every multiple of 128
    #[arg(long, value_name = "STEP", value_parser = clap::value_parser!(u16).range(1..=128))]
    sweep: Option<u16>,
    /// Draws the sweep as an SVG file
    #[arg(long, value_name = "FILE", requires = "sweep")]
    svg: Option<std::path::PathBuf>,
    /// The figure that ratios are made from
    #[arg(long, value_enum, default_value = "median")]
    statistic: Statistic,
    /// Fails if a target is missed, or with --sweep a length is too slow
    #[arg(long)]
    check: bool,
    /// Prints one JSON document instead of tables
    #[arg(long)]
    json: bool,
}

const SIZES: [usize; 11] = [16, 64, 128, 256, 512, 1024, 1350, 4096, 16384, 65536, 1 << 20];
const QUICK_SIZES: [usize; 6] = [64, 256, 1024, 4096, 16384, 65536];
/// Lengths around those of the kernels' groups, in buffers that begin `ODD_OFFSET` bytes behind a
/// multiple of 64.
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
    let mut suites = suites(args)?;
    let rounds = rounds(args);
    let passes = match &args.sizes {
        Some(sizes) => vec![(sizes.clone(), args.offset)],
        None if args.quick => vec![(QUICK_SIZES.to_vec(), 0)],
        None => vec![(SIZES.to_vec(), 0), (ODD_SIZES.to_vec(), ODD_OFFSET)],
    };
    let mut report = Report::new(environment::Environment::read(notes));
    if !args.json {
        report.environment.print();
    }
    for suite in &mut suites {
        suite.verify()?;
        if suite.name == "setup" {
            report.add_setup(setup::measure(suite, &rounds, args.statistic)?, args.json);
            continue;
        }
        let own_pass = suite.own_sizes.map(|sizes| vec![(sizes.to_vec(), 0)]);
        let passes = if args.sizes.is_some() { &passes } else { own_pass.as_ref().unwrap_or(&passes) };
        for (sizes, offset) in passes {
            report.add(suite.measure(&rounds, sizes, *offset)?, args.statistic, args.json);
        }
    }
    if wants(args, shamir::SUITE) {
        report.timed.extend(shamir::measure(&rounds, args.json)?);
    }
    if wants(args, gf8::SUITE) {
        report.timed.extend(gf8::measure(&rounds, args.json)?);
    }
    if wants(args, gf2n::SUITE) {
        report.timed.extend(gf2n::measure(&rounds, args.json)?);
    }
    if wants(args, haraka::SUITE) {
        report.timed.extend(haraka::measure(&rounds, args.json)?);
    }
    if wants(args, element::SUITE) {
        report.timed.extend(element::measure(&rounds, args.json)?);
    }
    if args.json {
        report.print_json();
    } else {
        report.print_summary();
    }
    Ok(if args.check && !report.all_met() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns many short rounds. On a busy machine most of them are undisturbed, and so is the
/// median.
fn rounds(args: &Args) -> Rounds {
    // After 512-bit operations some CPUs keep a lower clock for about 0.7 ms.
    let lowers_clock = sealane::Backend::by_name("avx512").is_ok();
    Rounds {
        count: if args.quick { 31 } else { 151 },
        turn: Duration::from_micros(if args.quick { 250 } else { 400 }),
        settle: Duration::from_micros(if lowers_clock { 700 } else { 50 }),
    }
}

/// Takes the class of CPUs that `SEALANE_CPU_CLASS` names, as the command does.
fn force_class() -> Result<(), String> {
    let Some(name) = std::env::var("SEALANE_CPU_CLASS").ok().filter(|name| !name.is_empty()) else { return Ok(()) };
    let class = CpuClass::ALL.into_iter().find(|class| class.name() == name);
    CpuClass::force(Some(class.ok_or("SEALANE_CPU_CLASS: unknown class")?));
    Ok(())
}

/// Returns the suites and rows that the arguments select.
fn suites(args: &Args) -> Result<Vec<Suite>, String> {
    for name in args.backend.iter().flatten() {
        sealane::Backend::by_name(name).map_err(|error| format!("backend {name}: {error}"))?;
    }
    let mut suites = vec![
        chacha20::suite(),
        poly1305::suite(),
        aead::seal_suite(),
        aead::open_suite(),
        batch::seal_suite(),
        batch::open_suite(),
        setup::suite(),
    ];
    suites.retain(|suite| args.filter.as_deref().is_none_or(|filter| suite.name.contains(filter)));
    if suites.is_empty() && !OWN_SUITES.iter().any(|suite| wants(args, suite)) {
        return Err("no primitive matches the filter".into());
    }
    for name in args.peer.iter().flatten() {
        let peers = suites.iter().flat_map(|suite| &suite.rows).filter(|row| !row.is_ours());
        if !peers.into_iter().any(|row| matches(&row.name(), name)) {
            return Err(format!("no peer of these primitives is called {name} on this CPU"));
        }
    }
    for suite in &mut suites {
        suite.rows.retain(|row| is_wanted(args, row));
    }
    suites.retain(|suite| !suite.rows.is_empty());
    Ok(suites)
}

/// Suites with their own kind of row, without messages or with several results.
const OWN_SUITES: [&str; 5] = [shamir::SUITE, gf8::SUITE, gf2n::SUITE, haraka::SUITE, element::SUITE];

/// Returns whether the arguments select one of them.
fn wants(args: &Args, suite: &str) -> bool {
    let filtered = args.peer.is_some() || args.backend.is_some() || args.sizes.is_some();
    args.filter.as_deref().map_or(!filtered, |filter| suite.contains(filter))
}

/// Returns whether `name` contains `part`, in any case.
fn matches(name: &str, part: &str) -> bool {
    name.to_lowercase().contains(&part.to_lowercase())
}

fn is_wanted(args: &Args, row: &Row) -> bool {
    match row.owner {
        Owner::Sealane { backend, .. } => {
            args.backend.as_ref().is_none_or(|names| names.iter().any(|name| name == backend.name()))
        }
        Owner::Peer(peer) => args.peer.as_ref().is_none_or(|names| names.iter().any(|name| matches(peer.name(), name))),
    }
}

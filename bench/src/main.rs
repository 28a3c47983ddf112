//! Sealane beside its peers: every primitive, every backend, every size, in one process and run.
//!
//! Absolute figures drift with the machine; the ratios are what counts. Each row's output is compared with the first row's
//! before anything is timed.

mod aead;
mod chacha20;
mod harness;
mod openssl_mac;
mod poly1305;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use harness::Plan;

/// Measures Sealane beside its peers.
#[derive(Parser)]
struct Args {
    /// Only primitives whose name contains this (chacha20, poly1305, seal, open).
    #[arg(long)]
    filter: Option<String>,
    /// Message sizes in bytes, separated by commas.
    #[arg(long, value_delimiter = ',')]
    sizes: Option<Vec<usize>>,
    /// Fewer, shorter rounds: a rough picture in a few seconds.
    #[arg(long)]
    quick: bool,
    /// Prints one JSON document instead of tables.
    #[arg(long)]
    json: bool,
}

const SIZES: [usize; 11] = [16, 64, 128, 256, 512, 1024, 1350, 4096, 16384, 65536, 1 << 20];
const QUICK_SIZES: [usize; 4] = [64, 1024, 16384, 65536];

fn main() -> ExitCode {
    let args = Args::parse();
    let sizes = args.sizes.unwrap_or_else(|| if args.quick { QUICK_SIZES.to_vec() } else { SIZES.to_vec() });
    let plan = if args.quick {
        Plan { rounds: 15, slice: Duration::from_millis(1), sizes }
    } else {
        Plan { rounds: 60, slice: Duration::from_millis(3), sizes }
    };
    let mut suites = vec![chacha20::suite(), poly1305::suite(), aead::seal_suite(), aead::open_suite()];
    suites.retain(|suite| args.filter.as_deref().is_none_or(|filter| suite.name.contains(filter)));
    if suites.is_empty() {
        eprintln!("no primitive matches the filter");
        return ExitCode::FAILURE;
    }
    let environment = report::Environment::read();
    if !args.json {
        environment.print();
    }
    let mut results = Vec::new();
    for suite in &mut suites {
        if let Err(error) = suite.verify() {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
        let result = suite.measure(&plan);
        if !args.json {
            report::print(&result);
        }
        results.push(result);
    }
    if args.json {
        report::print_json(&environment, &results);
    }
    ExitCode::SUCCESS
}

/// The rows of Sealane itself: the backend that it chooses, then each one forced.
fn sealane_rows<R>(row: impl Fn(String, sealane::Backend) -> R) -> Vec<R> {
    let chosen = sealane::Backend::detect();
    let forced = sealane::Backend::available().rev().filter(|&backend| backend != chosen);
    let mut rows = vec![row(format!("sealane ({chosen})"), chosen)];
    rows.extend(forced.map(|backend| row(format!("sealane {backend}, forced"), backend)));
    rows
}

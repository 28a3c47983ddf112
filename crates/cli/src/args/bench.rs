//! The flags of `sealane bench`.

use std::path::PathBuf;

use clap::{Args, Command};
use sealane_workloads::Benchmark;

use super::units::bytes;

/// The largest size in bytes.
const MAX_SIZE: usize = 1 << 30;

/// The measurements to make, and the form of the report.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page with plots to FILE, or with "-" to standard output instead of the tables
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Measure messages, slices and secrets of these sizes: bytes, or with KiB or MiB, up to
    /// 1024MiB
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size)]
    pub(crate) sizes: Vec<usize>,
    /// Measure the benchmarks with NAME in their name, or only the one with exactly this name
    #[arg(long = "filter", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) filters: Vec<String>,
    /// Measure only these backends, which `sealane cpu` lists
    #[arg(long = "backend", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) backends: Vec<String>,
    /// Measure each size of each benchmark on each backend for this many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) time_per_cell: u32,
    /// Print how well each threshold between kernels suits this CPU
    #[arg(long, conflicts_with_all = ["json", "html", "sizes", "filters", "backends"])]
    pub(crate) tune: bool,
}

const NOTES: &str = "\
Without --sizes, each benchmark has its own sizes. --sizes does not apply to Haraka, GF(2^n) and the
sharing of an element.

Each figure is the median of rounds in which the backends take turns. Before the command times a
backend, it compares its output with that of portable code, and the output of portable code with
known answers. It fails if they differ, or if a time is too short for any CPU. One GB/s is 10^9
bytes a second. Cycles are cycles of the core's clock, which is measured between the rounds.

docs/bench.md describes the fields of the JSON.

Environment:
  SEALANE_BACKEND    The backends to measure, unless --backend names some";

pub(super) fn command(base: Command) -> Command {
    let benchmarks = Benchmark::all().map(|(_, benchmark)| format!("  {:28} {}\n", benchmark.name, benchmark.what));
    BenchArgs::augment_args(base).after_help(format!("Benchmarks:\n{}\n{NOTES}", benchmarks.collect::<String>()))
}

/// Parses the size of a message, from 1 to [`MAX_SIZE`] bytes.
fn size(text: &str) -> Result<usize, String> {
    match usize::try_from(bytes(text)?) {
        Ok(0) => Err("an empty message has no throughput".into()),
        Ok(size) if size <= MAX_SIZE => Ok(size),
        _ => Err("more than 1024MiB".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let good = [("1", 1), ("1350", 1350), ("16KiB", 16384), ("2 k", 2048), ("3MiB", 3 << 20), ("1024m", 1 << 30)];
        for (text, expected) in good {
            assert_eq!(size(text), Ok(expected), "{text}");
        }
        for text in
            ["", "0", "0KiB", "-1", "1.5KiB", "KiB", "12GB", "1025MiB", "99999999999999999999", "17179869184MiB"]
        {
            assert!(size(text).is_err(), "{text}");
        }
    }
}

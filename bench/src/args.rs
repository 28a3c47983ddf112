//! The command line.

use clap::Parser;
use sealane_workloads::Benchmark;

use crate::verdict::Statistic;

/// Measures Sealane beside its peers, and checks its targets.
#[derive(Parser)]
pub struct Args {
    /// Only benchmarks whose name contains this, or the one with exactly this name. `setup` is the
    /// cost of a new key
    #[arg(long, value_name = "NAME")]
    pub filter: Option<String>,
    /// Only peers whose name contains one of these, in any case
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub peer: Option<Vec<String>>,
    /// Only these backends of ours
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub backend: Option<Vec<String>>,
    /// Sizes of messages, slices and secrets in bytes [default: the table's sizes, then odd sizes
    /// in unaligned buffers]
    #[arg(long, value_name = "BYTES", value_delimiter = ',')]
    pub sizes: Option<Vec<usize>>,
    /// The start of each message of --sizes, in bytes from a multiple of 64
    #[arg(long, value_name = "BYTES", default_value_t = 0, requires = "sizes")]
    pub offset: usize,
    /// Fewer, shorter rounds and fewer sizes: a rough picture in less than a minute
    #[arg(long)]
    pub quick: bool,
    /// Measures our code alone, at every STEP-th length to 4,200 bytes and every multiple of 128
    #[arg(long, value_name = "STEP", value_parser = clap::value_parser!(u16).range(1..=128))]
    pub sweep: Option<u16>,
    /// Saves the times of the sweep as JSON, for `cargo xtask figures`
    #[arg(long, value_name = "FILE", requires = "sweep")]
    pub save: Option<std::path::PathBuf>,
    /// The figure that ratios are made from
    #[arg(long, value_enum, default_value = "median")]
    pub statistic: Statistic,
    /// Fails if a target is missed, or with --sweep a length is too slow
    #[arg(long)]
    pub check: bool,
    /// Prints one JSON document instead of tables
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// Returns whether the filter selects a benchmark.
    pub fn selects(&self, benchmark: &Benchmark) -> bool {
        self.filter.as_deref().is_none_or(|filter| benchmark.matches(filter))
    }

    /// Returns whether the filter selects a suite of this name, for suites that are not in the
    /// table of benchmarks.
    pub fn selects_name(&self, name: &str) -> bool {
        self.filter.as_deref().is_none_or(|filter| name.contains(filter))
    }

    /// Returns whether to leave out the benchmarks with their own inputs: without a filter,
    /// `--peer`, `--backend` and `--sizes` are about messages only.
    pub fn is_about_messages(&self) -> bool {
        self.filter.is_none() && (self.peer.is_some() || self.backend.is_some() || self.sizes.is_some())
    }

    /// Returns whether the arguments select a backend of ours.
    pub fn wants_backend(&self, backend: &str) -> bool {
        self.backend.as_ref().is_none_or(|names| names.iter().any(|name| name == backend))
    }

    /// Returns whether the arguments select a peer.
    pub fn wants_peer(&self, peer: &str) -> bool {
        self.peer.as_ref().is_none_or(|names| names.iter().any(|name| contains(peer, name)))
    }
}

/// Returns whether `name` contains `part`, ignoring case.
pub fn contains(name: &str, part: &str) -> bool {
    name.to_lowercase().contains(&part.to_lowercase())
}

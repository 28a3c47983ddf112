//! The flags of `sealane bench`.

use std::path::PathBuf;

use clap::{Args, Command};

use super::units::bytes;

/// Sizes in bytes: those of small packets, Ethernet frames, TLS records, pages and files.
pub(crate) const DEFAULT_SIZES: &str = "16,64,128,256,512,1024,1350,4096,16384,65536,1MiB";

/// The largest size in bytes.
const MAX_SIZE: usize = 1 << 30;

/// The measurements to make, and the form of the report.
#[derive(Args, Debug)]
pub(crate) struct BenchArgs {
    /// Print JSON instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page with plots to FILE, replacing it at success; "-" is standard output, without the tables
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Sizes of messages in bytes, or with KiB or MiB, up to 1024MiB
    #[arg(long, value_name = "SIZE,…", value_delimiter = ',', value_parser = size, default_value = DEFAULT_SIZES)]
    pub(crate) sizes: Vec<usize>,
    /// Measure what has NAME in its name, or is called exactly NAME (see below)
    #[arg(long = "filter", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) filters: Vec<String>,
    /// Measure these backends only, of those that `sealane cpu` lists as supported
    #[arg(long = "backend", value_name = "NAME,…", value_delimiter = ',')]
    pub(crate) backends: Vec<String>,
    /// How long to measure one size of one primitive on one backend, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(crate) time_per_cell: u32,
}

const NOTES: &str = "\
What can be measured:
  chacha20                   encryption in place, a new nonce for each message
  poly1305                   the tag of a message, a new key object for each
  chacha20poly1305-seal      in place, 13 bytes of associated data, a new nonce for each message
  chacha20poly1305-open      from one buffer into another
  xchacha20poly1305-seal     as seal, with a nonce of 192 bits and its key derivation

A figure is the median of rounds in which the backends take turns. Before a backend is timed on
a size, its output is compared with the scalar backend's, and that with known answers; if they
differ, the command fails, as it does for a time that no CPU reaches. GB/s are 10^9 bytes a
second. Cycles are those of the core's clock, measured between the rounds by operations that
depend on each other and take one cycle each.

The fields of the JSON are described in docs/bench.md.

Environment:
  SEALANE_BACKEND    the backend to measure, where --backend names none";

pub(super) fn command(base: Command) -> Command {
    BenchArgs::augment_args(base).after_help(NOTES)
}

/// A length of a message.
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

//! Compares the command `sealane` with age, rage and `cp`, as whole processes that take turns. For
//! many small files, compares our library with rage's.
//!
//! The speed of the machine drifts, so compare only ratios from the same run.

mod cases;
mod process;
mod report;
mod small;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;

use cases::{CASES, Place};
use report::Report;
use tools::Tools;

/// Measures whole files: wall time, time on the CPU, memory.
#[derive(Parser)]
struct Args {
    /// The size of the file in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    size: u64,
    /// Runs of each case; figures are medians
    #[arg(long, value_name = "N", default_value_t = 7)]
    rounds: usize,
    /// The folder for the files, which should be in memory, so that no disk is measured. Needs
    /// three times the size
    #[arg(long, value_name = "DIR", default_value = "/dev/shm")]
    dir: PathBuf,
    /// Only cases whose name contains NAME
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,
    /// The number of small files of 1 KiB that the libraries seal and open
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    small: usize,
    /// Fails if a target is missed
    #[arg(long)]
    check: bool,
    /// Prints one JSON document instead of tables
    #[arg(long)]
    json: bool,
    /// Runs a command, and prints its resources (this program starts itself with this option)
    #[arg(long, hide = true, num_args = 1.., allow_hyphen_values = true)]
    measure: Option<Vec<String>>,
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if let Some(command) = &args.measure {
        return process::measure(command);
    }
    let tools = Tools::find()?;
    let place = Place::new(&args.dir, args.size << 20, &tools).context("cannot make the files to measure with")?;
    let mut report = Report::new(&tools, args.size);
    let wanted = |name: &str| args.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));
    for case in CASES.iter().filter(|case| wanted(case.name)) {
        eprintln!("{}", case.name);
        for round in 0..args.rounds {
            // Each round starts with a different program.
            let count = case.rows.len();
            for row in (0..count).map(|i| &case.rows[(i + round) % count]) {
                let usage = place.run(case, row).with_context(|| format!("{}: {}", case.name, row.name))?;
                // The first round only fills the caches.
                if round > 0 || args.rounds == 1 {
                    report.add(case.name, row.name, usage);
                }
            }
        }
    }
    if wanted(report::SMALL_FILES) {
        eprintln!("{}", report::SMALL_FILES);
        small::run(args.small, args.rounds, &mut report)?;
    }
    let all_reached = report.print(args.json)?;
    Ok(if args.check && !all_reached { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

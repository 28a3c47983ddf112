//! `cargo xtask instructions`: counts the instructions of each operation exactly, with callgrind,
//! and compares them with the limits in xtask/instruction-limits.toml. Times would need an idle
//! machine; counts need only the same compiler.

mod callgrind;
mod counts;
mod limits;

use std::process::Command;

use anyhow::{Result, ensure};

use crate::probe;
use crate::process::{self, step};
use counts::Counts;
use limits::{Limits, change};

const LIMITS: &str = "xtask/instruction-limits.toml";

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only cases whose name contains this ("seal", "avx2 open", "scalar chacha20 64")
    #[arg(long, value_name = "FILTER", default_value = "", conflicts_with = "bless")]
    case: String,
    /// Make the counts the new limits
    #[arg(long)]
    bless: bool,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "the limits are for x86-64 code: run this on an x86-64 machine");
    step("instruction counts (callgrind)");
    // The counts depend on the version of the compiler.
    let compiler = process::output(Command::new("rustc").arg("--version"))?.trim().to_owned();
    let program = probe::build("x86_64")?;
    let mut counts = callgrind::measure(&program)?;
    if options.bless {
        let again = callgrind::measure(&program)?;
        ensure!(again == counts, "a second run gave other counts, so they do not depend on the program alone");
        process::write(LIMITS, Limits::of_counts(&counts, &compiler).text(&process::read(LIMITS)?))?;
        println!("   {} counts are the limits now: {LIMITS}", counts.len());
        return Ok(());
    }
    let limits: Limits = process::read_toml(LIMITS)?;
    counts.retain(|case, _| case.to_string().contains(&options.case));
    ensure!(
        !counts.is_empty(),
        "no case has {:?} in its name; without --case, the command lists all cases",
        options.case
    );
    print_table(&counts, &limits);
    let complaints = limits.judge(&counts, &compiler, options.case.is_empty());
    ensure!(
        complaints.is_empty(),
        "{LIMITS} does not agree:\n  - {}\nThe limits were counted with {}, and this is {compiler}.",
        complaints.join("\n  - "),
        limits.compiler
    );
    println!("   {} counts are within their limits", counts.len());
    Ok(())
}

fn print_table(counts: &Counts, limits: &Limits) {
    println!("   backend    operation                     size  instructions  per byte     limit   change");
    for (case, count) in counts {
        let per_byte = count.instructions as f64 / count.bytes as f64;
        print!(
            "   {:<9}  {:<23}  {:>9}  {:>12}  {per_byte:>8.3}",
            case.backend, case.operation, case.size, count.instructions
        );
        match limits.of(case) {
            Some(limit) => println!("  {limit:>8}  {:>+5.1} %", change(count.instructions, limit)),
            None => println!("         -"),
        }
    }
}

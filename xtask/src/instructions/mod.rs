//! `cargo xtask instructions`: counts the instructions of each operation exactly, with callgrind,
//! and compares them with the limits in xtask/instruction-limits.toml. Times would need an idle
//! machine; counts need only the same compiler.

mod callgrind;
mod limits;

use std::process::Command;

use anyhow::{Result, ensure};

use crate::probe;
use crate::process::{self, step};
use limits::{Counts, Limits, cases, change};

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
        let limits = Limits { compiler, limit: counts };
        process::write(LIMITS, limits.text(&process::read(LIMITS)?))?;
        println!("   {} counts are the limits now: {LIMITS}", cases(&limits.limit).count());
        return Ok(());
    }
    let limits: Limits = process::read_toml(LIMITS)?;
    for (name, sizes) in &mut counts {
        sizes.retain(|size, _| format!("{name} {size}").contains(&options.case));
    }
    ensure!(
        cases(&counts).next().is_some(),
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
    println!("   {} counts are within their limits", cases(&counts).count());
    Ok(())
}

fn print_table(counts: &Counts, limits: &Limits) {
    println!("   case                                   size  instructions     limit   change");
    for (name, size, count) in cases(counts) {
        print!("   {name:<33}  {size:>8}  {count:>12}");
        match limits.of(name, size) {
            Some(limit) => println!("  {limit:>8}  {:>+5.1} %", change(count, limit)),
            None => println!("         -"),
        }
    }
}

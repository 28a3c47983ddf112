//! `cargo xtask asm`: the assembly gate. Disassembles the kernels of a release build and compares
//! their hot loops with the limits in xtask/asm-limits-*.toml. docs/dispatch.md gives the reasons.

mod architecture;
mod disassembly;
mod kernels;
mod limits;
mod loops;
pub(crate) mod models;
mod served;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use clap::ValueEnum as _;

use crate::probe;
use crate::process::{self, step};
use architecture::Architecture;
use disassembly::Function;
use kernels::Found;
use limits::Limits;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this architecture
    #[arg(long, value_name = "NAME")]
    architecture: Option<Architecture>,
    /// Also print the instructions of the loops of this kernel ("chacha20 vertical")
    #[arg(long, value_name = "KERNEL")]
    print: Option<String>,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut complaints = Vec::new();
    for architecture in Architecture::value_variants() {
        if options.architecture.is_none_or(|chosen| chosen == *architecture) {
            step(&format!("assembly gate, {}", architecture.name()));
            complaints.extend(judge(*architecture, options)?);
        }
    }
    if options.architecture.is_none_or(|chosen| chosen == Architecture::X86_64) {
        step("assembly gate, x86_64, with cargo's default profile");
        complaints.extend(judge_default_profile()?);
    }
    ensure!(complaints.is_empty(), "the assembly gate found:\n  - {}", complaints.join("\n  - "));
    Ok(())
}

/// Prints the loops of one architecture and returns their errors.
fn judge(architecture: Architecture, options: &Options) -> Result<Vec<String>> {
    let functions = disassemble(architecture, &probe::build(architecture.name())?)?;
    let limits = limits_for(architecture)?;
    let found = kernels::find(architecture, &functions);
    print_table(&found);
    for Found { backend, kernel, function, body, .. } in &found {
        if options.print.as_deref() == Some(kernel) {
            println!("\n# {backend} {kernel} in {function}\n.Lloop:\n{}", architecture.listing(body));
        }
    }
    let mut complaints = limits.judge(&found);
    complaints.extend(kernels::lost_inlining(&functions));
    complaints.extend(served::unknown_symbols(&functions));
    if complaints.is_empty() {
        println!("   {} hot loops are within their limits", found.len());
    }
    Ok(complaints)
}

fn limits_for(architecture: Architecture) -> Result<Limits> {
    process::read_toml(format!("xtask/asm-limits-{}.toml", architecture.name()))
}

/// Returns the calls in loops of kernels that were built with cargo's default profile, which most
/// programs have, and the kernels that have no loop. The numbers in the limits are for the release
/// profile of this workspace.
fn judge_default_profile() -> Result<Vec<String>> {
    let functions = disassemble(Architecture::X86_64, &probe::build_in_units(Architecture::X86_64.name())?)?;
    let found = kernels::find(Architecture::X86_64, &functions);
    println!("   {} hot loops are searched for calls and divisions", found.len());
    let absent = limits_for(Architecture::X86_64)?.absent(&found);
    Ok([absent, limits::calls_and_divisions(&found), kernels::lost_inlining(&functions)].concat())
}

/// Returns the functions of a program that calls every kernel.
fn disassemble(architecture: Architecture, program: &Path) -> Result<Vec<Function>> {
    let (objdump, package) = match architecture {
        // The machine's own binutils may not support other architectures.
        Architecture::X86_64 if cfg!(target_arch = "x86_64") => ("objdump", "binutils"),
        Architecture::X86_64 => ("x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu"),
        Architecture::AArch64 => ("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"),
    };
    let objdump = process::tool(objdump, package)?;
    let dump = |arguments: &[&str]| process::output(Command::new(&objdump).args(arguments).arg(program));
    let text = dump(&["--disassemble", "--no-show-raw-insn", "--wide", "--section=.text"])?;
    let mut functions = disassembly::parse(&text)?;
    disassembly::resolve_pointers(&mut functions, &dump(&["--dynamic-reloc"])?);
    Ok(functions)
}

fn print_table(found: &[Found]) {
    println!("   backend       kernel                  units  blocks  instructions  stack  calls  instances");
    let mut rows = BTreeMap::<String, usize>::new();
    for Found { backend, kernel, work, count, .. } in found {
        let row = format!(
            "   {backend:<13} {kernel:<23} {:>5}  {:>6}  {:>12}  {:>5}  {:>5}",
            work.units, work.interleaved_blocks, count.instructions, count.stack, count.calls
        );
        *rows.entry(row).or_default() += 1;
    }
    rows.iter().for_each(|(row, instances)| println!("{row}  {instances:>9}"));
}

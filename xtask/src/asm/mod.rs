//! `cargo xtask asm`: the assembly gate. Disassembles the kernels of a release build and compares
//! their hot loops with the limits in xtask/asm-limits-*.toml. docs/dispatch.md gives the reasons.

mod architecture;
mod disassembly;
mod kernels;
mod limits;
mod loops;
mod served;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};
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
    /// Disassemble this program instead of building one (with symbols mangled as v0)
    #[arg(long, value_name = "FILE", requires = "architecture")]
    program: Option<PathBuf>,
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
    if complaints.is_empty() {
        return Ok(());
    }
    bail!("the assembly gate found:\n  - {}", complaints.join("\n  - "))
}

/// Prints the loops of one architecture and returns their errors.
fn judge(architecture: Architecture, options: &Options) -> Result<Vec<String>> {
    let functions = disassemble(architecture, options.program.as_deref())?;
    let limits: Limits = process::read_toml(format!("xtask/asm-limits-{}.toml", architecture.name()))?;
    let found = kernels::find(architecture, &functions);
    print_table(&found, &limits);
    if let Some(kernel) = &options.print {
        print_loops(architecture, &found, kernel);
    }
    let mut complaints = limits.judge(&found);
    complaints.extend(kernels::lost_inlining(&functions));
    if complaints.is_empty() {
        println!("   {} hot loops are within their limits", found.len());
    }
    Ok(complaints)
}

/// Returns the functions of this program, or of the one that calls every kernel.
fn disassemble(architecture: Architecture, program: Option<&Path>) -> Result<Vec<Function>> {
    let (program_name, package) = match architecture {
        // The machine's own binutils may not support other architectures.
        Architecture::X86_64 if cfg!(target_arch = "x86_64") => ("objdump", "binutils"),
        Architecture::X86_64 => ("x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu"),
        Architecture::AArch64 => ("aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu"),
    };
    let objdump = process::tool(program_name, package)?;
    let program = match program {
        Some(program) => program.to_path_buf(),
        None => probe::build(architecture.name())?,
    };
    let dump = |arguments: &[&str]| -> Result<String> {
        process::output(Command::new(&objdump).args(arguments).arg(&program))
    };
    let text = dump(&["--disassemble", "--no-show-raw-insn", "--wide", "--section=.text"])?;
    let mut functions = disassembly::parse(&text)?;
    disassembly::resolve_pointers(&mut functions, &dump(&["--dynamic-reloc"])?);
    Ok(functions)
}

fn print_table(found: &[Found], limits: &Limits) {
    println!("   backend       kernel                  units  blocks  instructions  stack  calls  instances");
    let mut rows: Vec<(String, usize)> = Vec::new();
    for loop_ in found {
        let Found { backend, kernel, work, count, .. } = loop_;
        let row = format!(
            "   {backend:<13} {kernel:<23} {:>5}  {:>6}  {:>12}  {:>5}  {:>5}",
            work.units, work.blocks_beside, count.instructions, count.stack, count.calls
        );
        match rows.iter_mut().find(|(text, _)| *text == row) {
            Some((_, instances)) => *instances += 1,
            None => rows.push((row, 1)),
        }
    }
    rows.sort();
    for (row, instances) in rows {
        println!("{row}  {instances:>9}");
    }
    println!("   at most per unit, and per block beside; room: what a turn of the worst loop could have more");
    println!("   backend       kernel                  instructions  a block  stack  room for instructions  stack");
    for limit in limits.all() {
        print!(
            "   {:<13} {:<23} {:>12}  {:>7}  {:>5}",
            limit.backend, limit.kernel, limit.instructions, limit.block_instructions, limit.stack
        );
        match limit.room(found) {
            Some((instructions, stack)) => println!("  {instructions:>21}  {stack:>5}"),
            None => println!("  no such loop"),
        }
    }
}

/// Prints loops as assembly code that llvm-mca accepts: jumps go to a label.
fn print_loops(architecture: Architecture, found: &[Found], kernel: &str) {
    for loop_ in found.iter().filter(|found| found.kernel == kernel) {
        println!("\n# {} {} in {}\n.Lloop:", loop_.backend, loop_.kernel, loop_.function);
        for instruction in loop_.body {
            let operands = instruction.operands.split("# ").next().unwrap_or_default().trim_end();
            let operands = match (architecture.jump_target(instruction), operands.rsplit_once(", ")) {
                (None, _) => operands.to_owned(),
                (Some(_), Some((tested, _))) => format!("{tested}, .Lloop"),
                (Some(_), None) => ".Lloop".to_owned(),
            };
            println!("\t{} {operands}", instruction.mnemonic);
        }
    }
}

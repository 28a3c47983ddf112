//! Repository chores: `cargo xtask`. What each proves is in docs/verification.md.
#![forbid(unsafe_code)]

mod asm;
mod avx512;
mod backends;
mod bochs;
mod constant_time;
mod cross;
mod instructions;
mod interop;
mod large_file;
mod no_std;
mod process;
mod test_binaries;
mod toolchain;
mod x86_levels;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Checks that need more than `cargo test`", max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Disassemble the kernels and hold their hot loops to xtask/asm-limits.toml
    Asm(asm::Options),
    /// Estimate the kernels' hot loops with static models of CPUs (llvm-mca)
    Mca(asm::mca::Options),
    /// Count the instructions of every operation (callgrind) and hold them to xtask/instruction-limits.toml
    Instructions(instructions::Options),
    /// Follow secrets through every primitive's machine code (valgrind)
    ConstantTime,
    /// Run the tests once per x86 backend, in an emulator where this CPU lacks the instructions
    Backends,
    /// Run the tests and the command on x86 CPUs older than AVX2 and on one with it (qemu-user)
    X86Levels(x86_levels::Options),
    /// Run the tests on AVX-512, on this CPU or in Bochs
    Avx512(avx512::Options),
    /// Run the tests on AArch64, 32-bit x86 and a big-endian machine (qemu-user)
    Cross(cross::Options),
    /// Exchange files with age and rage, and shares with ssss, shamir-mnemonic and Vault's package
    Interop(interop::Options),
    /// Send 4 GiB through the command, measure its memory, and open the result with age
    LargeFile,
    /// Build the primitives for targets that have no std
    NoStd,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    std::env::set_current_dir(process::workspace_root())?;
    match Arguments::parse().chore {
        Chore::Asm(options) => asm::run(&options),
        Chore::Mca(options) => asm::mca::run(&options),
        Chore::Instructions(options) => instructions::run(&options),
        Chore::ConstantTime => constant_time::run(),
        Chore::Backends => backends::run(),
        Chore::X86Levels(options) => x86_levels::run(&options),
        Chore::Avx512(options) => avx512::run(&options),
        Chore::Cross(options) => cross::run(&options),
        Chore::Interop(options) => interop::run(&options),
        Chore::LargeFile => large_file::run(),
        Chore::NoStd => no_std::run(),
    }
}

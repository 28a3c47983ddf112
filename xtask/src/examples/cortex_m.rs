//! The program for a microcontroller: builds it, runs it in an emulator, and measures its memory.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, step};
use crate::toolchain;

/// The emulated machine has a Cortex-M3.
pub(super) const TARGET: &str = "thumbv7m-none-eabi";
const MANIFEST: &str = "examples/cortex-m/Cargo.toml";

/// The most bytes of flash: code, constants, and the first values of variables.
const MAX_FLASH: u64 = 90_000;
/// The most bytes of RAM: variables, and the deepest stack.
const MAX_RAM: u64 = 20_000;
/// The most bytes of stack that a step takes, by the end of its line of output.
const MAX_STACK: &[(&str, u64)] = &[
    ("the known-answer tests of the cipher", 5000),
    ("sealing and opening", 8000),
    ("the known-answer tests of secret sharing", 19_500),
    ("splitting and recovering", 6000),
];

/// Builds and runs the program. Fails if a result is wrong, or if it needs more memory than it may.
pub(super) fn run() -> Result<()> {
    let emulator = process::tool("qemu-system-arm", "qemu-system-arm")?;
    step("examples/cortex-m: format, clippy");
    let mut format = process::cargo();
    process::run(format.args(["fmt", "--manifest-path", MANIFEST, "--check"]))?;
    cargo("clippy", &["--", "-D", "warnings"])?;
    step("examples/cortex-m: 32 KB of RAM in qemu-system-arm");
    cargo("build", &[])?;
    let program = program();
    let memory = Memory::of(&program)?;

    let mut command = Command::new("timeout");
    command.arg("120").arg(emulator).args(["-machine", "lm3s6965evb", "-nographic", "-monitor", "none"]);
    command.args(["-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel"]).arg(&program);
    let output = process::output(&mut command)?;
    print!("{output}");
    let deepest = deepest_stack(&output)?;
    let (flash, ram) = (memory.flash, memory.variables + deepest);
    println!("flash: {flash} bytes (at most {MAX_FLASH}); RAM: {ram} bytes (at most {MAX_RAM})");
    ensure!(flash <= MAX_FLASH && ram <= MAX_RAM, "the program needs more memory than it may");
    Ok(())
}

/// Returns the program that [`run`] builds.
fn program() -> PathBuf {
    target_dir().join(TARGET).join("release/cortex-m")
}

fn target_dir() -> PathBuf {
    process::target_dir().join("cortex-m")
}

fn cargo(subcommand: &str, arguments: &[&str]) -> Result<()> {
    let toolchain = toolchain::for_target(TARGET, "core")?;
    let mut command = process::cargo();
    command.args([subcommand, "--release", "--locked", "--manifest-path", MANIFEST, "--target", TARGET]);
    command.args(arguments).env("CARGO_TARGET_DIR", target_dir()).envs(toolchain.variables);
    process::run(&mut command)
}

/// Returns the deepest stack of all steps, each of which must keep its limit.
fn deepest_stack(output: &str) -> Result<u64> {
    let mut deepest = 0;
    for (name, limit) in MAX_STACK {
        let line = output.lines().find_map(|line| line.strip_suffix(name)?.strip_prefix("stack: "));
        let bytes = line.and_then(|line| line.split(' ').next()?.parse().ok());
        let bytes: u64 = bytes.with_context(|| format!("no line about {name:?}"))?;
        ensure!(bytes <= *limit, "{name}: {bytes} bytes of stack, which are more than {limit}");
        deepest = deepest.max(bytes);
    }
    let measured = output.lines().filter(|line| line.starts_with("stack: ")).count();
    ensure!(measured == MAX_STACK.len(), "{measured} steps, and limits for {}", MAX_STACK.len());
    Ok(deepest)
}

/// What a program takes before it runs.
struct Memory {
    flash: u64,
    variables: u64,
}

impl Memory {
    /// Returns the sums of binutils' `size`, which reads the files of all architectures.
    fn of(program: &Path) -> Result<Self> {
        let size = process::tool("size", "binutils")?;
        let table = process::output(Command::new(size).arg(program))?;
        let numbers: Vec<u64> =
            table.lines().nth(1).unwrap_or_default().split_whitespace().map_while(|n| n.parse().ok()).collect();
        let [text, data, bss, ..] = numbers[..] else { bail!("`size` printed {table:?}") };
        Ok(Self { flash: text + data, variables: data + bss })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(bytes: u64) -> String {
        MAX_STACK.iter().map(|(name, _)| format!("stack: {bytes} bytes, 24 of them before: {name}\n")).collect()
    }

    #[test]
    fn the_deepest_step_counts_and_each_has_a_limit() {
        assert_eq!(deepest_stack(&output(100)).unwrap(), 100);
        assert!(deepest_stack(&output(5001)).is_err(), "above the limit of one step");
        assert!(deepest_stack(&(output(100) + "stack: 7 bytes, 2 of them before: another\n")).is_err());
        assert!(deepest_stack(output(100).trim_end().trim_end_matches("recovering")).is_err(), "a step is missing");
    }
}

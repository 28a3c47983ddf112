//! `cargo xtask mca`: estimates the cycles per byte of the hot loops for AVX-512 with llvm-mca's
//! models of CPUs. The table also has the loops of OpenSSL and of Intel's ipsec-mb. They come from
//! the static archives in Debian's packages. The repository has no copy of these loops.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::architecture::Architecture;
use super::disassembly::{self, Instruction};
use super::kernels::{self, Work};
use super::loops::{Code, innermost};
use crate::probe;
use crate::process::{self, step};

/// The CPUs, by the names of LLVM.
const CPUS: [&str; 5] = ["znver4", "znver5", "skylake-avx512", "icelake-server", "sapphirerapids"];
const ITERATIONS: usize = 200;
/// Double rounds of a block.
const DOUBLE_ROUNDS: usize = 10;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The program; only LLVM 21 and later have a model of Zen 5
    #[arg(long, value_name = "PROGRAM", default_value = "llvm-mca")]
    llvm_mca: PathBuf,
    /// The folder with libcrypto.a and libIPSec_MB.a
    #[arg(long, value_name = "DIR", default_value = "/usr/lib/x86_64-linux-gnu")]
    libraries: PathBuf,
}

/// A loop of Sealane or of another library, in the table.
struct Modelled {
    primitive: &'static str,
    name: String,
    /// The number of message bytes that one iteration processes. If the iteration does only a part
    /// of the work, such as one of ten double rounds, the same part of the bytes counts.
    bytes: f64,
    listing: String,
}

/// Sealane's kernels in the table: kernel, units in an iteration, and name in the table.
const OURS: [(&str, usize, &str); 8] = [
    ("chacha20 horizontal", 1, "Sealane, a set"),
    ("chacha20 vertical", 1, "Sealane, a group"),
    ("chacha20 vertical", 2, "Sealane, a pair"),
    ("poly1305 limbs52 rows", 2, "Sealane, IFMA, two rows"),
    ("poly1305 limbs52 rows", 4, "Sealane, IFMA, four rows"),
    ("poly1305 limbs52 many", 4, "Sealane, IFMA, a message in each lane"),
    ("poly1305 row by row", 2, "Sealane, AVX-512, two rows"),
    ("poly1305 rows", 1, "Sealane, AVX-512, table"),
];

/// The loops of other libraries: archive, member of the archive, and name of the library.
const PEERS: [(&str, &str, &str); 5] = [
    ("libcrypto.a", "libcrypto-lib-chacha-x86_64.o", "OpenSSL"),
    ("libIPSec_MB.a", "chacha20_avx512.o", "ipsec-mb"),
    ("libcrypto.a", "libcrypto-lib-poly1305-x86_64.o", "OpenSSL"),
    ("libIPSec_MB.a", "poly_fma_avx512.o", "ipsec-mb"),
    ("libIPSec_MB.a", "poly_avx512.o", "ipsec-mb"),
];

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    step("models of the hot loops, cycles a byte");
    let mut loops = ours()?;
    for (archive, member, library) in PEERS {
        loops.extend(of_library(&options.libraries.join(archive), member, library)?);
    }
    // By primitive, ours before others.
    loops.sort_by_key(|found| found.primitive);
    println!("| primitive | loop | {} |", CPUS.join(" | "));
    println!("|---|---|{}", "---|".repeat(CPUS.len()));
    for found in &loops {
        let cycles: Vec<_> =
            CPUS.iter().map(|cpu| found.cycles_per_byte(&options.llvm_mca, cpu)).collect::<Result<_>>()?;
        let cells: Vec<_> = cycles.iter().map(|cycles| format!("{cycles:.3}")).collect();
        println!("| {} | {} | {} |", found.primitive, found.name, cells.join(" | "));
    }
    Ok(())
}

/// Returns our loops, from the probe program.
fn ours() -> Result<Vec<Modelled>> {
    let functions = super::disassemble(Architecture::X86_64, &probe::build(Architecture::X86_64.name())?)?;
    let found = kernels::find(Architecture::X86_64, &functions);
    let mut loops = Vec::new();
    for (kernel, units, name) in OURS {
        // The shortest of several matching loops is taken: in some functions, the loop also has
        // other instructions.
        let matches = found.iter().filter(|f| f.kernel == kernel && f.work.units == units && is_wide(f.body));
        let shortest = matches.min_by_key(|f| f.count.instructions);
        let shortest = shortest.with_context(|| format!("no loop is {kernel} with {units} units"))?;
        let (primitive, bytes) = bytes(kernel, shortest.work).expect("a kernel of ChaCha20 or Poly1305");
        loops.push(Modelled { primitive, name: name.into(), bytes, listing: listing(shortest.body) });
    }
    Ok(loops)
}

/// Returns the loops on vectors of 512 bits in a member of an archive.
fn of_library(archive: &Path, member: &str, library: &str) -> Result<Vec<Modelled>> {
    ensure!(
        archive.is_file(),
        "{} is missing. On Debian or Ubuntu: apt-get install libssl-dev libipsec-mb-dev",
        archive.display()
    );
    let folder = process::empty_folder("mca")?;
    process::run(
        Command::new(process::tool("ar", "binutils")?).arg("x").arg(archive).arg(member).current_dir(&folder),
    )?;
    let objdump = process::tool("objdump", "binutils")?;
    let arguments = ["--disassemble", "--no-show-raw-insn", "--wide"];
    let text = process::output(Command::new(objdump).args(arguments).arg(folder.join(member)))?;
    let mut loops: Vec<Modelled> = Vec::new();
    for function in &disassembly::parse(&text)? {
        for body in innermost(Architecture::X86_64, function) {
            let Some((primitive, what, bytes)) = known(body) else { continue };
            let name = format!("{library}, {what}");
            // ipsec-mb has copies of a loop to encrypt, to decrypt and for key stream.
            if loops.iter().all(|other| other.name != name) {
                loops.push(Modelled { primitive, name, bytes, listing: listing(body) });
            }
        }
    }
    ensure!(!loops.is_empty(), "{}: {member} has no known loop", archive.display());
    Ok(loops)
}

/// Returns the primitive of a library's loop, its name, and the bytes of an iteration.
fn known(body: &[Instruction]) -> Option<(&'static str, &'static str, f64)> {
    if !is_wide(body) {
        return None;
    }
    let count = |mnemonic: &str| body.iter().filter(|instruction| instruction.mnemonic == mnemonic).count();
    // All rounds of a group, unrolled, and the transposition and encryption of the data.
    if count("vprold") == DOUBLE_ROUNDS * 32 {
        return Some(("ChaCha20", "a group with its transposition and data", 1024.0));
    }
    let code = Code { architecture: Architecture::X86_64, backend: "avx512", one_message: true, body };
    let (kernel, work) = kernels::recognise(&code)?;
    let what = match &*kernel {
        "chacha20 horizontal" if work.units == 1 => "a set",
        "chacha20 vertical" if work.units == 1 => "a group",
        "poly1305 limbs52 row" => "IFMA, a row",
        "poly1305 limbs52 rows" if work.units == 2 => "IFMA, two rows",
        "poly1305 row by row" => "AVX-512",
        _ => return None,
    };
    let (primitive, bytes) = bytes(&kernel, work)?;
    Some((primitive, what, bytes))
}

/// Returns whether a loop is on vectors of 512 bits.
fn is_wide(body: &[Instruction]) -> bool {
    body.iter().filter(|instruction| instruction.operands.contains("%zmm")).count() >= 16
}

/// Returns the primitive of a kernel, and the message bytes of an iteration on vectors of 512 bits.
fn bytes(kernel: &str, work: Work) -> Option<(&'static str, f64)> {
    let (primitive, of_unit) = match kernel {
        "chacha20 horizontal" => ("ChaCha20", 256.0 / DOUBLE_ROUNDS as f64),
        "chacha20 vertical" => ("ChaCha20", 1024.0 / DOUBLE_ROUNDS as f64),
        _ if kernel.starts_with("poly1305") => ("Poly1305", 128.0),
        _ => return None,
    };
    Some((primitive, work.units as f64 * of_unit))
}

/// Returns a loop as a program for llvm-mca.
fn listing(body: &[Instruction]) -> String {
    format!(".Lloop:\n{}", Architecture::X86_64.listing(body))
}

impl Modelled {
    /// Returns the cycles that the CPU takes for each byte, according to its model.
    fn cycles_per_byte(&self, llvm_mca: &Path, cpu: &str) -> Result<f64> {
        let file = process::folder("mca")?.join("loop.s");
        process::write(&file, &self.listing)?;
        let arguments = [format!("--mcpu={cpu}"), format!("--iterations={ITERATIONS}")];
        let text = process::output(Command::new(llvm_mca).args(arguments).arg(&file))
            .with_context(|| format!("{} on {cpu}; Debian has LLVM 19 as the package llvm-19", self.name))?;
        Ok(total_cycles(&text)? / ITERATIONS as f64 / self.bytes)
    }
}

/// Returns the cycles of all iterations from the output of llvm-mca.
fn total_cycles(output: &str) -> Result<f64> {
    let cycles = output.lines().find_map(|line| line.strip_prefix("Total Cycles:"));
    cycles.context("llvm-mca printed no cycle count")?.trim().parse().context("llvm-mca printed no number")
}

#[cfg(test)]
mod tests {
    use super::super::kernels::tests::canned;
    use super::*;

    /// Returns what is known about a loop of a library.
    fn of_body(body: &str) -> Option<(&'static str, &'static str, f64)> {
        let functions = disassembly::parse(&canned("f", body)).unwrap();
        known(innermost(Architecture::X86_64, &functions[0])[0])
    }

    #[test]
    fn loops_of_libraries_are_recognised() {
        let (add, rotation) = ("vpaddd %zmm0,%zmm1,%zmm1\n", "vprold $0x7,%zmm0,%zmm0\n");
        let round = add.repeat(32) + &rotation.repeat(32);
        assert_eq!(of_body(&round), Some(("ChaCha20", "a group", 102.4)));
        let whole = round.repeat(10) + &add.repeat(17);
        assert_eq!(of_body(&whole), Some(("ChaCha20", "a group with its transposition and data", 1024.0)));
        let products = "vpmadd52luq %zmm0,%zmm1,%zmm1\n".repeat(36);
        assert_eq!(of_body(&products), Some(("Poly1305", "IFMA, two rows", 256.0)));
        // Narrower vectors, and another algorithm.
        assert_eq!(of_body(&round.replace("zmm", "ymm")), None);
        assert_eq!(of_body(&"vpxord %zmm0,%zmm1,%zmm1\n".repeat(40)), None);
    }

    #[test]
    fn cycles_are_read() {
        assert_eq!(total_cycles("Iterations:        200\nTotal Cycles:      4810\n").unwrap(), 4810.0);
        assert!(total_cycles("error: unknown CPU\n").is_err());
    }
}

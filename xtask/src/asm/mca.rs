//! `cargo xtask mca`: what LLVM's static model of a CPU says about the hot loops that the assembly gate finds. An estimate for
//! CPUs that nobody has at hand, to compare two versions of a loop with; not a measurement.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::architecture::Architecture;
use super::disassembly::Instruction;
use super::kernels::{self, Found};
use crate::process::{self, step};

/// How often the model runs a loop: filling and draining the pipeline is then below a thousandth of it.
const ITERATIONS: u32 = 1000;

/// Double rounds of ChaCha20. ChaCha12 and ChaCha8 have the same loop.
const DOUBLE_ROUNDS: f64 = 10.0;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The architecture of the loops
    #[arg(long, value_name = "NAME", default_value = "x86_64")]
    architecture: Architecture,
    /// Read the loops of this program instead of building one (with symbols mangled as v0)
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Only loops whose backend and kernel have this in them ("avx512", "avx2 poly1305")
    #[arg(long, value_name = "FILTER", default_value = "")]
    kernel: String,
    /// Models of llvm-mca, instead of cascadelake (which skylake-avx512 is too) and znver3, or cortex-a55 and cortex-a57 (which
    /// cortex-a72 is too); those that lack a loop's instructions are left out for it
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    cpu: Vec<String>,
    /// Also print the input of llvm-mca
    #[arg(long)]
    print: bool,
}

/// What the model says about one loop.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Estimate {
    /// Per turn.
    cycles: f64,
    /// Of these, how many the busiest execution port works; in the others, instructions wait for results.
    busiest: f64,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    step("estimates of the hot loops (llvm-mca, a static model: no measurement)");
    let mca = process::tool("llvm-mca", "llvm")?;
    let architecture = options.architecture;
    let functions = super::disassemble(architecture, options.program.as_deref())?;
    let loops = kernels::find(architecture, &functions);
    let cpus = match (&options.cpu[..], architecture) {
        ([], Architecture::X86_64) => vec!["cascadelake", "znver3"],
        ([], Architecture::AArch64) => vec!["cortex-a55", "cortex-a57"],
        (chosen, _) => chosen.iter().map(String::as_str).collect(),
    };
    let selected = |found: &&Found| format!("{} {}", found.backend, found.kernel).contains(&options.kernel);
    let loops: Vec<&Found> = loops.iter().filter(selected).collect();
    ensure!(
        !loops.is_empty(),
        "no hot loop has {:?} in its name; without --kernel, all of them are listed",
        options.kernel
    );

    // A loop is in the program once for each use of its kernel, often with the same registers too.
    let mut estimates: HashMap<(String, &str), Option<Estimate>> = HashMap::new();
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    for found in &loops {
        let input = source(architecture, found.body);
        if options.print {
            println!("\n# {} {} in {}\n{input}", found.backend, found.kernel, found.function);
        }
        for &cpu in &cpus {
            let estimate = match estimates.entry((input.clone(), cpu)) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => *entry.insert(
                    ask(&mca, architecture, cpu, &input)
                        .with_context(|| format!("{} {} in {}", found.backend, found.kernel, found.function))?
                        .map(|estimate| estimate.at_least(least_cycles(cpu, found.count.instructions))),
                ),
            };
            if let Some(estimate) = estimate {
                *rows.entry(row(found, cpu, estimate)).or_default() += 1;
            }
        }
    }
    print(&rows);
    Ok(())
}

/// Prints the table: rows, and how many loops each stands for.
fn print(rows: &BTreeMap<String, usize>) {
    println!(
        "   backend  kernel               units  instructions  model           cycles  busiest  per byte  instances"
    );
    for (row, instances) in rows {
        println!("{row}  {instances:>9}");
    }
    println!(
        "   cycles of a turn as the model runs it, and in how many of them its busiest port works; per byte of the message, for 20\n   \
         rounds, without what surrounds the loop. The model has no cache misses, no decoder and no clock."
    );
}

fn row(found: &Found, cpu: &str, estimate: Estimate) -> String {
    let mut row = format!(
        "   {:<8} {:<20} {:>5}  {:>12}  {cpu:<14} {:>7.1}  {:>7.1}",
        found.backend, found.kernel, found.work.units, found.count.instructions, estimate.cycles, estimate.busiest
    );
    match bytes_per_turn(found.kernel, found.work.units, found.body) {
        Some(bytes) => write!(row, "  {:>8.3}", estimate.cycles / bytes),
        None => write!(row, "  {:>8}", "-"),
    }
    .expect("a string takes any text");
    row
}

/// How many bytes of a message one turn accounts for; none for a kernel that is not known here.
fn bytes_per_turn(kernel: &str, units: usize, body: &[Instruction]) -> Option<f64> {
    let words = f64::from(vector_words(body));
    let bytes_per_unit = match kernel {
        // A double round of as many blocks as a vector has words. Fused loops: the bytes that are encrypted, not those that are
        // authenticated beside them.
        "chacha20 vertical" | "chacha20 portable" | "fused vertical" => 64.0 * words / DOUBLE_ROUNDS,
        // A vector is one row of four words of each block.
        "chacha20 horizontal" | "fused horizontal" => 64.0 * (words / 4.0) / DOUBLE_ROUNDS,
        "chacha20 words" => 64.0 / DOUBLE_ROUNDS,
        // A block of 16 bytes in each 64-bit lane.
        "poly1305 rows" | "poly1305 row by row" | "poly1305 many" => 16.0 * (words / 2.0),
        "poly1305 blocks" | "poly1305 chains" => 16.0,
        _ => return None,
    };
    Some(units as f64 * bytes_per_unit)
}

/// How many 32-bit words the widest vector register in use has.
fn vector_words(body: &[Instruction]) -> u8 {
    let uses = |register: &str| body.iter().any(|instruction| instruction.operands.contains(register));
    [("%zmm", 16), ("%ymm", 8)].iter().find(|(register, _)| uses(register)).map_or(4, |&(_, words)| words)
}

/// A loop's body as assembly code, from objdump's notation: jumps go to a label, whose address is not known outside the
/// program, and comments and symbols are left out.
fn source(architecture: Architecture, body: &[Instruction]) -> String {
    let mut source = String::from(".Lloop:\n");
    for instruction in body.iter().filter(|instruction| !architecture.is_padding(instruction)) {
        let Instruction { mnemonic, operands, .. } = instruction;
        let direct = architecture.jump_target(instruction).is_some()
            || architecture.is_call(instruction) && !operands.starts_with('*');
        let operands = match architecture {
            // `w0, #3, 1000 <symbol>`
            Architecture::AArch64 if direct => match operands.rsplit_once(", ") {
                Some((tested, _)) => format!("{tested}, .Lloop"),
                None => ".Lloop".to_owned(),
            },
            Architecture::AArch64 => operands.clone(),
            Architecture::X86_64 if direct => ".Lloop".to_owned(),
            // `0x10(%rip),%xmm0        # 4010 <symbol+0x10>`
            Architecture::X86_64 => operands.split('#').next().unwrap_or_default().trim().to_owned(),
        };
        let mnemonic = with_right_ports(mnemonic, &operands);
        writeln!(source, "\t{mnemonic}\t{operands}").expect("a string takes any text");
    }
    source
}

/// LLVM's models of Skylake and Ice Lake servers (up to LLVM 19) let 512-bit additions and subtractions go to port 1 too, whose
/// vector half is closed while 512-bit operations are under way (uops.info: `p05`). They have the exclusive or right, which has
/// the same operands and latency, so it stands for them. For `vpternlog`, which they have wrong as well, nothing does.
fn with_right_ports<'m>(mnemonic: &'m str, operands: &str) -> &'m str {
    match mnemonic {
        "vpaddd" | "vpsubd" if operands.contains("%zmm") => "vpxord",
        "vpaddq" | "vpsubq" if operands.contains("%zmm") => "vpxorq",
        other => other,
    }
}

/// Runs the model; nothing where its CPU lacks an instruction.
fn ask(mca: &Path, architecture: Architecture, cpu: &str, source: &str) -> Result<Option<Estimate>> {
    let mut child = Command::new(mca)
        .args(["-all-views=0", "-summary-view", "-resource-pressure"])
        .args([format!("-mtriple={}-unknown-linux-gnu", architecture.name()), format!("-mcpu={cpu}")])
        .arg(format!("-iterations={ITERATIONS}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start llvm-mca")?;
    // Dropped at the end of the statement: that is the end of the input. llvm-mca reads all of it before it answers.
    let sent = child.stdin.take().expect("its input is piped").write_all(source.as_bytes());
    let output = child.wait_with_output().context("llvm-mca")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() && !said.contains("not a recognized processor") {
        sent.context("cannot write to llvm-mca")?;
        return estimate(&String::from_utf8_lossy(&output.stdout)).map(Some);
    }
    if lacks_instructions(&said) {
        return Ok(None);
    }
    bail!("llvm-mca does not understand the loop or the CPU {cpu}:\n{said}")
}

/// Whether that is a CPU older than the code, not a mistake in the input.
fn lacks_instructions(said: &str) -> bool {
    said.contains("found an unsupported instruction") || said.contains("instruction requires:")
}

/// The least that a turn of so many instructions takes on a CPU whose width LLVM has wrong: its Skylake starts six
/// instructions a cycle, and the real one renames four. The jump at the end is one with the instruction before it.
fn least_cycles(cpu: &str, instructions: usize) -> f64 {
    if cpu == "cascadelake" || cpu.starts_with("skylake") { instructions.saturating_sub(1) as f64 / 4.0 } else { 0.0 }
}

impl Estimate {
    fn at_least(self, cycles: f64) -> Self {
        Self { cycles: self.cycles.max(cycles), ..self }
    }
}

/// Reads the summary and the pressure on each port.
fn estimate(report: &str) -> Result<Estimate> {
    let context = || format!("llvm-mca's report is not as expected:\n{report}");
    let cycles: f64 = report
        .lines()
        .find_map(|line| line.strip_prefix("Total Cycles:")?.trim().parse().ok())
        .with_context(context)?;
    // Two lines below the heading, `-` is a port without work.
    let mut lines = report.lines().skip_while(|line| !line.starts_with("Resource pressure per iteration:"));
    let pressures = lines.nth(2).with_context(context)?.split_whitespace().filter(|pressure| *pressure != "-");
    let pressures: Vec<f64> = pressures.map(str::parse).collect::<Result<_, _>>().with_context(context)?;
    let busiest = pressures.into_iter().reduce(f64::max).with_context(context)?;
    Ok(Estimate { cycles: cycles / f64::from(ITERATIONS), busiest })
}

#[cfg(test)]
mod tests {
    use super::super::disassembly::parse;
    use super::*;

    /// As objdump prints them.
    fn body(lines: &[&str]) -> Vec<Instruction> {
        let mut text = String::from("0000000000001000 <f>:\n");
        for (number, line) in lines.iter().enumerate() {
            writeln!(text, "    {:x}:\t{line}", 0x1000 + 8 * number).unwrap();
        }
        parse(&text).unwrap().remove(0).instructions
    }

    #[test]
    fn objdump_s_notation_becomes_assembly_code() {
        let cases = [
            ("vpaddd %ymm1,%ymm2,%ymm3", "vpaddd\t%ymm1,%ymm2,%ymm3"),
            ("vpaddd %zmm1,%zmm2,%zmm3", "vpxord\t%zmm1,%zmm2,%zmm3"),
            ("vpsubq (%rdi){1to8},%zmm2,%zmm3", "vpxorq\t(%rdi){1to8},%zmm2,%zmm3"),
            ("vpmuludq (%rdi){1to8},%zmm1,%zmm1{%k1}{z}", "vpmuludq\t(%rdi){1to8},%zmm1,%zmm1{%k1}{z}"),
            ("pshufb 0x2f7a1(%rip),%xmm0        # 37a10 <_RNvCs_5crate4MASK+0x10>", "pshufb\t0x2f7a1(%rip),%xmm0"),
            ("jne    1000 <_RNvCs_5crate4main+0x20>", "jne\t.Lloop"),
            ("ja     ffffffff81000000", "ja\t.Lloop"),
            ("call   2000 <f>", "call\t.Lloop"),
            ("call   *0x10(%rax)", "call\t*0x10(%rax)"),
            ("rep stos %al,%es:(%rdi)", "stos\t%al,%es:(%rdi)"),
        ];
        for (line, expected) in cases {
            assert_eq!(source(Architecture::X86_64, &body(&[line])), format!(".Lloop:\n\t{expected}\n"), "{line}");
        }
    }

    #[test]
    fn jumps_of_arm_keep_what_they_test() {
        for (line, expected) in [
            ("add\tv0.4s, v1.4s, v2.4s", "add\tv0.4s, v1.4s, v2.4s"),
            ("tbnz\tw0, #31, 1000 <f>", "tbnz\tw0, #31, .Lloop"),
            ("b.ne\t1000 <f>  // b.any", "b.ne\t.Lloop"),
        ] {
            assert_eq!(source(Architecture::AArch64, &body(&[line])), format!(".Lloop:\n\t{expected}\n"));
        }
    }

    #[test]
    fn padding_is_left_out() {
        let lines = ["cs nopw 0x0(%rax,%rax,1)", "xchg %ax,%ax", "dec %ecx", "nop"];
        assert_eq!(source(Architecture::X86_64, &body(&lines)), ".Lloop:\n\tdec\t%ecx\n");
    }

    #[test]
    fn bytes_follow_from_the_kernel_and_the_width() {
        let zmm = body(&["vpaddd %zmm1,%zmm2,%zmm3", "vmovdqa %xmm0,%xmm1"]);
        let ymm = body(&["vpaddd %ymm1,%ymm2,%ymm3"]);
        let xmm = body(&["paddd %xmm1,%xmm2"]);
        let cases = [
            ("chacha20 vertical", 1, &zmm, Some(102.4)),
            ("chacha20 vertical", 1, &ymm, Some(51.2)),
            ("chacha20 portable", 4, &xmm, Some(102.4)),
            ("chacha20 horizontal", 3, &zmm, Some(76.8)),
            ("chacha20 horizontal", 1, &xmm, Some(6.4)),
            ("chacha20 words", 1, &xmm, Some(6.4)),
            ("poly1305 rows", 1, &zmm, Some(128.0)),
            ("poly1305 rows", 2, &ymm, Some(128.0)),
            ("poly1305 row by row", 1, &ymm, Some(64.0)),
            ("poly1305 many", 2, &ymm, Some(128.0)),
            // Once for a message, however long.
            ("poly1305 powers", 1, &ymm, None),
            ("poly1305 chains", 2, &xmm, Some(32.0)),
            ("fused vertical", 1, &ymm, Some(51.2)),
            ("fused horizontal", 3, &ymm, Some(38.4)),
            ("a new kernel", 1, &xmm, None),
        ];
        for (kernel, units, body, expected) in cases {
            let bytes = bytes_per_turn(kernel, units, body);
            let near = bytes.zip(expected).is_some_and(|(bytes, expected)| (bytes - expected).abs() < 1e-9);
            assert!(near || bytes.is_none() && expected.is_none(), "{kernel} {units}: {bytes:?}");
        }
    }

    #[test]
    fn the_report_is_read() {
        let report = "Iterations:        1000\nTotal Cycles:      12003\nBlock RThroughput: 0.8\n\n\nResources:\n\
                      [0]   - SKXDivider\n[2.0] - SKXPort0\n\n\nResource pressure per iteration:\n\
                      [0]    [1]    [2.0]  [2.1]  \n -      -     15.00  9.50   \n\nResource pressure by instruction:\n\
                      [0]    [1]    [2.0]  [2.1]  Instructions:\n -      -     99.00   -     vpaddd\t%ymm1, %ymm2, %ymm3\n";
        assert_eq!(estimate(report).unwrap(), Estimate { cycles: 12.003, busiest: 15.0 });
        assert!(estimate("Total Cycles:      12003\n").is_err());
        assert!(estimate(&report.replace("12003", "many")).is_err());
        assert!(estimate(&report.replace("9.50", "many")).is_err());
    }

    #[test]
    fn no_loop_is_faster_than_the_front_of_the_cpu() {
        let estimate = Estimate { cycles: 15.5, busiest: 15.0 };
        assert_eq!(estimate.at_least(least_cycles("cascadelake", 72)).cycles, 17.75);
        assert_eq!(estimate.at_least(least_cycles("skylake-avx512", 40)).cycles, 15.5);
        assert_eq!(estimate.at_least(least_cycles("znver3", 72)).cycles, 15.5);
    }

    #[test]
    fn a_cpu_without_the_instructions_is_no_mistake() {
        assert!(lacks_instructions("error: found an unsupported instruction in the input assembly sequence.\n"));
        assert!(lacks_instructions("<stdin>:2:1: error: instruction requires: AVX-512 ISA\n"));
        assert!(!lacks_instructions("<stdin>:2:1: error: invalid instruction mnemonic 'vpaddx'\n"));
    }
}

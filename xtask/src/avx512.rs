//! `cargo xtask avx512`: the tests on AVX-512, on this CPU where it has the instructions, else in Bochs, and there on GFNI.

use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::bochs::{self, Guest};
use crate::process::{cache_dir, step};
use crate::test_binaries::{self, ALL, PRIMITIVES, TestBinary};

/// Options of the chore.
#[derive(clap::Args, Default)]
pub(crate) struct Options {
    /// Use the emulator even where this CPU has AVX-512
    #[arg(long)]
    emulate: bool,
    /// Only get the emulator ready
    #[arg(long)]
    prepare: bool,
    /// The packages whose tests to run, instead of sealane-simd and sealane
    #[arg(long, value_name = "PACKAGE")]
    package: Vec<String>,
    /// Only test executables whose name contains this (`sealane/chacha20`)
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
    /// Arguments for the test executables: names of tests, `--skip NAME`, `--exact`, `--nocapture`
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// Emulation runs about 20 million instructions a second.
const LIMIT: Duration = Duration::from_mins(30);

/// A machine, the backends that its tests are to use, and which tests; all of them if none are named.
struct Run {
    cpu: &'static str,
    backends: &'static str,
    tests: &'static [&'static str],
}

/// All tests on AVX-512 as it began, and with all later extensions; on these in vectors of 256 bits those of the primitives that have
/// a backend for them.
const RUNS: &[Run] = &[
    Run { cpu: bochs::SKYLAKE_X, backends: "avx512", tests: &[] },
    Run { cpu: bochs::WITH_GFNI, backends: "avx512ifma,gfni512,vaes512,vpclmulqdq512", tests: &[] },
    Run { cpu: bochs::WITH_GFNI, backends: "avx2,gfni,vaes,vpclmulqdq", tests: LATER },
];

/// Tests of GFNI, VAES and VPCLMULQDQ, and of what is made of them.
const LATER: &[&str] = &["gf8", "shamir", "aes", "haraka", "clmul", "gf2n"];

/// Whether this CPU has what the backend needs.
pub(crate) fn is_native() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512dq");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    if options.prepare {
        bochs::prepare()?;
        println!("   the emulator is ready in {}", cache_dir()?.display());
        return Ok(());
    }
    let native = is_native() && !options.emulate;
    step(if native { "AVX-512 on this CPU" } else { "AVX-512 in Bochs (this CPU lacks it, or --emulate was given)" });
    // All packages are built unless some were named, as `x86-levels` does: cargo then builds them once for both.
    let named: Vec<_> = options.package.iter().map(String::as_str).collect();
    let mut binaries = test_binaries::static_x86_64(if named.is_empty() { ALL } else { &named })?;
    if named.is_empty() {
        binaries.retain(|binary| PRIMITIVES.contains(&binary.package.as_str()));
    }
    if let Some(only) = &options.only {
        binaries.retain(|binary| binary.name.contains(only.as_str()));
        ensure!(!binaries.is_empty(), "no test executable is named like {only}");
    }
    if native {
        return test_binaries::run_all(&binaries, &[], &[("SEALANE_BACKEND", "avx512")]);
    }

    let machine = bochs::prepare()?;
    // Each machine is a process with one thread.
    std::thread::scope(|scope| {
        let runs = RUNS.iter().map(|run| scope.spawn(|| emulate(&machine, run, &binaries, options)));
        let runs: Vec<_> = runs.collect();
        runs.into_iter().try_for_each(|run| run.join().expect("a run does not panic"))
    })
}

fn emulate(machine: &bochs::Bochs, run: &Run, binaries: &[TestBinary], options: &Options) -> Result<()> {
    // One thread: the machine has one CPU, and the output stays in order.
    let chosen = options.arguments.iter().map(String::as_str);
    let tests = if options.arguments.iter().all(|argument| argument.starts_with('-')) { run.tests } else { &[] };
    let arguments = ["--test-threads=1"].into_iter().chain(tests.iter().copied()).chain(chosen);
    let arguments: Vec<_> = arguments.map(Into::into).collect();
    let guests: Vec<_> = binaries
        .iter()
        .map(|binary| Guest { name: binary.name.clone(), program: binary.path.clone(), arguments: arguments.clone() })
        .collect();
    let outputs = machine.run(run.backends, run.cpu, &guests, &test_binaries::emulated(run.backends), LIMIT)?;
    // In one piece: other machines are running.
    let mut report = format!("== Bochs, {}: SEALANE_BACKEND={}\n", run.cpu, run.backends);
    let mut total = 0;
    for (guest, output) in guests.iter().zip(&outputs) {
        let count = test_binaries::passed(&guest.name, output)?;
        writeln!(report, "   {}: {count} passed", guest.name)?;
        if options.arguments.iter().any(|argument| argument == "--nocapture") {
            writeln!(report, "{output}")?;
        }
        total += count;
    }
    ensure!(total > 0, "no test ran");
    println!("{report}   {total} tests passed with SEALANE_BACKEND={}", run.backends);
    Ok(())
}

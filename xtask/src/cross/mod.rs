//! `cargo xtask cross`: the tests of the primitives on other architectures and on older CPUs, in qemu-user or, for WebAssembly, in
//! Node.js.

mod command;
mod runner;
mod targets;

use std::ffi::OsString;

use anyhow::{Context, Result, ensure};

use self::targets::{Forced, TARGETS, Target};
use crate::coverage::Ledger;
use crate::process::step;
use crate::selection::Selection;
use crate::test_binaries::{self, Build, Emulated, TestBinary};
use crate::toolchain;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only this target; may be given several times
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
    /// Build the standard library from Debian's source even where rustup has it
    #[arg(long)]
    from_source: bool,
}

/// What is tested: the primitives, and the references that they are compared with, which must be right there too.
pub(crate) const PACKAGES: &[&str] = &["sealane-simd", "sealane-spec", "sealane"];

/// Without the comparison with RustCrypto's crates, which says nothing about a CPU that these tests do not.
const TESTS: &[&str] = &["--lib", "--test", "suite", "--test", "vectors", "--test", "peers"];

const SUITE: &[&str] = &["--test", "suite"];

const X86_64: &str = "x86_64-unknown-linux-gnu";

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let known = || TARGETS.iter().map(|target| target.triple).collect::<Vec<_>>().join(", ");
    for triple in &options.target {
        ensure!(TARGETS.iter().any(|target| target.triple == triple), "no target {triple} here; there are {}", known());
    }
    let all = options.target.is_empty();
    let mut ledger = Ledger::new("cross")?;
    for target in TARGETS.iter().filter(|target| all || options.target.iter().any(|triple| triple == target.triple)) {
        on(target, options.from_source, &mut ledger)?;
    }
    step("what was exercised");
    ledger.close(all)
}

/// The target of Linux on that architecture, and the variable that names its linker to cargo.
pub(crate) fn compiler(architecture: &str) -> Result<(&'static str, Option<(OsString, OsString)>)> {
    let triple = format!("{architecture}-unknown-linux-gnu");
    let target = TARGETS.iter().find(|target| target.triple == triple).context("there is no such target")?;
    Ok((target.triple, target.linker()?))
}

/// The tests for x86-64 as executables that need no library, so that they run in an emulated machine too.
pub(crate) fn static_x86_64() -> Result<Vec<TestBinary>> {
    let target = TARGETS.iter().find(|target| target.triple == X86_64).expect("the list has it");
    build(target, PACKAGES, None, false)
}

/// The test suite of the primitives, built so that faults can be injected, and what runs it.
pub(crate) fn suite_with_faults(triple: &str) -> Result<(TestBinary, Vec<OsString>)> {
    let target = TARGETS.iter().find(|target| target.triple == triple).context("there is no such target")?;
    let binaries = build(target, &["sealane"], Some("sealane/fault"), false)?;
    let suite = binaries.into_iter().next().context("there is no suite")?;
    let runner = if triple == X86_64 { Vec::new() } else { target.runs[0].runner.command(target)? };
    Ok((suite, runner))
}

fn on(target: &Target, from_source: bool, ledger: &mut Ledger) -> Result<()> {
    step(target.triple);
    // What is missing is said before minutes go into building.
    for run in target.runs {
        run.runner.command(target)?;
    }
    let binaries = build(target, PACKAGES, None, from_source)?;
    let mut selection = Selection::default();
    for run in target.runs {
        let runner = run.runner.command(target)?;
        let place = ledger.place(run.place)?.clone();
        let (widest, detects) = (place.widest(), place.detects());
        for forced in run.forced {
            let backends = match forced {
                Forced::Widest => widest.as_str(),
                Forced::Only(name) => name,
            };
            let tests = selection.next(place.chosen().map(|(family, widest)| match forced {
                Forced::Widest => (family, widest),
                Forced::Only(name) => (family, *name),
            }));
            println!("   {}, SEALANE_BACKEND={backends}", run.runner);
            let environment = Emulated { backends, detects: detects.as_deref() }.environment();
            let exercised = test_binaries::run_all(&binaries, &runner, tests.as_deref(), &environment)?;
            ledger.add(run.place, exercised);
        }
    }
    if target.triple == X86_64 {
        command::on_older_cpus()?;
    }
    Ok(())
}

fn build(target: &Target, packages: &[&str], feature: Option<&str>, from_source: bool) -> Result<Vec<TestBinary>> {
    let toolchain = toolchain::for_target(target.triple, "std", from_source)?;
    let mut environment = toolchain.environment;
    let mut arguments = toolchain.arguments;
    environment.extend(target.linker()?);
    if target.portable {
        environment.push(("CARGO_PROFILE_RELEASE_OPT_LEVEL".into(), "1".into()));
    }
    if let Some(unstable) = target.unstable {
        let bootstrap = OsString::from("RUSTC_BOOTSTRAP");
        // Building the standard library needs it for all crates.
        if environment.iter().all(|(name, _)| *name != bootstrap) {
            environment.push((bootstrap, "sealane_simd".into()));
        }
        arguments.push(format!("--features=sealane-simd/{unstable}").into());
    }
    arguments.extend(feature.map(|feature| format!("--features={feature}").into()));
    // Other crates are not what is tested: optimised less, they are built in half the time.
    arguments.extend(["--config", "profile.release.package.\"*\".opt-level=1"].map(Into::into));
    let flags: Vec<_> = target.flags.into_iter().chain(toolchain.flags).collect();
    let flags = flags.join(" ");
    Build {
        packages,
        tests: if feature.is_some() { SUITE } else { TESTS },
        target: Some(target.triple),
        rustflags: (!flags.is_empty()).then_some(&flags),
        target_dir: Some(if from_source { "cross-from-source" } else { "cross" }),
        arguments: &arguments,
        environment: &environment,
    }
    .release()
}

//! `cargo xtask cross`: the tests of the primitives on other architectures and on older CPUs, in
//! qemu-user or, for WebAssembly, in Node.js.

mod command;
mod targets;

use std::ffi::OsString;

use anyhow::{Context, Result};
use sealane_workloads::Family;

use crate::coverage::{Ledger, List, variable};
use crate::process::step;
use crate::selection::Selection;
use crate::test_binaries::{self, Build, Emulated, TestBinary};
use crate::toolchain;
pub(crate) use targets::Target;

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

/// The packages under test: the primitives, and the references that they are compared with, which
/// must also be right there.
const PACKAGES: &[&str] = &["sealane-simd", "sealane-spec", "sealane"];

/// Leaves out the comparison with RustCrypto's crates, which tests nothing more about a CPU.
const TESTS: &[&str] = &["--lib", "--test", "suite", "--test", "vectors", "--test", "peers"];

const X86_64: &str = "x86_64-unknown-linux-gnu";

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut ledger = Ledger::new("cross")?;
    let list = List::read()?;
    for triple in &options.target {
        list.target(triple)?;
    }
    let all = options.target.is_empty();
    for target in list.targets().iter().filter(|target| all || options.target.contains(&target.triple)) {
        on(target, options.from_source, &list, &mut ledger)?;
    }
    step("what was exercised");
    ledger.close(all)
}

/// Returns the target of Linux on that architecture, and the variable that names its linker to
/// cargo.
pub(crate) fn compiler(architecture: &str) -> Result<(String, Option<(OsString, OsString)>)> {
    let list = List::read()?;
    let target = list.target(&format!("{architecture}-unknown-linux-gnu"))?;
    Ok((target.triple.clone(), target.linker()?))
}

/// Builds the tests for x86-64 as static executables, so that they also run in an emulated machine.
pub(crate) fn static_x86_64() -> Result<Vec<TestBinary>> {
    build(List::read()?.target(X86_64)?, PACKAGES, None, false)
}

/// The test suite of the primitives, built with fault injection, and the program that runs it at a
/// place.
pub(crate) fn suite_with_faults(triple: &str, place: &str) -> Result<(TestBinary, Vec<OsString>)> {
    let list = List::read()?;
    let target = list.target(triple)?;
    let binaries = build(target, &["sealane"], Some("sealane/fault"), false)?;
    let suite = binaries.into_iter().next().context("there is no suite")?;
    let runner = if triple == X86_64 { Vec::new() } else { target.runner(list.place(place)?)? };
    Ok((suite, runner))
}

fn on(target: &Target, from_source: bool, list: &List, ledger: &mut Ledger) -> Result<()> {
    step(&target.triple);
    // Missing tools are reported before the builds, which take minutes.
    let places = list.places("cross").filter(|place| place.target.as_ref() == Some(&target.triple));
    let places: Vec<_> = places.map(|place| Ok((place, target.runner(place)?))).collect::<Result<_>>()?;
    let binaries = build(target, PACKAGES, None, from_source)?;
    let mut selection = Selection::default();
    for (place, runner) in places {
        for names in place.forced() {
            let tests = selection.next(Family::ALL.into_iter().zip(names.iter().map(String::as_str)));
            let (backends, detects) = (variable(names), place.detects());
            println!("   {}, SEALANE_BACKEND={backends}", place.name);
            let environment = Emulated { backends: &backends, detects: detects.as_deref() }.environment();
            ledger.add(&place.name, test_binaries::run_all(&binaries, &runner, tests.as_deref(), &environment)?);
        }
    }
    if target.triple == X86_64 {
        command::on_older_cpus()?;
    }
    Ok(())
}

fn build(target: &Target, packages: &[&str], feature: Option<&str>, from_source: bool) -> Result<Vec<TestBinary>> {
    let toolchain = toolchain::for_target(&target.triple, "std", from_source)?;
    let mut environment = toolchain.environment;
    let mut arguments = toolchain.arguments;
    environment.extend(target.linker()?);
    if target.portable {
        environment.push(("CARGO_PROFILE_RELEASE_OPT_LEVEL".into(), "1".into()));
    }
    if let Some(unstable) = &target.unstable {
        let bootstrap = OsString::from("RUSTC_BOOTSTRAP");
        // Building the standard library requires this setting for all crates.
        if environment.iter().all(|(name, _)| *name != bootstrap) {
            environment.push((bootstrap, "sealane_simd".into()));
        }
        arguments.push(format!("--features=sealane-simd/{unstable}").into());
    }
    arguments.extend(feature.map(|feature| format!("--features={feature}").into()));
    // Other crates are not under test. With less optimisation they build in half the time.
    arguments.extend(["--config", "profile.release.package.\"*\".opt-level=1"].map(Into::into));
    let flags: Vec<_> = target.flags.as_deref().into_iter().chain(toolchain.flags).collect();
    let flags = flags.join(" ");
    Build {
        packages,
        tests: if feature.is_some() { &["--test", "suite"] } else { TESTS },
        target: Some(&target.triple),
        rustflags: (!flags.is_empty()).then_some(&flags),
        target_dir: Some(if from_source { "cross-from-source" } else { "cross" }),
        arguments: &arguments,
        environment: &environment,
    }
    .release()
}

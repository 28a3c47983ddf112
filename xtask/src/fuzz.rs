//! `cargo xtask fuzz`: runs each fuzz target on its seeds, and then on libFuzzer's inputs for some
//! seconds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, step};
use crate::toolchain;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The time for each target, in seconds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// The targets to run (default: all)
    targets: Vec<String>,
}

const MANIFEST: &str = "fuzz/Cargo.toml";

/// The compiler flags of cargo-fuzz, as far as stable compilers support them. A sanitizer would
/// need another compiler, and finds nothing in safe code.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
    "--cfg",
    "fuzzing",
];

/// An input that takes this many seconds counts as a hang. Most take less than a millisecond.
const HANG: u32 = 60;

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    process::tool("g++", "g++")?;
    let all = targets()?;
    if let Some(unknown) = options.targets.iter().find(|name| !all.contains(*name)) {
        bail!("there is no fuzz target {unknown}: there are {all:?}");
    }
    let chosen = if options.targets.is_empty() { Vec::from_iter(all) } else { options.targets.clone() };
    step("build");
    let host = toolchain::of_compiler("host")?;
    build(&host, &chosen)?;
    step(&format!("{} s each: {}", options.seconds, chosen.join(", ")));
    let programs = process::target_dir().join("fuzz").join(host).join("release");
    let mut failures = Vec::new();
    // As many targets as there are cores run at the same time. All runs take equally long.
    for some in chosen.chunks(std::thread::available_parallelism().map_or(1, usize::from)) {
        let run = |name: &String| fuzz(name, &programs.join(name), options.seconds);
        std::thread::scope(|scope| {
            let runs: Vec<_> = some.iter().map(|name| (name, scope.spawn(move || run(name)))).collect();
            for (name, result) in runs {
                match result.join().expect("no run panics") {
                    Ok(numbers) => println!("   {name:8} {numbers}"),
                    Err(error) => failures.push(format!("{name}: {error:#}")),
                }
            }
        });
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

/// Returns the names of the files in `fuzz/fuzz_targets`. The build fails if one is not in the
/// manifest.
fn targets() -> Result<BTreeSet<String>> {
    let files = fs::read_dir("fuzz/fuzz_targets").context("cannot list fuzz/fuzz_targets")?;
    files.map(|file| Ok(file?.file_name().to_string_lossy().trim_end_matches(".rs").to_owned())).collect()
}

fn build(host: &str, targets: &[String]) -> Result<()> {
    let mut cargo = process::cargo();
    // A named target keeps the flags away from build scripts and macros.
    cargo.args(["build", "--release", "--locked", "--manifest-path", MANIFEST, "--target", host]);
    cargo.args(targets.iter().flat_map(|name| ["--bin", name]));
    cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f"));
    process::run(cargo.env("CARGO_TARGET_DIR", process::target_dir().join("fuzz")))
}

/// Runs one target on its seeds, and then on further inputs, and returns the numbers to print.
/// Returns an error if the target finds a fault, if the seeds alone do not reach each place that
/// its source names, or if there are no further inputs.
fn fuzz(name: &str, program: &Path, seconds: u32) -> Result<String> {
    let (seeds, corpus) = (format!("fuzz/seeds/{name}"), format!("fuzz/corpus/{name}"));
    let artifacts = format!("fuzz/artifacts/{name}");
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {folder}"))?;
    }
    let run = |arguments: &[String]| {
        let mut command = Command::new(program);
        command.arg(format!("-timeout={HANG}")).arg(format!("-artifact_prefix={artifacts}/")).args(arguments);
        let output = process::outcome(&mut command)?;
        let log = process::lossy(&output.stderr);
        ensure!(output.status.success(), "{}: {}\n{log}", process::describe(&command), output.status);
        Ok(log)
    };
    let files = fs::read_dir(&seeds).with_context(|| format!("cannot list {seeds}"))?;
    let files: Vec<_> = files.map(|file| Ok(file?.path().display().to_string())).collect::<Result<_>>()?;
    ensure!(!files.is_empty(), "there is no seed in {seeds}");
    // libFuzzer runs each file once. In a folder, it would delete files that it finds superfluous.
    let log = run(&files)?;
    let source = process::read(format!("fuzz/fuzz_targets/{name}.rs"))?;
    ensure!(places(&source).next().is_some(), "its source names no place with `reached!`");
    let missed: Vec<_> = places(&source).filter(|place| !log.lines().any(|line| is_report(line, place))).collect();
    ensure!(missed.is_empty(), "no seed reached {}", missed.join(", "));
    let found = fs::read_dir(&corpus).with_context(|| format!("cannot list {corpus}"))?.count();
    // libFuzzer writes new inputs to the first folder.
    let log = run(&["-print_final_stats=1".to_owned(), format!("-max_total_time={seconds}"), corpus, seeds])?;
    // libFuzzer goes on if it sees no code that is reached.
    ensure!(!log.contains("no interesting inputs were found"), "no code was reached, according to libFuzzer:\n{log}");
    let executions = executions(&log).with_context(|| format!("libFuzzer said:\n{log}"))?;
    // libFuzzer also runs an input of its own first.
    ensure!(executions > files.len() + found + 1, "only the inputs of the seeds and the corpus were run");
    Ok(format!("{} seeds, {executions} executions", files.len()))
}

/// Returns the number of inputs that were run, from libFuzzer's final statistics.
fn executions(log: &str) -> Option<usize> {
    log.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:")?.trim().parse().ok())
}

/// Returns the places that a target's source names with `reached!`.
fn places(source: &str) -> impl Iterator<Item = &str> {
    source.split("reached!(\"").skip(1).filter_map(|rest| Some(rest.split_once('"')?.0))
}

/// Returns whether a line of a run says that an input reached the place.
fn is_report(line: &str, place: &str) -> bool {
    line.strip_prefix("reached: ") == Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_source() {
        let source = "if a {\n reached!(\"a file\");\n}\nmatch b { _ => reached!(\"an error\"), }";
        assert_eq!(Vec::from_iter(places(source)), ["a file", "an error"]);
        assert!(is_report("reached: a file", "a file") && !is_report("reached: a file", "a fil"));
    }
}

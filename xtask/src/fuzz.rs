//! `cargo xtask fuzz`: each fuzz target over its seeds, and then on inputs of libFuzzer's making for some seconds.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use crate::process::{self, step};
use crate::toolchain;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How long each target runs
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// The targets to run; all of them unless told
    targets: Vec<String>,
}

/// What cargo-fuzz gives the compiler too. All of it is for stable compilers; a sanitizer would need another one, and finds
/// nothing in safe code.
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

/// Seconds after which one input hangs: most take less than a millisecond.
const HANG: u32 = 60;

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    process::tool("g++", "g++")?;
    let all = targets(&fs::read_to_string("fuzz/Cargo.toml").context("cannot read fuzz/Cargo.toml")?)?;
    if let Some(unknown) = options.targets.iter().find(|name| !all.contains(*name)) {
        bail!("there is no fuzz target {unknown}: there are {}", Vec::from_iter(all).join(", "));
    }
    let chosen: Vec<String> = if options.targets.is_empty() { Vec::from_iter(all) } else { options.targets.clone() };
    step("build");
    let host = toolchain::host()?;
    build(&host, &chosen)?;
    step(&format!("{} s each: {}", options.seconds, chosen.join(", ")));
    let programs = process::target_dir().join("fuzz").join(host).join("release");
    let queue = Mutex::new(chosen.iter());
    let failures = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let Some(name) = queue.lock().expect("no worker panics").next() else { break };
            match fuzz(name, &programs.join(name), options.seconds) {
                Ok(run) => println!("   {name:8} {run}"),
                Err(error) => {
                    eprintln!("error: {name}: {error:#}");
                    failures.lock().expect("no worker panics").push(name.as_str());
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from).min(chosen.len()) {
            scope.spawn(worker);
        }
    });
    let failures = failures.into_inner().expect("no worker panics");
    ensure!(failures.is_empty(), "failed: {}", failures.join(", "));
    Ok(())
}

/// The names of the targets: the programs of the manifest, which are the files of `fuzz/fuzz_targets`.
fn targets(manifest: &str) -> Result<BTreeSet<String>> {
    #[derive(serde::Deserialize)]
    struct Manifest {
        bin: Vec<Program>,
    }
    #[derive(serde::Deserialize)]
    struct Program {
        name: String,
    }
    let manifest: Manifest = toml::from_str(manifest).context("cannot read fuzz/Cargo.toml")?;
    let programs: BTreeSet<String> = manifest.bin.into_iter().map(|program| program.name).collect();
    let mut files = BTreeSet::new();
    for entry in fs::read_dir("fuzz/fuzz_targets").context("cannot list fuzz/fuzz_targets")? {
        let path = entry?.path();
        files.insert(path.file_stem().context("a file has a name")?.to_string_lossy().into_owned());
    }
    ensure!(programs == files, "fuzz/Cargo.toml has the targets {programs:?}, fuzz/fuzz_targets has {files:?}");
    Ok(programs)
}

fn build(host: &str, targets: &[String]) -> Result<()> {
    let mut cargo = process::cargo();
    cargo.args(["build", "--release", "--locked", "--manifest-path", "fuzz/Cargo.toml"]);
    // With a target, the flags are not for build scripts and macros.
    cargo.args(["--target", host, "--target-dir"]).arg(process::target_dir().join("fuzz"));
    for name in targets {
        cargo.args(["--bin", name]);
    }
    process::run(cargo.env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\x1f")))
}

/// Runs one target; an error if it finds something, or does nothing.
fn fuzz(name: &str, program: &Path, seconds: u32) -> Result<Run> {
    let (seeds, corpus) = (format!("fuzz/seeds/{name}"), format!("fuzz/corpus/{name}"));
    let artifacts = format!("fuzz/artifacts/{name}");
    let seed_files = fs::read_dir(&seeds).with_context(|| format!("cannot list {seeds}"))?.count();
    ensure!(seed_files > 0, "there is no seed in {seeds}");
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {folder}"))?;
    }
    let mut command = Command::new(program);
    let prefix = OsString::from(format!("-artifact_prefix={artifacts}/"));
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-timeout={HANG}")).arg(prefix);
    // New inputs go into the first folder.
    command.args([&corpus, &seeds]);
    let output = command.output().with_context(|| format!("cannot start {}", process::describe(&command)))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let lines: Vec<&str> = log.lines().filter(|line| !is_progress(line)).collect();
        let end = &lines[lines.len().saturating_sub(60)..];
        bail!("{}: {}\n{}", process::describe(&command), output.status, end.join("\n"));
    }
    let run = Run::read(&log).with_context(|| format!("{} said:\n{log}", process::describe(&command)))?;
    ensure!(run.executions > run.seeds, "no input but the seeds was run: {run}");
    ensure!(run.seeds >= seed_files as u64, "of {seed_files} seeds, not all were run: {run}");
    ensure!(run.edges > 0, "nothing was reached, as far as is known: {run}");
    Ok(run)
}

/// What libFuzzer says of a run.
#[derive(Debug, PartialEq)]
struct Run {
    /// Files of the corpus and seeds.
    seeds: u64,
    executions: u64,
    /// Places in the program that were reached by the seeds and the corpus, and in all.
    edges_at_first: u64,
    edges: u64,
    /// Reached places together with how often, and operands that were compared.
    features: u64,
}

impl Run {
    fn read(log: &str) -> Result<Self> {
        let line = |event: &str| {
            let line = log.lines().find(|line| line.starts_with('#') && line.split_whitespace().nth(1) == Some(event));
            line.with_context(|| format!("there is no line with {event}"))
        };
        let number = |line: &str, name: &str| {
            let mut words = line.split_whitespace().skip_while(|word| *word != name).skip(1);
            let number = words.next().and_then(|word| word.parse().ok());
            number.with_context(|| format!("there is no {name} in: {line}"))
        };
        let files = log.lines().filter(|line| line.starts_with("INFO: ") && line.contains(" files found in "));
        let seeds = files.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum();
        let (at_first, at_last) = (line("INITED")?, line("DONE")?);
        let executions = at_last.strip_prefix('#').and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        Ok(Self {
            seeds,
            executions: executions.with_context(|| format!("no number of executions in: {at_last}"))?,
            edges_at_first: number(at_first, "cov:")?,
            edges: number(at_last, "cov:")?,
            features: number(at_last, "ft:")?,
        })
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { seeds, executions, edges_at_first, edges, features } = self;
        write!(f, "{seeds} seeds, {executions} executions, {edges_at_first} to {edges} edges, {features} features")
    }
}

/// Whether this line of libFuzzer's says only that a new input was found.
fn is_progress(line: &str) -> bool {
    let of_input =
        line.starts_with('#') && ["NEW", "REDUCE", "pulse", "RELOAD"].iter().any(|event| line.contains(event));
    of_input || line.trim_start().starts_with("NEW_FUNC")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
INFO: Seed: 2331283892
INFO: Loaded 1 modules   (15 inline 8-bit counters): 15 [0x55d0, 0x55df),
INFO:        2 files found in fuzz/corpus/chacha
INFO:        5 files found in fuzz/seeds/chacha
INFO: seed corpus: files: 7 min: 1b max: 300b total: 1000b rss: 40Mb
#8\tINITED cov: 300 ft: 500 corp: 5/1000b exec/s: 0 rss: 45Mb
#9\tNEW    cov: 301 ft: 502 corp: 6/1010b lim: 300 exec/s: 0 rss: 45Mb L: 10/300 MS: 1 CopyPart-
\tNEW_FUNC[1/4]: 0x55b65ebf4451
#1234\tDONE   cov: 310 ft: 600 corp: 20/3Kb lim: 309 exec/s: 123 rss: 50Mb
Done 1234 runs in 10 second(s)
";

    #[test]
    fn what_libfuzzer_says_is_read() {
        let expected = Run { seeds: 7, executions: 1234, edges_at_first: 300, edges: 310, features: 600 };
        assert_eq!(Run::read(LOG).unwrap(), expected);
        for missing in ["INITED", "DONE", "cov:", "#1234"] {
            assert!(Run::read(&LOG.replace(missing, "")).is_err(), "{missing}");
        }
        assert_eq!(LOG.lines().filter(|line| is_progress(line)).count(), 2);
    }
}

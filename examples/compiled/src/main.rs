//! Compares code that the compiler vectorises with kernels that are written for vectors. Measures
//! portable ChaCha20, compiled for every CPU and for this CPU, beside the library's backends:
//! `cargo run --release`.
//!
//! docs/dispatch.md describes the experiment and has its result.
#![forbid(unsafe_code)]

mod lanes;
mod page;
mod rows;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use crate::rows::Row;

const HELP: &str = "\
Portable ChaCha20, compiled for every CPU and for this one, beside the vectors chosen at run time.

  --from FILE  first: take what was measured from a document of --write
  --write      write the table into docs/dispatch.md, and docs/compiled.json
  --quick      3 rounds instead of 101
  --rows       print only the rows of this build, as JSON
";

/// The whole measurement.
#[derive(Serialize, Deserialize)]
pub(crate) struct Report {
    cpu: String,
    compiler: String,
    /// The rows of this program, compiled for every CPU.
    usual: Vec<Row>,
    /// The rows of this program, compiled with `-C target-cpu=native`.
    native: Vec<Row>,
}

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let (from, arguments) = match arguments {
        [name, file, rest @ ..] if name == "--from" => (Some(file), rest),
        _ => (None, arguments),
    };
    if let Some(unknown) = arguments.iter().find(|name| !["--write", "--quick", "--rows"].contains(&name.as_str())) {
        print!("{HELP}");
        return if unknown == "--help" { Ok(()) } else { Err(format!("there is no option {unknown}")) };
    }
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let rounds = if has("--quick") { 3 } else { 101 };
    if has("--rows") {
        println!("{}", json(&rows::measure(rounds)?)?);
        return Ok(());
    }
    let report = match from {
        Some(file) => page::read(Path::new(file))?,
        None => {
            let native = native(has("--quick"))?;
            Report { cpu: cpu(), compiler: compiler()?, usual: rows::measure(rounds)?, native }
        }
    };
    if has("--write") {
        return page::write(&report, &docs());
    }
    print!("{}", page::table(&report));
    Ok(())
}

fn json(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string_pretty(value).map_err(|error| error.to_string())
}

/// Builds this program for this CPU, runs it, and returns its rows.
fn native(quick: bool) -> Result<Vec<Row>, String> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/native");
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--locked", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", "-Ctarget-cpu=native")
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if !status.success() {
        return Err(format!("cargo failed: {status}"));
    }
    let mut program = Command::new(target.join("release/compiled"));
    let output = program.arg("--rows").args(quick.then_some("--quick")).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

/// Returns the CPU's model name.
fn cpu() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("an unknown CPU", |(_, name)| name.trim()).into()
}

/// Returns the versions of the compiler and of LLVM, which vectorises.
fn compiler() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let field = |name| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("unknown");
    Ok(format!("Rust {} with LLVM {}", field("release: "), field("LLVM version: ")))
}

/// Returns the path of the repository's folder `docs`.
fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_have_the_same_result() {
        let rows = rows::measure(1).unwrap();
        assert!(rows.len() >= 4 && rows.iter().all(|row| row.gbits.iter().all(|gbits| *gbits > 0.0)));
    }

    #[test]
    fn unknown_options_are_errors() {
        assert!(run(&["--fast".into()]).is_err());
        assert!(run(&["--help".into()]).is_ok());
    }

    #[test]
    fn the_committed_page_has_the_table_of_the_committed_document() {
        let report = page::read(&docs().join("compiled.json")).unwrap();
        let page = std::fs::read_to_string(docs().join("dispatch.md")).unwrap();
        assert!(page.contains(&page::table(&report)), "docs/dispatch.md does not match docs/compiled.json");
    }
}

//! Compares the row `static` with a program that is compiled for this CPU: builds this program that
//! way, and measures both in turns.

use std::path::{Path, PathBuf};
use std::process::Command;

use sealane_measure::median;

use crate::report::{Report, StaticBuild};

/// The number of turns of each program.
const TURNS: usize = 5;

/// Builds this program for this CPU, and measures `static` in that build and in this one.
///
/// # Errors
/// If the program cannot be built or run.
pub(crate) fn compare(rounds: u32) -> Result<Vec<StaticBuild>, String> {
    let usual = std::env::current_exe().map_err(|error| error.to_string())?;
    let native = build()?;
    let mut runs = Vec::new();
    for _ in 0..TURNS {
        runs.push([measured(&usual, rounds)?, measured(&native, rounds)?]);
    }
    let operations = runs.first().map_or(0, |[report, _]| report.operations.len());
    let comparison = |i: usize| {
        let ns = |program: usize| {
            median(&runs.iter().map(|reports| reports[program].operations[i].rows[0].ns).collect::<Vec<_>>())
        };
        StaticBuild { title: runs[0][0].operations[i].title.clone(), ns: ns(0), compiled_for_this_cpu_ns: ns(1) }
    };
    Ok((0..operations).map(comparison).collect())
}

/// Compiles this program with `-C target-cpu=native`, in a target folder of its own. Returns the
/// program's path.
fn build() -> Result<PathBuf, String> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/static-build");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--release", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .args(if cfg!(feature = "vaes") { &["--features", "vaes"][..] } else { &[] })
        .arg("--target-dir")
        .arg(&target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", "-Ctarget-cpu=native");
    let status = cargo.status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(target.join("release/dispatch")) } else { Err(format!("cargo failed: {status}")) }
}

fn measured(program: &Path, rounds: u32) -> Result<Report, String> {
    let output = Command::new(program)
        .args(["--json", "--only", "static", "--rounds", &rounds.to_string()])
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{}: {error}", program.display()))
}

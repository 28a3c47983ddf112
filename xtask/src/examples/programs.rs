//! `cargo xtask programs`: measures the builds of the programs outside the workspace.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::cortex_m;
use crate::process::{self, step};
use crate::toolchain;

/// A program that uses the crates as a user's would.
struct Program {
    folder: &'static str,
    name: &'static str,
    /// The target, unless it is this machine's.
    target: Option<&'static str>,
    features: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program { folder: "cortex-m", name: "cortex-m", target: Some(cortex_m::TARGET), features: "" },
    Program { folder: "size", name: "seal_and_open", target: None, features: "avx512" },
    Program { folder: "http-range", name: "http-range", target: None, features: "" },
];

/// Builds each program from nothing, and prints a table: crates, seconds and bytes.
pub(crate) fn run() -> Result<()> {
    let mut table = String::new();
    for program in PROGRAMS {
        step(&format!("examples/{}", program.folder));
        table += &program.measure()?;
    }
    println!("\n| program | crates of others | ours | seconds to build | bytes |\n|---|---:|---:|---:|---:|\n{table}");
    Ok(())
}

impl Program {
    /// Returns a row of the table.
    fn measure(&self) -> Result<String> {
        let manifest = format!("examples/{}/Cargo.toml", self.folder);
        let (others, own) = self.crates(&manifest)?;
        let target_dir = process::empty_folder(format!("programs/{}", self.folder))?;
        let toolchain =
            self.target.map(|target| toolchain::for_target(target, "core")).transpose()?.unwrap_or_default();
        let mut build = process::cargo();
        build.args(["build", "--release", "--locked", "--manifest-path", &manifest, "--bin", self.name]);
        build.args(["--features", self.features]).args(self.target.map(|target| format!("--target={target}")));
        build.env("CARGO_TARGET_DIR", &target_dir).env("CARGO_INCREMENTAL", "0").envs(toolchain.variables);
        let started = Instant::now();
        process::run(&mut build)?;
        let seconds = started.elapsed().as_secs();
        let folder = self.target.map_or(target_dir.clone(), |target| target_dir.join(target));
        let size = process::tool("size", "binutils")?;
        let sizes = process::output(Command::new(size).arg(folder.join("release").join(self.name)))?;
        let bytes: u64 = sizes
            .lines()
            .nth(1)
            .unwrap_or_default()
            .split_whitespace()
            .take(2)
            .filter_map(|n| n.parse::<u64>().ok())
            .sum();
        ensure!(bytes > 0, "`size` printed {sizes:?}");
        Ok(format!("| `examples/{}` | {others} | {own} | {seconds} | {bytes} |\n", self.folder))
    }

    /// Returns the numbers of crates that a build compiles: others', and ours with the program.
    fn crates(&self, manifest: &str) -> Result<(usize, usize)> {
        let mut tree = process::cargo();
        tree.args(["tree", "--locked", "--manifest-path", manifest, "--edges", "normal,build", "--prefix", "none"]);
        tree.args(["--features", self.features]).args(self.target.map(|target| format!("--target={target}")));
        let tree = process::output(&mut tree)?;
        // A path in parentheses marks ours, and `(*)` what was listed before.
        let crates: BTreeSet<_> =
            tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|l| !l.is_empty()).collect();
        let own = crates.iter().filter(|line| line.contains(" (/")).count();
        Ok((crates.len() - own, own))
    }
}

//! `cargo xtask release`: builds the command for a release, without paths of the build machine.

pub(crate) mod reproducible;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

use crate::command_crates::{Crate, PACKAGE};
use crate::process::{self, step};
use crate::toolchain;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    step("the command as it is released");
    let place = Place::here()?;
    let build = place.build()?;
    names_no_place(&build.bytes, &[&place])?;
    println!("   {}: {} bytes, SHA-256 {}", build.program.display(), build.bytes.len(), digest(&build.bytes));
    Ok(())
}

/// Builds the command as released, and returns its path.
pub(crate) fn command() -> Result<PathBuf> {
    Ok(Place::here()?.build()?.program)
}

/// The folders of a build: its sources, its results, and the sources of other crates.
struct Place {
    root: PathBuf,
    target: PathBuf,
    cargo_home: PathBuf,
}

/// A program, and the packages that it was built from.
struct Build {
    program: PathBuf,
    bytes: Vec<u8>,
    packages: BTreeSet<Crate>,
}

impl Place {
    fn here() -> Result<Self> {
        let cargo_home = match std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
            Some(home) => PathBuf::from(home),
            None => home()?.join(".cargo"),
        };
        let target = std::path::absolute(process::target_dir()).context("no such folder to build in")?;
        Ok(Self { root: process::workspace_root(), target, cargo_home })
    }

    fn build(&self) -> Result<Build> {
        // The folders that are renamed in the program exist only after the crates are fetched.
        self.cargo(&["fetch", "--target", &toolchain::host()?], &OsString::new())?;
        let messages = self.cargo(
            &["build", "--release", "--package", PACKAGE, "--message-format=json-render-diagnostics"],
            &self.flags()?,
        )?;
        let program = self.target.join("release/sealane");
        let bytes = fs::read(&program).with_context(|| format!("cargo did not build {}", program.display()))?;
        Ok(Build { program, bytes, packages: compiled(&messages)? })
    }

    fn cargo(&self, arguments: &[&str], flags: &OsString) -> Result<String> {
        let mut command = process::cargo();
        command.args(arguments).args(["--locked", "--quiet"]).current_dir(&self.root);
        command.env("CARGO_TARGET_DIR", &self.target).env("CARGO_HOME", &self.cargo_home);
        // With RUSTFLAGS from the environment, the program would differ from the released one.
        command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags);
        process::output(&mut command)
    }

    /// Returns flags that make the paths in the program's panic messages the same on all machines.
    /// Cargo's profile option for this is `trim-paths`, which is not stable.
    fn flags(&self) -> Result<OsString> {
        let mut renamed = vec![(self.root.clone(), "/sealane".to_owned()), (self.target.clone(), "/target".to_owned())];
        let sources = self.cargo_home.join("registry/src");
        for source in fs::read_dir(&sources).with_context(|| format!("cannot list {}", sources.display()))? {
            // One folder for each registry or its mirror. All of them are renamed alike.
            renamed.push((source?.path(), "/crates.io".to_owned()));
        }
        // The path in rustup's component rust-src, and the path that the compiler uses without it.
        let library = toolchain::sysroot("rustc")?.join("lib/rustlib/src/rust");
        renamed.push((library, format!("/rustc/{}", toolchain::of_compiler("commit-hash")?)));

        let mut flags = OsString::new();
        for (from, to) in renamed {
            if !flags.is_empty() {
                // Cargo separates flags with this character.
                flags.push("\x1f");
            }
            flags.push("--remap-path-prefix=");
            flags.push(from);
            flags.push("=");
            flags.push(to);
        }
        Ok(flags)
    }
}

fn home() -> Result<PathBuf> {
    std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from).context("HOME is not set")
}

/// Returns the packages that cargo compiled, now or before.
fn compiled(messages: &str) -> Result<BTreeSet<Crate>> {
    let mut found = BTreeSet::new();
    for line in messages.lines() {
        let message: serde_json::Value =
            serde_json::from_str(line).with_context(|| format!("cargo printed: {line}"))?;
        if message["reason"] == "compiler-artifact" {
            let id = message["package_id"].as_str().context("an artifact of no package")?;
            found.insert(Crate::of_id(id).with_context(|| format!("cargo named a package {id}"))?);
        }
    }
    ensure!(!found.is_empty(), "cargo compiled nothing");
    Ok(found)
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Fails if a program contains a path of its build folders, of the home directory, or of the
/// compiler.
fn names_no_place(program: &[u8], places: &[&Place]) -> Result<()> {
    let mut paths = vec![home()?, toolchain::sysroot("rustc")?];
    for place in places {
        paths.extend([&place.root, &place.target, &place.cargo_home].map(PathBuf::clone));
    }
    let leaks = leaks(program, &paths);
    if leaks.is_empty() {
        return Ok(());
    }
    bail!("the program names folders of this machine:\n  - {}", leaks.join("\n  - "))
}

/// Returns the strings of a program that contain a path below one of these folders.
fn leaks(program: &[u8], folders: &[PathBuf]) -> Vec<String> {
    let prefixes: Vec<_> = (folders.iter().map(|folder| folder.as_path()))
        .filter(|folder| *folder != Path::new("/"))
        .map(|folder| format!("{}/", folder.display()))
        .collect();
    let strings = strings(program).into_iter();
    strings.filter(|text| prefixes.iter().any(|prefix| text.contains(prefix))).collect()
}

/// Returns the runs of printable ASCII in a program, without duplicates.
fn strings(bytes: &[u8]) -> BTreeSet<String> {
    let runs = bytes.split(|byte| !(b' '..=b'~').contains(byte)).filter(|run| run.len() >= 6);
    runs.map(|run| String::from_utf8_lossy(run).into_owned()).collect()
}

/// Describes the difference of two programs: the first byte, and strings that only one of them has.
fn difference(a: &[u8], b: &[u8]) -> String {
    let at = a.iter().zip(b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
    let only: Vec<_> = strings(a).symmetric_difference(&strings(b)).take(24).cloned().collect();
    format!("{} and {} bytes, the first that differs at {at:#x}; only in one: {only:#?}", a.len(), b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let text = difference(b"\x01abcdef\0abc\xffsame text", b"\x01abcdeg\0abc\xffsame text");
        assert!(text.contains("0x6;") && text.contains("abcdef") && !text.contains("same"), "{text}");
    }

    #[test]
    fn finds_paths() {
        let folders = [PathBuf::from("/home/someone"), PathBuf::from("/")];
        assert_eq!(leaks(b"\0\x01/home/someone/x.rs\0/crates.io/y.rs\0", &folders), ["/home/someone/x.rs"]);
        assert!(leaks(b"\0/home/someoneelse/x.rs\0/usr/lib\0", &folders).is_empty());
    }
}

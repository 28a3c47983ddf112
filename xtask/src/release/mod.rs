//! `cargo xtask release`: builds the command for a release, without paths of the build machine.

pub(crate) mod reproducible;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use sha2::{Digest as _, Sha256};

use crate::command_crates::{Crate, PACKAGE};
use crate::process::{self, step};
use crate::toolchain;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    step("the command for release");
    let place = Place::usual()?;
    let build = place.build()?;
    names_no_place(&build.bytes, &[&place])?;
    println!("   {}: {} bytes, SHA-256 {}", build.program.display(), build.bytes.len(), digest(&build.bytes));
    Ok(())
}

/// Builds the command as released, and returns its path.
pub(crate) fn command() -> Result<PathBuf> {
    Ok(Place::usual()?.build()?.program)
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
    fn usual() -> Result<Self> {
        let cargo_home = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let cargo_home = cargo_home.map_or_else(|| Ok(home()?.join(".cargo")), anyhow::Ok)?;
        Ok(Self { root: process::workspace_root(), target: process::target_dir(), cargo_home })
    }

    fn build(&self) -> Result<Build> {
        // The folders that are renamed in the program exist only after the crates are fetched.
        self.cargo(&["fetch", "--target", &toolchain::of_compiler("host")?], "")?;
        let build = ["build", "--release", "--package", PACKAGE, "--message-format=json-render-diagnostics"];
        let messages = self.cargo(&build, &self.flags()?)?;
        let program = self.target.join("release/sealane");
        let bytes = fs::read(&program).with_context(|| format!("cargo did not build {}", program.display()))?;
        Ok(Build { program, bytes, packages: compiled(&messages)? })
    }

    fn cargo(&self, arguments: &[&str], flags: &str) -> Result<String> {
        let mut command = process::cargo();
        command.args(arguments).args(["--locked", "--quiet"]).current_dir(&self.root);
        command.env("CARGO_TARGET_DIR", &self.target).env("CARGO_HOME", &self.cargo_home);
        // With RUSTFLAGS from the environment, the program would differ from the released one.
        command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags);
        process::output(&mut command)
    }

    /// Returns flags that make the paths in the program's panic messages the same on all machines.
    /// Cargo's profile option for this is `trim-paths`, which is not stable.
    fn flags(&self) -> Result<String> {
        let mut renamed = vec![(self.root.clone(), "/sealane".to_owned()), (self.target.clone(), "/target".to_owned())];
        let sources = self.cargo_home.join("registry/src");
        for source in fs::read_dir(&sources).with_context(|| format!("cannot list {}", sources.display()))? {
            // One folder for each registry or its mirror. All of them are renamed alike.
            renamed.push((source?.path(), "/crates.io".to_owned()));
        }
        // The path in rustup's component rust-src, and the path that the compiler uses without it.
        let library = toolchain::sysroot("rustc")?.join("lib/rustlib/src/rust");
        renamed.push((library, format!("/rustc/{}", toolchain::of_compiler("commit-hash")?)));

        let flags = renamed.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        // Cargo separates flags with this character.
        Ok(flags.collect::<Vec<_>>().join("\x1f"))
    }
}

fn home() -> Result<PathBuf> {
    std::env::home_dir().context("no home directory")
}

/// Returns the packages that cargo compiled, now or before.
fn compiled(messages: &str) -> Result<BTreeSet<Crate>> {
    let mut found = BTreeSet::new();
    for artifact in process::artifacts(messages)? {
        let id = artifact.package_id.repr;
        found.insert(Crate::of_id(&id).with_context(|| format!("cargo named a package {id}"))?);
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
    ensure!(leaks.is_empty(), "the program names folders of this machine:\n  - {}", leaks.join("\n  - "));
    Ok(())
}

/// Returns the runs of printable ASCII in a program that contain a path below one of these folders.
fn leaks(program: &[u8], folders: &[PathBuf]) -> Vec<String> {
    let folders = folders.iter().filter(|folder| *folder != Path::new("/"));
    let prefixes: Vec<_> = folders.map(|folder| format!("{}/", folder.display())).collect();
    let strings = program.split(|byte| !(b' '..=b'~').contains(byte)).map(process::lossy);
    strings.filter(|text| prefixes.iter().any(|prefix| text.contains(prefix))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_paths() {
        let folders = [PathBuf::from("/home/someone"), PathBuf::from("/")];
        assert_eq!(leaks(b"\0\x01/home/someone/x.rs\0/crates.io/y.rs\0", &folders), ["/home/someone/x.rs"]);
        assert!(leaks(b"\0/home/someoneelse/x.rs\0/usr/lib\0", &folders).is_empty());
    }
}

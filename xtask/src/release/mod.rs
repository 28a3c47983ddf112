//! `cargo xtask release`: builds the command for a release, without paths of the build machine.

pub(crate) mod dist;
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
    let place = Place::usual(Target::native()?)?;
    step(&format!("the command as it is released for {}", place.target.triple));
    let build = place.build()?;
    names_no_place(&build.bytes, &[&place])?;
    println!("   {}: {} bytes, SHA-256 {}", build.program.display(), build.bytes.len(), digest(&build.bytes));
    Ok(())
}

/// A target of the released command, and its linker.
#[derive(Clone)]
struct Target {
    triple: String,
    linker: &'static str,
}

/// The command is released for these targets. Programs with musl's C library are static, and Rust
/// brings the linker and the library for them.
const TARGETS: &[(&str, &str)] = &[
    ("x86_64-unknown-linux-musl", "rust-lld"),
    ("aarch64-unknown-linux-musl", "rust-lld"),
    ("x86_64-pc-windows-gnu", "x86_64-w64-mingw32-gcc"),
];

impl Target {
    /// Returns all targets.
    fn all() -> Result<Vec<Self>> {
        process::tool("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")?;
        TARGETS.iter().map(|&(triple, linker)| Self::new(triple.to_owned(), linker)).collect()
    }

    /// Returns the target for machines of this kind.
    fn native() -> Result<Self> {
        Self::new(toolchain::of_compiler("host")?.replace("-gnu", "-musl"), "rust-lld")
    }

    fn new(triple: String, linker: &'static str) -> Result<Self> {
        toolchain::add(&triple)?;
        Ok(Self { triple, linker })
    }
}

/// The target of a build, and its folders: its sources, its results, and the sources of other
/// crates.
struct Place {
    target: Target,
    root: PathBuf,
    output: PathBuf,
    cargo_home: PathBuf,
}

/// A program, and the packages that it was built from.
struct Build {
    program: PathBuf,
    bytes: Vec<u8>,
    packages: BTreeSet<Crate>,
}

impl Place {
    fn usual(target: Target) -> Result<Self> {
        let cargo_home = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let cargo_home = cargo_home.map_or_else(|| Ok(home()?.join(".cargo")), anyhow::Ok)?;
        // A folder of its own, so that no other build waits for the lock on it while this one
        // links.
        let output = process::target_dir().join("releases");
        Ok(Self { target, root: process::workspace_root(), output, cargo_home })
    }

    fn build(&self) -> Result<Build> {
        // The folders whose paths are replaced in the program exist only after the crates are
        // fetched.
        let triple = &*self.target.triple;
        self.cargo(&["fetch", "--target", triple], "")?;
        let build = ["build", "--release", "--target", triple, "--package", PACKAGE];
        let messages = ["--message-format=json-render-diagnostics"];
        let messages = self.cargo(&[&build[..], &messages].concat(), &self.flags()?)?;
        let program = self.output.join(triple).join("release");
        let program = program.join(if triple.contains("windows") { "sealane.exe" } else { "sealane" });
        let bytes = fs::read(&program).with_context(|| format!("cargo did not build {}", program.display()))?;
        Ok(Build { program, bytes, packages: compiled(&messages)? })
    }

    fn cargo(&self, arguments: &[&str], flags: &str) -> Result<String> {
        let mut command = process::cargo();
        command.args(arguments).args(["--locked", "--quiet"]).current_dir(&self.root);
        command.env("CARGO_TARGET_DIR", &self.output).env("CARGO_HOME", &self.cargo_home);
        command.env(process::cargo_variable(&self.target.triple, "LINKER"), self.target.linker);
        // With RUSTFLAGS from the environment, the program would differ from the released one.
        command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags);
        process::output(&mut command)
    }

    /// Returns flags for a static program without symbols, with the same paths in its panic
    /// messages on all machines. Cargo's profile option for paths is `trim-paths`, which is not
    /// stable.
    fn flags(&self) -> Result<String> {
        let mut renamed = vec![(self.root.clone(), "/sealane".to_owned()), (self.output.clone(), "/target".to_owned())];
        let sources = self.cargo_home.join("registry/src");
        for source in fs::read_dir(&sources).with_context(|| format!("cannot list {}", sources.display()))? {
            // There is a folder for each registry or mirror. All get the same name.
            renamed.push((source?.path(), "/crates.io".to_owned()));
        }
        // The path in rustup's component rust-src, and the path that the compiler uses without it.
        let library = toolchain::sysroot()?.join("lib/rustlib/src/rust");
        renamed.push((library, format!("/rustc/{}", toolchain::of_compiler("commit-hash")?)));

        let flags = renamed.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        let flags = flags.chain(["-Cstrip=symbols".to_owned(), "-Ctarget-feature=+crt-static".to_owned()]);
        // Cargo separates flags with this character.
        Ok(flags.collect::<Vec<_>>().join("\x1f"))
    }
}

fn home() -> Result<PathBuf> {
    std::env::home_dir().context("no home directory")
}

/// Returns the packages of a build, whether cargo compiled them in this build or an earlier one.
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
    let mut paths = vec![home()?, toolchain::sysroot()?];
    for place in places {
        paths.extend([&place.root, &place.output, &place.cargo_home].map(PathBuf::clone));
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

//! `cargo xtask dependencies`: checks licences, duplicates and sources of all crates in use
//! (cargo-deny, deny.toml), and that each has a reason in docs/dependencies.md.

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command_crates::{CommandCrates, locked, metadata};
use crate::process::{self, step};
use page::{Mark, Page};

/// The version that deny.toml is written for.
const CARGO_DENY: &str = "cargo install cargo-deny --version 0.20.2 --locked";
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";
const PAGE: &str = "docs/dependencies.md";
/// The target of the page's statements about the command's crates.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Look only for known vulnerabilities and yanked versions, in RustSec's database of today
    /// (needs the network)
    #[arg(long)]
    advisories: bool,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let cargo_deny = process::tool_from_env("CARGO_DENY", "cargo-deny", CARGO_DENY)?;
    if options.advisories {
        step("advisories");
        return deny(&cargo_deny, &["advisories"]).context(
            "either a crate has an advisory, or RustSec's database could not be fetched: the lines above say which",
        );
    }
    step("licences, bans and sources (deny.toml)");
    deny(&cargo_deny, &["licenses", "bans", "sources"])?;
    let workspaces = workspaces()?;
    step("sealane-age");
    file_format()?;
    step("lock files");
    lock_files(&workspaces)?;
    step(PAGE);
    reasons(&workspaces)
}

/// Warnings fail too. An unused licence or exception must be removed.
fn deny(program: &Path, what: &[&str]) -> Result<()> {
    process::run(
        Command::new(program)
            .args(["--workspace", "--locked", "check", "--deny", "warnings", "--hide-inclusion-graph"])
            .args(what),
    )
}

/// The most crates that `sealane-age` may bring with its default features, itself included.
const FILE_FORMAT_CRATES: usize = 60;

/// Checks that `sealane-age` stays small: it brings neither the crate `age` nor RSA, translated
/// messages or a terminal.
fn file_format() -> Result<()> {
    let arguments = ["tree", "--locked", "-p", "sealane-age", "-e", "normal", "--prefix", "none"];
    let tree = String::from_utf8(process::output(process::cargo().args(arguments))?)?;
    let crates: BTreeSet<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let unwanted = ["age", "age-core", "rsa", "i18n-embed", "rpassword", "pinentry", "console"];
    let mut names = crates.iter().filter_map(|line| line.split(' ').next());
    if let Some(name) = names.find(|name| unwanted.contains(name)) {
        bail!("sealane-age brings {name} with its default features");
    }
    let count = crates.len();
    ensure!(count <= FILE_FORMAT_CRATES, "sealane-age brings {count} crates, which are more than {FILE_FORMAT_CRATES}");
    println!("   {count} crates");
    Ok(())
}

/// Returns the folders of this repository with a workspace: the main one, and the separate ones.
fn workspaces() -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for file in process::tracked_files()?.iter().filter(|file| file.ends_with("Cargo.toml")) {
        let manifest: toml::Table = toml::from_str(&fs::read_to_string(file)?)
            .with_context(|| format!("cannot understand {}", file.display()))?;
        if manifest.contains_key("workspace") {
            folders.push(file.parent().context("a manifest is in a folder")?.to_path_buf());
        }
    }
    ensure!(!folders.is_empty(), "no workspace in the repository");
    Ok(folders)
}

/// cargo-deny looks at one workspace only. This checks all lock files: every crate from outside is
/// from crates.io and has a checksum.
fn lock_files(workspaces: &[PathBuf]) -> Result<()> {
    for folder in workspaces {
        let file = folder.join("Cargo.lock");
        if !file.is_file() {
            println!("   {}: none, so nothing there is pinned", file.display());
            continue;
        }
        let mut foreign = 0;
        for package in &locked(&file)? {
            let Some(source) = &package.source else { continue };
            ensure!(source == CRATES_IO, "{}: {} is from {source}, not from crates.io", file.display(), package.name);
            ensure!(package.checksum.is_some(), "{}: {} has no checksum", file.display(), package.name);
            foreign += 1;
        }
        println!("   {}: {foreign} crates, all from crates.io, with checksums", file.display());
    }
    Ok(())
}

/// Checks that the page lists every crate that a manifest names, and every crate that becomes part
/// of the command with them, with a reason and the right marks. It must list no others.
fn reasons(workspaces: &[PathBuf]) -> Result<()> {
    let mut named = BTreeSet::new();
    for folder in workspaces {
        for package in metadata(&folder.join("Cargo.toml"), &["--no-deps"])? {
            named.extend(package.dependencies.into_iter().filter(|d| d.path.is_none()).map(|d| d.name));
        }
    }
    let command = marks()?;
    let brought: BTreeSet<_> = command.keys().filter(|name| !named.contains(*name)).cloned().collect();

    let page = Page::parse(&fs::read_to_string(PAGE).with_context(|| format!("cannot read {PAGE}"))?)?;
    let mut complaints = page.compare(&named, &brought);
    complaints.extend(page.wrong_marks(&command));
    if complaints.is_empty() {
        println!("   {} crates in manifests and {} that come with them have a reason", named.len(), brought.len());
        return Ok(());
    }
    bail!("{PAGE} is not true:\n  - {}", complaints.join("\n  - "))
}

/// Returns the names of the command's crates from outside, and their marks.
fn marks() -> Result<BTreeMap<String, Mark>> {
    let crates = CommandCrates::on(TARGET)?;
    let in_program: BTreeSet<_> = crates.in_program.iter().map(|package| package.name.as_str()).collect();
    let names: BTreeSet<_> = crates.dependencies.keys().map(|package| package.name.as_str()).collect();
    let mut found = BTreeMap::<String, Mark>::new();
    for package in metadata(Path::new("Cargo.toml"), &["--filter-platform", TARGET])? {
        if package.source.is_none() || !names.contains(package.name.as_str()) {
            continue;
        }
        let folder = package.manifest_path.parent().context("a manifest is in a folder")?;
        let mark = found.entry(package.name.clone()).or_default();
        mark.has_unsafe |= has_unsafe_code(&folder.join("src"))?;
        mark.only_builds = !in_program.contains(package.name.as_str());
    }
    Ok(found)
}

/// Returns whether a source file in `folder` or below has an `unsafe` block, function,
/// implementation, trait or foreign interface, for any platform or feature. Lines with a comment do
/// not count.
fn has_unsafe_code(folder: &Path) -> Result<bool> {
    const CODE: &str = r"^([^/]|/[^/])*\bunsafe(\s*$|\s*\{|\s+(fn|impl|trait|extern)\b)";
    let grep = process::tool("grep", "grep")?;
    let mut command = Command::new(grep);
    command.args(["--recursive", "--quiet", "--include=*.rs", "--extended-regexp", CODE]).arg(folder);
    match command.status()?.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => bail!("{} failed", process::describe(&command)),
    }
}

//! The version of the compiler, and its standard libraries.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;

/// Installs the standard library for `target`, unless the compiler has it.
pub(crate) fn add(target: &str) -> Result<()> {
    if sysroot()?.join("lib/rustlib").join(target).join("lib").is_dir() {
        return Ok(());
    }
    process::run(Command::new("rustup").args(["target", "add", target]))
        .with_context(|| format!("there is no standard library for {target}"))
}

/// Returns the value of a field in `rustc -vV`, such as `host` or `commit-hash`.
pub(crate) fn of_compiler(name: &str) -> Result<String> {
    let version = process::output(Command::new("rustc").arg("-vV"))?;
    let found = version.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Ok(found.with_context(|| format!("`rustc -vV` names no {name}"))?.to_owned())
}

/// Returns the folder of the compiler's libraries.
pub(crate) fn sysroot() -> Result<PathBuf> {
    Ok(process::output(Command::new("rustc").args(["--print", "sysroot"]))?.trim().into())
}

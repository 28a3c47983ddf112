//! Packages of Python.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process::{self, step};

/// Returns a Python interpreter that has a package, from the virtual environment of these chores.
pub(crate) fn interpreter_with(package: &str) -> Result<PathBuf> {
    let directory = process::target_dir().join("python");
    let python = directory.join("bin/python");
    step(&format!("{package} in {}", directory.display()));
    if !python.is_file() {
        let system = process::tool_from_env("PYTHON", "python3", "apt-get install python3 python3-venv")?;
        process::run(Command::new(system).args(["-m", "venv"]).arg(&directory))?;
    }
    process::run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-compile", package]))?;
    Ok(python)
}

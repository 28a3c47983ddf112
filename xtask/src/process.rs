//! Runs other programs, and says which package to install if one is missing.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Returns the root of the repository.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_path_buf()
}

/// Returns the folder for downloads and emulators, which are kept between runs:
/// `$XDG_CACHE_HOME/sealane` or `~/.cache/sealane`.
pub(crate) fn cache_dir() -> Result<PathBuf> {
    let base = match std::env::var_os("XDG_CACHE_HOME").filter(|dir| !dir.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => {
            PathBuf::from(std::env::var_os("HOME").context("neither XDG_CACHE_HOME nor HOME is set")?).join(".cache")
        }
    };
    let dir = base.join("sealane");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir)
}

/// Returns the cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the folder of cargo's output.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace_root().join("target"), PathBuf::from)
}

/// Returns the path of `program`, or an error that names the Debian package to install.
pub(crate) fn tool(program: &str, debian_package: &str) -> Result<PathBuf> {
    find(program)
        .with_context(|| format!("`{program}` is not installed. On Debian or Ubuntu: apt-get install {debian_package}"))
}

/// Returns the path of `program` in PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|candidate| candidate.is_file())
}

/// Returns the path of `program` from the environment variable `variable` or from PATH.
pub(crate) fn tool_from_env(variable: &str, program: &str, how_to_install: &str) -> Result<PathBuf> {
    match std::env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(path) => {
            let path = PathBuf::from(path);
            if !path.is_file() {
                bail!("{variable} names {}, which is no file", path.display());
            }
            Ok(path)
        }
        None => find(program).with_context(|| {
            format!("`{program}` is neither in PATH nor named by {variable}. To install it: {how_to_install}")
        }),
    }
}

/// Runs a command with its output on the terminal. Returns an error unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", describe(command)))?;
    if !status.success() {
        bail!("{} failed: {status}", describe(command));
    }
    Ok(())
}

/// Runs a command and returns its standard output. Returns an error with its standard error unless
/// it succeeds.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot start {}", describe(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}\n{}", describe(command), output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

/// Returns the files of the repository, including those that are not committed yet, as paths from
/// its root.
pub(crate) fn tracked_files() -> Result<Vec<PathBuf>> {
    let git = tool("git", "git")?;
    let list = output(
        Command::new(git)
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(workspace_root()),
    )?;
    let list = String::from_utf8(list).context("the name of a file is not UTF-8")?;
    let files = list.split_terminator('\0').map(PathBuf::from);
    // Git also lists files whose removal is not committed yet.
    Ok(files.filter(|file| workspace_root().join(file).is_file()).collect())
}

/// Returns the command as one line, for messages.
pub(crate) fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Prints a heading before a step.
pub(crate) fn step(title: &str) {
    println!("== {title}");
}

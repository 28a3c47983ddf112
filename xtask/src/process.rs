//! Runs other programs, and reads and writes files of the repository. If a program is missing, the
//! error names the package to install.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use cargo_metadata::{Artifact, Message};
use serde::de::DeserializeOwned;

/// Returns the root of the repository.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace").to_path_buf()
}

/// Returns a command for the cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the name of the environment variable that passes a setting of a target to cargo.
pub(crate) fn cargo_variable(target: &str, setting: &str) -> OsString {
    format!("CARGO_TARGET_{}_{setting}", target.replace('-', "_").to_uppercase()).into()
}

/// Returns the folder of cargo's output.
pub(crate) fn target_dir() -> PathBuf {
    workspace_root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Returns a folder in cargo's output. Creates it if it does not exist.
pub(crate) fn folder(name: impl AsRef<Path>) -> Result<PathBuf> {
    let folder = target_dir().join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// Returns an empty folder in cargo's output. Removes what was in it.
pub(crate) fn empty_folder(name: impl AsRef<Path>) -> Result<PathBuf> {
    let folder = target_dir().join(&name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    self::folder(name)
}

/// Reads a file. A relative path begins at the root of the repository.
pub(crate) fn read(path: impl AsRef<Path>) -> Result<String> {
    let path = path.as_ref();
    fs::read_to_string(workspace_root().join(path)).with_context(|| format!("cannot read {}", path.display()))
}

/// Reads a TOML file. A relative path begins at the root of the repository.
pub(crate) fn read_toml<T: DeserializeOwned>(path: impl AsRef<Path>) -> Result<T> {
    toml::from_str(&read(&path)?).with_context(|| format!("cannot understand {}", path.as_ref().display()))
}

/// Writes a file. A relative path begins at the root of the repository.
pub(crate) fn write(path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> Result<()> {
    let path = path.as_ref();
    fs::write(workspace_root().join(path), content).with_context(|| format!("cannot write {}", path.display()))
}

/// Returns the path of `program`, or an error that names the Debian package to install.
pub(crate) fn tool(program: &str, debian_package: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|dir| dir.join(program)).find(|candidate| candidate.is_file());
    found
        .with_context(|| format!("`{program}` is not installed. On Debian or Ubuntu: apt-get install {debian_package}"))
}

/// Runs a command with its output on the terminal. Returns an error unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", describe(command)))?;
    ensure!(status.success(), "{} failed: {status}", describe(command));
    Ok(())
}

/// Runs a command and returns its standard output. Returns an error with its standard error unless
/// it succeeds.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = outcome(command)?;
    let error = || format!("{} failed: {}\n{}", describe(command), output.status, lossy(&output.stderr));
    ensure!(output.status.success(), error());
    Ok(lossy(&output.stdout))
}

/// Runs a command, and returns its status and output, even if the command fails.
pub(crate) fn outcome(command: &mut Command) -> Result<Output> {
    command.output().with_context(|| format!("cannot start {}", describe(command)))
}

/// Returns the artifacts that cargo built, from its JSON messages.
pub(crate) fn artifacts(messages: &str) -> Result<Vec<Artifact>> {
    let mut artifacts = Vec::new();
    for message in Message::parse_stream(messages.as_bytes()) {
        if let Message::CompilerArtifact(artifact) = message? {
            artifacts.push(artifact);
        }
    }
    Ok(artifacts)
}

/// Returns the text of a program's output.
pub(crate) fn lossy(output: &[u8]) -> String {
    String::from_utf8_lossy(output).into_owned()
}

/// Returns the files of the repository, including those that are not committed yet, as paths from
/// its root.
pub(crate) fn tracked_files() -> Result<Vec<PathBuf>> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let list = output(Command::new("git").args(arguments).current_dir(workspace_root()))?;
    let files = list.split_terminator('\0').map(PathBuf::from);
    // Git also lists files whose removal is not committed yet.
    Ok(files.filter(|file| workspace_root().join(file).is_file()).collect())
}

/// Returns the command that runs a program under `runner`, which is another program and its
/// arguments, or natively if `runner` is empty.
pub(crate) fn under(runner: &[OsString], program: &Path) -> Command {
    let mut words = runner.iter().map(OsString::as_os_str).chain([program.as_os_str()]);
    let mut command = Command::new(words.next().expect("there is a program"));
    command.args(words);
    command
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

//! Builds and runs test executables.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use sealane_workloads::TESTS_OF_EVERY_RUN;

use crate::command_crates::Crate;
use crate::process;

/// The environment variable for slow runs: tests that would try all combinations try one in
/// thirteen. Thirteen is odd, so all remainders modulo a block's length occur.
pub(crate) const SOME_COMBINATIONS: (&str, &str) = ("SEALANE_TEST_ONE_IN", "13");
/// The compiler's flag for slow builds: tests of GF(2^n) try few fields.
pub(crate) const FEW_FIELDS: &str = "--cfg sealane_few_fields";

/// Returns the environment variables for tests in an emulator: the backends that the tests must
/// use, [`SOME_COMBINATIONS`], and the backends that detection must choose, if they are known.
pub(crate) fn emulated<'a>(backends: &'a str, detects: Option<&'a str>) -> Vec<(&'static str, &'a str)> {
    let detects = detects.map(|names| ("SEALANE_TEST_DETECTS", names));
    [("SEALANE_BACKEND", backends), SOME_COMBINATIONS].into_iter().chain(detects).collect()
}

/// A test executable.
pub(crate) struct TestBinary {
    /// `package` for unit tests, `package/name` for a file in the `tests` folder of the package.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) package: String,
    /// The folder of its package, in which cargo would start it.
    directory: PathBuf,
}

impl TestBinary {
    /// Returns whether it tests the primitives or their vectors, not the file format.
    pub(crate) fn is_of_primitives(&self) -> bool {
        self.package != "sealane-age"
    }

    /// Returns the command that runs it under `runner`, or natively if `runner` is empty.
    pub(crate) fn command(&self, runner: &[OsString]) -> Command {
        let mut command = process::under(runner, &self.path);
        command.current_dir(&self.directory);
        command
    }
}

/// Returns a command that builds test executables with cargo's profile `quick`. The caller adds the
/// packages. The separate target folder `folder` keeps other flags from making `cargo test` build
/// again.
pub(crate) fn quick_build(folder: &str) -> Command {
    let mut command = process::cargo();
    command.args(["test", "--no-run", "--profile=quick", "--locked", "--message-format=json-render-diagnostics"]);
    command.env("CARGO_TARGET_DIR", process::target_dir().join(folder));
    command
}

/// Returns the test executables of the packages whose tests depend on the backend: the primitives
/// and the file format. Builds as `cargo test --workspace` does: if the packages were named one by
/// one, cargo would choose other features of their dependencies, and build those again.
pub(crate) fn of_workspace() -> Result<Vec<TestBinary>> {
    let mut command = process::cargo();
    command.args(["test", "--no-run", "--locked", "--workspace", "--lib", "--tests"]);
    let mut binaries = executables(command.arg("--message-format=json-render-diagnostics"))?;
    binaries.retain(|binary| ["sealane-simd", "sealane", "sealane-age"].contains(&binary.package.as_str()));
    Ok(binaries)
}

/// Runs a `cargo test --no-run` with JSON messages, and lists the executables that it built.
pub(crate) fn executables(command: &mut Command) -> Result<Vec<TestBinary>> {
    let output = process::outcome(command.stderr(Stdio::inherit()))?;
    ensure!(output.status.success(), "{} failed: {}", process::describe(command), output.status);
    let binaries = parse_messages(&process::lossy(&output.stdout))?;
    ensure!(!binaries.is_empty(), "{} built no test executable", process::describe(command));
    Ok(binaries)
}

fn parse_messages(messages: &str) -> Result<Vec<TestBinary>> {
    let mut binaries = Vec::new();
    for artifact in process::artifacts(messages)? {
        let (true, Some(path)) = (artifact.profile.test, artifact.executable) else { continue };
        let package = Crate::of_id(&artifact.package_id.repr).context("cargo named no package of a test")?.name;
        let target = artifact.target;
        let name = if target.is_test() { format!("{package}/{}", target.name) } else { package.clone() };
        let directory = artifact.manifest_path.parent().context("a manifest is in a folder")?.into();
        binaries.push(TestBinary { name, path: path.into(), package, directory });
    }
    binaries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(binaries)
}

/// Returns the result in the closing line of a test executable's output.
pub(crate) fn closing_line(output: &str) -> Option<&str> {
    output.lines().rev().find_map(|line| line.trim().strip_prefix("test result: "))
}

/// Returns the number of tests that passed, from the closing line of a test executable's output.
///
/// # Errors
/// If there is no such line, or if a test failed.
pub(crate) fn passed(name: &str, output: &str) -> Result<usize> {
    let line = closing_line(output)
        .with_context(|| format!("{name} did not run to its end: its output has no \"test result\" line"))?;
    let count = line.strip_prefix("ok. ").and_then(|counts| counts.split(' ').next()?.parse().ok());
    count.with_context(|| format!("{name}: test result: {line}"))
}

/// Runs the executables one after the other under `runner`, which is a program and its arguments,
/// or empty to run them natively. If `tests` is given, the executables of the package `sealane` run
/// only the tests whose names contain one of the words. Other executables run all tests. Prints the
/// number of tests of each one, after the name of the place, and returns all output.
///
/// # Errors
/// If an executable fails, or if none of them had a test.
pub(crate) fn run_all(
    place: &str,
    binaries: &[TestBinary],
    runner: &[OsString],
    tests: Option<&[&str]>,
    environment: &[(&str, &str)],
) -> Result<String> {
    let (mut total, mut all) = (0, String::new());
    for binary in binaries {
        let mut command = binary.command(runner);
        if let Some(tests) = tests.filter(|_| binary.package == "sealane") {
            command.args(tests);
        }
        command.envs(environment.iter().copied());
        let started = std::time::Instant::now();
        let output = process::outcome(&mut command)?;
        let (text, errors) = (process::lossy(&output.stdout), process::lossy(&output.stderr));
        ensure!(output.status.success(), "{place}: {} failed: {}\n{text}{errors}", binary.name, output.status);
        let count = passed(&binary.name, &text)?;
        println!("   {place}: {}: {count} passed in {:.1} s", binary.name, started.elapsed().as_secs_f32());
        total += count;
        // An emulated machine has one console for both.
        all += &(text + &errors);
    }
    ensure!(total > 0, "{place}: no test ran");
    // A renamed module of tests must not be left out silently.
    let ran = |word: &&str| all.lines().any(|line| line.starts_with("test ") && line.contains(*word));
    let gone = tests.and_then(|_| TESTS_OF_EVERY_RUN.iter().find(|word| !ran(word)));
    ensure!(gone.is_none(), "{place}: no test has {} in its name", gone.unwrap_or(&""));
    println!("   {place}: {total} tests passed");
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_closing_line_counts_as_a_pass() {
        let ok = "running 2 tests\n..\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\r\n";
        assert_eq!(passed("t", ok).unwrap(), 2);
        assert!(passed("t", "running 2 tests\n.").is_err());
        assert!(passed("t", "test result: FAILED. 1 passed; 1 failed").is_err());
    }
}

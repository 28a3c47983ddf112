//! The resources of a process.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde::{Deserialize, Serialize};

/// The resources that a command used, including all processes that it waited for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Usage {
    /// The time from start to end, in seconds.
    pub(crate) wall: f64,
    /// The CPU time on all cores, in seconds.
    pub(crate) cpu: f64,
    /// The largest memory use of any one process, in MiB.
    pub(crate) memory: f64,
}

/// Runs a command as the only child of a new process, which measures its children.
pub(crate) fn run(command: &[String]) -> Result<Usage> {
    let output = Command::new(std::env::current_exe()?)
        .arg("--measure")
        .args(command)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "{command:?} failed: {}", output.status);
    serde_json::from_slice(&output.stdout).context("the measuring process said nothing")
}

/// Runs the command and prints its resources, in the new process that [`run`] starts.
pub(crate) fn measure(command: &[String]) -> Result<ExitCode> {
    let (program, args) = command.split_first().context("no command")?;
    let start = Instant::now();
    let status = Command::new(program).args(args).stdout(Stdio::null()).status()?;
    let wall = start.elapsed().as_secs_f64();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = (usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6;
    // Linux counts in KiB.
    let memory = usage.max_rss() as f64 / 1024.0;
    println!("{}", serde_json::to_string(&Usage { wall, cpu, memory })?);
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

//! `android-runner PROGRAM ARGUMENT…`: runs a program on an Android device, as cargo's runner.
//!
//! The program is pushed to a folder of its own, runs there with the arguments and the environment that this process has, its
//! output comes as it is written, and its exit status is this process's. The folder is removed in the end, after a failure or a
//! signal too. docs/phones.md shows how cargo is told to use it.
//!
//! - `ANDROID_SERIAL` chooses a device, as for `adb`.
//! - `ADB` names another `adb`.
//! - `ANDROID_RUNNER_DIR` is where folders are made on the device, instead of `/data/local/tmp`.
#![forbid(unsafe_code)]

mod adb;
mod output;
mod script;

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use adb::{Adb, Folder};
use output::Marker;

/// The status of this process when the program was not run, or its end is not known: as of cargo itself.
const FAILED: u8 = 101;

fn main() -> ExitCode {
    match run() {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("android-runner: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run() -> Result<u8> {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        bail!("usage: android-runner PROGRAM [ARGUMENT…]");
    };
    let program = Path::new(&program);
    if !program.is_file() {
        bail!("{} is no file", program.display());
    }
    let arguments: Vec<_> = arguments.collect();
    let adb = Adb::new()?;
    let base = std::env::var("ANDROID_RUNNER_DIR").unwrap_or_else(|_| "/data/local/tmp".to_owned());
    let nonce = nonce()?;
    let marker = Marker::new(&nonce);
    let script = script::script(&arguments, std::env::vars_os(), &marker)?;

    // From here on the folder is removed, however this ends.
    let folder = Folder::make(&adb, format!("{base}/android-runner-{nonce}"))?;
    folder.push(program, "program")?;
    folder.push_text(&script, "run")?;
    folder.run(&marker)
}

/// A name that no other run has.
fn nonce() -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    Ok(format!("{}-{:x}", std::process::id(), now.as_nanos()))
}

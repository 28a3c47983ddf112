//! `android-runner PROGRAM ARGUMENT…`: runs a program on an Android device, as cargo's runner.
//!
//! The program is pushed to a new folder and runs there with the arguments and the environment of
//! this process. Its output is passed on as it is written, and its exit status becomes the exit
//! status of this process. The folder is removed at the end, even after a failure or a signal.
//! docs/phones.md shows the settings for cargo.
//!
//! - `ANDROID_SERIAL` chooses a device, as for `adb`.
//! - `ADB` names another `adb`.
//! - `ANDROID_RUNNER_DIR` is the folder on the device in which the new folder is created, instead
//!   of `/data/local/tmp`.
#![forbid(unsafe_code)]

mod adb;
mod folder;
mod output;
mod script;

use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use adb::Adb;
use folder::Folder;
use output::Marker;

/// The exit status if the program did not run, or its end is not known. Cargo uses the same one.
const FAILED: u8 = 101;

fn main() -> ExitCode {
    let mut adb = Adb::new();
    let result = listen_for_signals(&adb).and_then(|()| run(&mut adb));
    // Everything is removed, so the signal can now end the process.
    #[cfg(unix)]
    if let Some(signal) = adb.signal() {
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("android-runner: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn run(adb: &mut Adb) -> Result<u8> {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        bail!("usage: android-runner PROGRAM [ARGUMENT…]");
    };
    let program = Path::new(&program);
    if !program.is_file() {
        bail!("{} is not a file", program.display());
    }
    let arguments: Vec<_> = arguments.collect();
    let base = std::env::var("ANDROID_RUNNER_DIR").ok().filter(|base| !base.is_empty());
    let base = base.as_deref().unwrap_or("/data/local/tmp");
    let nonce = nonce()?;
    let marker = Marker::new(&nonce);
    let script = script::script(&arguments, std::env::vars_os(), &marker);

    adb.choose()?;
    // From here on, the folder is removed however the run ends.
    let folder = Folder::make(adb, format!("{base}/android-runner-{nonce}"))?;
    folder.push(program, "program")?;
    folder.write(&script, "run")?;
    folder.run(marker)
}

/// Makes a signal end the run, so that the folder is removed. If that takes too long, the
/// terminal's next interrupt ends this process at once.
#[cfg(unix)]
fn listen_for_signals(adb: &Adb) -> Result<()> {
    use std::sync::{Arc, atomic::AtomicBool};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let interrupted = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register_conditional_default(SIGINT, Arc::clone(&interrupted))
        .and_then(|_| signal_hook::flag::register(SIGINT, interrupted))
        .context("cannot wait for signals")?;
    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot wait for signals")?;
    let sender = adb.sender();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let _ = sender.send(adb::Event::Signal(signal));
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn listen_for_signals(_: &Adb) -> Result<()> {
    Ok(())
}

/// Returns a name that no other run has.
fn nonce() -> Result<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    Ok(format!("{}-{:x}", std::process::id(), now.as_nanos()))
}

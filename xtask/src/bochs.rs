//! An x86 machine with AVX-512 in Bochs: boots a kernel whose init runs static programs.
//! xtask/bochs.sh builds the emulator and the image.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::process;

/// A statically linked program for the machine to run.
pub(crate) struct Guest {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<OsString>,
}

/// The marks that the machine's init prints around each program's output, so that the host can
/// separate the outputs.
const BEGIN: &str = "sealane-guest: begin ";
const EXIT: &str = "sealane-guest: exit ";

/// Builds and downloads what the machines need, if it is not in the cache folder. This takes about
/// four minutes once.
pub(crate) fn prepare() -> Result<()> {
    process::run(&mut script("prepare"))
}

fn script(part: &str) -> Command {
    let mut command = Command::new("bash");
    command.arg("xtask/bochs.sh").arg(part).current_dir(process::workspace_root());
    command
}

/// Boots a machine with that CPU, runs the programs one after the other with `environment`, and
/// returns their outputs in order. [`prepare`] must have run.
///
/// # Errors
/// If a program fails, if the machine does not start, or if it does not end within `limit`.
pub(crate) fn run(cpu: &str, guests: &[Guest], environment: &[(&str, &str)], limit: Duration) -> Result<Vec<String>> {
    // Each run has a folder, so that runs at the same time do not collide.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let work = process::empty_folder(format!("bochs/{}-{run}", std::process::id()))?;
    let strip = process::tool("strip", "binutils")?;
    fs::create_dir_all(work.join("root/guest"))?;
    process::write(work.join("root/init"), init_script(guests, environment)?)?;
    for (number, guest) in guests.iter().enumerate() {
        // Symbols are stripped, because copying them would only cost time in the emulated machine.
        let program = work.join(format!("root/guest/{number}"));
        process::run(Command::new(&strip).arg("-o").arg(program).arg(&guest.program))?;
    }
    process::output(script("image").arg(&work).arg(cpu))?;
    let status = process::outcome(script("boot").arg(&work).arg(limit.as_secs().to_string()))?.status;
    // The exit status of `timeout`. Other ones mean nothing: Bochs takes a guest's power-off for a
    // fatal error, and the marks on the serial line decide.
    ensure!(status.code() != Some(124), "Bochs did not finish in {} s", limit.as_secs());
    // After a failure, the folder is kept: the logs in it tell the reason.
    let logs = || format!("the emulated machine's logs are in {}", work.display());
    let text = fs::read(work.join("serial.txt")).with_context(logs)?;
    let outputs = outputs(&process::lossy(&text).replace('\r', ""), guests).with_context(logs)?;
    fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    Ok(outputs)
}

/// Returns the script that the machine starts. It runs each program with its arguments. It prints
/// marks at the start of the output, and at its end with the exit status.
fn init_script(guests: &[Guest], environment: &[(&str, &str)]) -> Result<String> {
    let mut script = String::from(
        "#!/busybox sh\n/busybox mount -t proc proc /proc\n/busybox mount -t devtmpfs dev /dev\n\
         export RUST_BACKTRACE=1 TMPDIR=/tmp\n",
    );
    for (name, value) in environment {
        writeln!(script, "export {name}={}", quote(value)?)?;
    }
    for (number, guest) in guests.iter().enumerate() {
        write!(script, "echo {}\n/guest/{number}", quote(&format!("{BEGIN}{}", guest.name))?)?;
        for argument in &guest.arguments {
            write!(script, " {}", quote(argument.to_str().context("an argument is not UTF-8")?)?)?;
        }
        // The mark goes to the console only, because standard error is the console too. The blank
        // line ends a line that a crash left unfinished.
        writeln!(script, "\nstatus=$?; echo; echo \"{EXIT}$status\"")?;
    }
    // Power-off loses bytes that the serial line has not sent yet.
    script.push_str("/busybox sleep 3\n/busybox poweroff -f\n");
    Ok(script)
}

fn quote(word: &str) -> Result<String> {
    ensure!(!word.contains('\''), "no apostrophe may be in an argument for the emulated machine: {word}");
    Ok(format!("'{word}'"))
}

/// Splits the serial line's text into the outputs of the programs. Returns an error if a program
/// failed or is missing.
fn outputs(serial: &str, guests: &[Guest]) -> Result<Vec<String>> {
    let mut rest = serial;
    let mut outputs = Vec::new();
    for guest in guests {
        let begin = format!("{BEGIN}{}\n", guest.name);
        let (_, after) =
            rest.split_once(&begin).with_context(|| format!("{} was not run:\n{}", guest.name, tail(rest)))?;
        let (output, after) =
            after.split_once(EXIT).with_context(|| format!("{} did not end:\n{}", guest.name, tail(after)))?;
        let (status, after) = after.split_once('\n').unwrap_or((after, ""));
        let (name, status) = (&guest.name, status.trim());
        ensure!(status == "0", "{name} failed with exit status {status} in the emulator:\n{output}");
        outputs.push(output.to_owned());
        rest = after;
    }
    Ok(outputs)
}

fn tail(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guests() -> Vec<Guest> {
        ["a", "b"].map(|name| Guest { name: name.to_owned(), program: PathBuf::new(), arguments: Vec::new() }).into()
    }

    #[test]
    fn splits_the_serial_line_into_outputs() {
        let serial = "boot\nsealane-guest: begin a\none\nsealane-guest: exit 0\n\
                      sealane-guest: begin b\ntwo\nsealane-guest: exit 0\n[ 9.9] reboot: Power down\n";
        assert_eq!(outputs(serial, &guests()).unwrap(), ["one\n", "two\n"]);
    }

    #[test]
    fn a_machine_that_stops_early_is_a_failure() {
        for serial in [
            "",
            "boot\nKernel panic\n",
            "sealane-guest: begin a\none\n",
            "sealane-guest: begin a\none\nsealane-guest: exit 0\n",
            "sealane-guest: begin a\nsealane-guest: exit 101\nsealane-guest: begin b\nsealane-guest: exit 0\n",
            "sealane-guest: begin a\nsealane-guest: exit 0\nsealane-guest: begin b\nIllegal instruction\n",
        ] {
            assert!(outputs(serial, &guests()).is_err(), "{serial:?}");
        }
    }
}

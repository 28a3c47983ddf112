//! An x86 machine with AVX-512 in Bochs 3.0: boots a kernel whose init runs static programs.
//!
//! Nothing needs root: Debian packages are unpacked in the cache folder, not installed.

mod emulator;
mod image;

use std::ffi::OsString;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub(crate) use emulator::prepare;

/// The files that [`prepare`] leaves in the cache folder.
pub(crate) struct Bochs {
    emulator: PathBuf,
    kernel: PathBuf,
    busybox: PathBuf,
    isolinux: PathBuf,
    ldlinux: PathBuf,
    bios: PathBuf,
    vga_bios: PathBuf,
}

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

impl Bochs {
    /// Boots a machine with that CPU, runs the programs one after the other with `environment`, and
    /// returns their outputs in order. Messages use `name`.
    ///
    /// # Errors
    /// If a program fails, if the machine does not start, or if it does not end within `limit`.
    pub(crate) fn run(
        &self,
        name: &str,
        cpu: &str,
        guests: &[Guest],
        environment: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Vec<String>> {
        let work = new_folder()?;
        let result = self.run_in(&work, name, cpu, guests, environment, limit);
        // The folder is kept after a failure, because the logs in it tell the reason.
        if result.is_ok() {
            std::fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
        }
        result.with_context(|| format!("the emulated machine's logs are in {}", work.display()))
    }

    fn run_in(
        &self,
        work: &Path,
        name: &str,
        cpu: &str,
        guests: &[Guest],
        environment: &[(&str, &str)],
        limit: Duration,
    ) -> Result<Vec<String>> {
        image::build(self, work, guests, environment)?;
        let configuration = image::configuration(self, cpu);
        std::fs::write(work.join("bochsrc"), configuration).context("cannot write Bochs' configuration")?;
        let log = std::fs::File::create(work.join("bochs.out")).context("cannot create a log file")?;
        let mut machine = Command::new(&self.emulator)
            .args(["-q", "-f", "bochsrc"])
            .current_dir(work)
            .stdin(Stdio::null())
            .stderr(log.try_clone().context("cannot share the log file")?)
            .stdout(log)
            .spawn()
            .with_context(|| format!("cannot start {}", self.emulator.display()))?;

        let serial = work.join("serial.txt");
        let started = Instant::now();
        let mut shown = 0;
        loop {
            // The marks on the serial line decide, not the exit status: Bochs takes a guest's
            // power-off for a fatal error.
            let ended = machine.try_wait().context("cannot wait for Bochs")?.is_some();
            shown = show_progress(name, &serial, shown)?;
            if ended {
                break;
            }
            if started.elapsed() > limit {
                machine.kill().context("cannot stop Bochs")?;
                machine.wait().context("cannot wait for Bochs")?;
                bail!("Bochs did not come to its end in {} s", limit.as_secs());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        let text = std::fs::read(&serial).context("the machine wrote nothing on its serial line")?;
        outputs(&String::from_utf8_lossy(&text).replace('\r', ""), guests)
    }
}

/// Prints init's messages about programs since `from`, and returns the position after them.
fn show_progress(machine: &str, serial: &Path, from: u64) -> Result<u64> {
    let Ok(mut file) = std::fs::File::open(serial) else { return Ok(from) };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))
        .and_then(|_| file.read_to_end(&mut bytes))
        .context("cannot read the serial line")?;
    let Some(end) = bytes.iter().rposition(|&byte| byte == b'\n') else { return Ok(from) };
    for line in String::from_utf8_lossy(&bytes[..end]).lines() {
        if let Some(name) = line.trim_end().strip_prefix(BEGIN) {
            println!("   {machine}: {name} …");
        }
    }
    Ok(from + end as u64 + 1)
}

/// Splits the serial line's text into the outputs of the programs. Returns an error if a program
/// failed or is missing.
fn outputs(serial: &str, guests: &[Guest]) -> Result<Vec<String>> {
    let mut rest = serial;
    let mut outputs = Vec::new();
    for guest in guests {
        let begin = format!("{BEGIN}{}\n", guest.name);
        let (_, after) = rest.split_once(&begin).with_context(|| match outputs.len() {
            0 => format!("the machine did not start:\n{}", tail(serial)),
            _ => format!("{} was not run:\n{}", guest.name, tail(rest)),
        })?;
        let (output, after) =
            after.split_once(EXIT).with_context(|| format!("{} did not end:\n{}", guest.name, tail(after)))?;
        let (status, after) = after.split_once('\n').unwrap_or((after, ""));
        if status.trim() != "0" {
            bail!("{} failed with exit status {} in the emulator:\n{output}", guest.name, status.trim());
        }
        outputs.push(output.to_owned());
        rest = after;
    }
    Ok(outputs)
}

fn tail(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

/// Returns a new folder for one run, so that runs at the same time do not collide.
fn new_folder() -> Result<PathBuf> {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let name = format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let dir = crate::process::workspace_root().join("target/bochs").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))?;
    }
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guests() -> Vec<Guest> {
        ["a", "b"]
            .map(|name| Guest { name: name.to_owned(), program: PathBuf::new(), arguments: Vec::new() })
            .into_iter()
            .collect()
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

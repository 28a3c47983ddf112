//! `adb`: one device, and a folder on it that is removed in the end.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::output::{self, Marker};
use crate::script::quote;

/// The device.
#[derive(Clone)]
pub(crate) struct Adb {
    program: OsString,
}

impl Adb {
    /// The device that `ANDROID_SERIAL` names, or the only one.
    pub(crate) fn new() -> Result<Self> {
        let program = std::env::var_os("ADB").filter(|path| !path.is_empty()).unwrap_or_else(|| "adb".into());
        let adb = Self { program };
        let list = adb.output(&["devices"])?;
        let devices: Vec<_> = list.lines().skip(1).filter_map(|line| line.split_once('\t')).collect();
        let ready: Vec<_> =
            devices.iter().filter(|(_, state)| state.trim() == "device").map(|(name, _)| *name).collect();
        match std::env::var("ANDROID_SERIAL").ok().filter(|serial| !serial.is_empty()) {
            Some(serial) if !ready.contains(&serial.as_str()) => {
                let state =
                    devices.iter().find(|(name, _)| *name == serial).map_or("not connected", |(_, state)| state.trim());
                bail!("the device {serial} that ANDROID_SERIAL names is {state}; ready are: {}", ready.join(", "));
            }
            None if ready.is_empty() && devices.is_empty() => bail!("no device is connected (`adb devices` has none)"),
            None if ready.is_empty() => bail!("no device is ready; `adb devices` says:\n{list}"),
            None if ready.len() > 1 => {
                bail!("several devices are connected; choose one by ANDROID_SERIAL: {}", ready.join(", "));
            }
            _ => Ok(adb),
        }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        command
    }

    /// Runs it, and returns what it prints.
    fn output(&self, arguments: &[&str]) -> Result<String> {
        let result = self.command(arguments).stdin(Stdio::null()).output();
        let output = result.with_context(|| {
            let name = Path::new(&self.program).display();
            format!("cannot start {name}: install Android's platform tools (on Debian: apt-get install adb), or name adb in ADB")
        })?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr);
            bail!("adb {} failed: {}\n{text}{error}", arguments.join(" "), output.status);
        }
        Ok(text)
    }

    /// Runs a command on the device whose last output is `ok`: its exit status may be lost.
    fn shell(&self, command: &str) -> Result<()> {
        let output = self.output(&["shell", &format!("{command} && echo ok")])?;
        if output.trim_end().ends_with("ok") {
            return Ok(());
        }
        bail!("on the device, {command} failed: {}", output.trim());
    }
}

/// A folder on the device. It and a program that still runs in it are removed when this is dropped, or a signal comes.
pub(crate) struct Folder<'a> {
    adb: &'a Adb,
    path: String,
}

impl<'a> Folder<'a> {
    /// Makes the folder.
    pub(crate) fn make(adb: &'a Adb, path: String) -> Result<Self> {
        let folder = Self { adb, path };
        folder.remove_on_signals()?;
        folder.adb.shell(&format!("mkdir -p {}", quote(&folder.path)))?;
        Ok(folder)
    }

    /// Copies a file into it.
    pub(crate) fn push(&self, file: &Path, name: &str) -> Result<()> {
        let to = format!("{}/{name}", self.path);
        let from = file.to_str().with_context(|| format!("{} is not UTF-8", file.display()))?;
        self.adb.output(&["push", from, &to]).map(drop)
    }

    /// Writes a file into it.
    pub(crate) fn push_text(&self, text: &str, name: &str) -> Result<()> {
        let local = TemporaryFile(std::env::temp_dir().join(format!("{}-{name}", self.path.replace('/', "_"))));
        let mut options = std::fs::File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            // The environment may have what others must not read.
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(&local.0).with_context(|| format!("cannot create {}", local.0.display()))?;
        file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", local.0.display()))?;
        self.push(&local.0, name)
    }

    /// Runs the script `run` and returns its program's exit status.
    pub(crate) fn run(&self, marker: &Marker) -> Result<u8> {
        let command = format!("sh {}", quote(format!("{}/run", self.path)));
        let mut child =
            self.adb.command(&["shell", &command]).stdout(Stdio::piped()).spawn().context("cannot start adb")?;
        let from = child.stdout.take().expect("the output is a pipe");
        let status =
            output::copy(from, std::io::stdout().lock(), marker).context("cannot pass on the program's output")?;
        let end = child.wait().context("cannot wait for adb")?;
        status.with_context(|| {
            format!("the program's exit status did not come (adb ended with {end}): is the device still there?")
        })
    }

    /// The command that ends the program, if there is one, and removes the folder.
    fn removal(&self) -> String {
        let path = quote(&self.path);
        format!("[ -f {path}/pid ] && kill -9 $(cat {path}/pid) 2>/dev/null; rm -rf {path}")
    }

    #[cfg(unix)]
    fn remove_on_signals(&self) -> Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let mut signals =
            signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot wait for signals")?;
        let (adb, removal) = (self.adb.clone(), self.removal());
        std::thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                let _ = adb.output(&["shell", &removal]);
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
        Ok(())
    }

    #[cfg(not(unix))]
    fn remove_on_signals(&self) -> Result<()> {
        Ok(())
    }
}

impl Drop for Folder<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.adb.output(&["shell", &self.removal()]) {
            eprintln!("android-runner: {} may still be on the device: {error:#}", self.path);
        }
    }
}

/// A file that is removed when this is dropped.
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

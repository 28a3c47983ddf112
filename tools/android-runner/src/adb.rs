//! Runs `adb` for one device.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

/// The reason why waiting for `adb` ended.
pub(crate) enum Event {
    /// The output of `adb` has ended.
    Ended,
    /// A signal asked this process to end.
    Signal(i32),
}

/// `adb`, and the device for which it runs.
pub(crate) struct Adb {
    program: OsString,
    serial: Option<String>,
    sender: Sender<Event>,
    events: Receiver<Event>,
    signal: Cell<Option<i32>>,
}

impl Adb {
    /// Returns `adb`, with no device chosen yet.
    pub(crate) fn new() -> Self {
        let program = std::env::var_os("ADB").filter(|path| !path.is_empty()).unwrap_or_else(|| "adb".into());
        let (sender, events) = channel();
        Self { program, serial: None, sender, events, signal: Cell::new(None) }
    }

    /// Returns a sender for the events that end a wait, such as signals.
    pub(crate) fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    /// Returns the signal that ended the run, if one did.
    pub(crate) fn signal(&self) -> Option<i32> {
        self.signal.get()
    }

    /// Chooses the device that `ANDROID_SERIAL` names, or the only one that is ready.
    pub(crate) fn choose(&mut self) -> Result<()> {
        let list = self.output(self.command(["devices"]))?;
        let devices: Vec<_> = list.lines().filter_map(|line| line.split_once('\t')).collect();
        let ready: Vec<_> =
            devices.iter().filter(|(_, state)| state.trim() == "device").map(|(name, _)| *name).collect();
        let serial = match std::env::var("ANDROID_SERIAL").ok().filter(|serial| !serial.is_empty()) {
            Some(serial) if !ready.contains(&serial.as_str()) => {
                let state =
                    devices.iter().find(|(name, _)| *name == serial).map_or("not connected", |(_, state)| state.trim());
                bail!("the device {serial} that ANDROID_SERIAL names is {state}; ready are: {}", ready.join(", "));
            }
            Some(serial) => serial,
            None if devices.is_empty() => bail!("no device is connected (`adb devices` has none)"),
            None => match ready[..] {
                [] => bail!("no device is ready; `adb devices` says:\n{}", list.trim_end()),
                [serial] => serial.to_owned(),
                _ => bail!("several devices are connected; choose one with ANDROID_SERIAL: {}", ready.join(", ")),
            },
        };
        self.serial = Some(serial);
        Ok(())
    }

    /// Returns an `adb` command with these arguments, for the device.
    fn command<Argument: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = Argument>) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments);
        // The device is named even if only one is ready, because `adb` also counts devices that are
        // offline.
        if let Some(serial) = &self.serial {
            command.env("ANDROID_SERIAL", serial);
        }
        command
    }

    /// Copies a file to the device.
    pub(crate) fn push(&self, file: &Path, to: &str) -> Result<()> {
        self.output(self.command([OsStr::new("push"), file.as_os_str(), OsStr::new(to)])).map(drop)
    }

    /// Runs a command in the device's shell, and checks that it succeeds.
    pub(crate) fn shell(&self, command: &str) -> Result<()> {
        let output = self.output(self.command(shell(command)))?;
        succeeded(command, &output)
    }

    /// Does the same as [`shell`](Self::shell), even after a signal.
    pub(crate) fn shell_at_the_end(&self, command: &str) -> Result<()> {
        let mut adb = self.command(shell(command));
        let output = adb.stdin(Stdio::null()).output().context("cannot start adb")?;
        succeeded(command, &printed(&adb, &output)?)
    }

    /// Runs a command in the device's shell with this process's standard input and standard error,
    /// while `read` reads its output. Returns the result of `read`, and how `adb` ended.
    pub(crate) fn stream<T: Send + 'static>(
        &self,
        command: &str,
        read: impl FnOnce(&mut dyn Read) -> T + Send + 'static,
    ) -> Result<(T, ExitStatus)> {
        let mut child = self.start(self.command(["shell", command]).stdout(Stdio::piped()))?;
        let mut stdout = child.stdout.take().expect("the output is a pipe");
        self.wait(child, move || read(&mut stdout))
    }

    /// Runs an `adb` command, and returns its output.
    fn output(&self, mut command: Command) -> Result<String> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.start(&mut command)?;
        let mut stdout = child.stdout.take().expect("the output is a pipe");
        let mut stderr = child.stderr.take().expect("the errors are a pipe");
        let ((stdout, stderr), status) = self.wait(child, move || {
            let stderr = thread::spawn(move || read_all(&mut stderr));
            (read_all(&mut stdout), stderr.join().expect("a reader does not panic"))
        })?;
        printed(&command, &Output { status, stdout, stderr })
    }

    fn start(&self, command: &mut Command) -> Result<Child> {
        command.spawn().with_context(|| {
            let name = Path::new(&self.program).display();
            format!("cannot start {name}: install Android's platform tools (on Debian: apt-get install adb), or name adb in ADB")
        })
    }

    /// Lets `read` read the output of `child`, and waits for both. A signal ends `child` and the
    /// wait.
    fn wait<T: Send + 'static>(
        &self,
        mut child: Child,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, ExitStatus)> {
        let sender = self.sender();
        let reader = thread::spawn(move || {
            let result = read();
            let _ = sender.send(Event::Ended);
            result
        });
        if let Ok(Event::Signal(signal)) = self.events.recv() {
            let _ = child.kill();
            let _ = child.wait();
            return self.interrupted(signal);
        }
        let result = reader.join().expect("a reader does not panic");
        let status = child.wait().context("cannot wait for adb")?;
        // A terminal's interrupt also ends `adb`, perhaps before it reaches this process.
        if !status.success()
            && let Ok(Event::Signal(signal)) = self.events.recv_timeout(Duration::from_millis(200))
        {
            return self.interrupted(signal);
        }
        Ok((result, status))
    }

    fn interrupted<T>(&self, signal: i32) -> Result<T> {
        self.signal.set(Some(signal));
        bail!("ended by signal {signal}")
    }
}

/// Returns the arguments that run a command on the device. Old devices lose its exit status, so
/// `ok` is printed at the end if it succeeds.
fn shell(command: &str) -> [String; 2] {
    ["shell".to_owned(), format!("{command} && echo ok")]
}

fn succeeded(command: &str, output: &str) -> Result<()> {
    let output = output.trim();
    ensure!(output.lines().last() == Some("ok"), "on the device, {command} failed: {output}");
    Ok(())
}

fn printed(command: &Command, output: &Output) -> Result<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let arguments: Vec<_> = command.get_args().map(OsStr::to_string_lossy).collect();
        let error = String::from_utf8_lossy(&output.stderr);
        bail!("adb {} failed: {}\n{text}{error}", arguments.join(" "), output.status);
    }
    Ok(text)
}

/// Reads all output. If the output is cut off, its end is missing, and the caller notices.
fn read_all(from: &mut impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    bytes
}

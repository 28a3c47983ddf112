//! What has to be put right when a signal ends the process: the unfinished output, plugins and
//! their directories, and the terminal's echo.
//!
//! On Unix a thread waits for the signals that end a process from the moment there is something to put right; then it does so and
//! lets the signal end the process as it would have. Those that were ignored before stay so. SIGKILL, and a Ctrl-C on Windows,
//! leave the temporary file behind: its name says what it was for.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use crate::os::dir::Dir;

/// What is to be put right.
#[derive(Default)]
struct Pending {
    files: Vec<(FileId, Unfinished)>,
    directory: Option<PathBuf>,
    children: Vec<u32>,
    #[cfg(unix)]
    echo: Option<(File, nix::sys::termios::Termios)>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending {
    files: Vec::new(),
    directory: None,
    children: Vec::new(),
    #[cfg(unix)]
    echo: None,
});

fn pending() -> MutexGuard<'static, Pending> {
    // Every change is one step, so what a panicking thread left is whole.
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does `work`, and lets no signal that is watched for end the process before it is done. `work`
/// makes and removes no files that are watched over.
pub(crate) fn uninterrupted<R>(work: impl FnOnce() -> R) -> R {
    let _signals_wait = pending();
    work()
}

/// Where an unfinished file is.
#[cfg_attr(not(unix), expect(dead_code, reason = "signals are watched for on Unix only"))]
enum Unfinished {
    At(PathBuf),
    In(Dir, OsString),
}

#[cfg(unix)]
impl Unfinished {
    fn remove(&self) -> io::Result<()> {
        match self {
            Self::At(path) => std::fs::remove_file(path),
            Self::In(directory, name) => directory.remove(name),
        }
    }
}

/// The number of a file that is watched over.
type FileId = u64;

/// An unfinished file that a signal removes, as long as this lives.
#[derive(Debug)]
pub(crate) struct FileGuard(FileId);

impl FileGuard {
    /// Makes the file `path` with `make`, and watches over it from the same moment on.
    pub(crate) fn make<F>(path: &Path, make: impl FnOnce() -> io::Result<F>) -> io::Result<(F, Self)> {
        Self::watch_over(Unfinished::At(path.to_owned()), make)
    }

    /// Makes the file `name` in `directory`, which must not exist, and watches over it.
    pub(crate) fn make_in(directory: &Dir, name: &OsStr, mode: u32) -> io::Result<(File, Self)> {
        let unfinished = Unfinished::In(directory.clone(), name.to_owned());
        Self::watch_over(unfinished, || directory.create_new(name, mode))
    }

    fn watch_over<F>(unfinished: Unfinished, make: impl FnOnce() -> io::Result<F>) -> io::Result<(F, Self)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        watch();
        let mut pending = pending();
        let file = make()?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        pending.files.push((id, unfinished));
        Ok((file, Self(id)))
    }

    /// Makes the file `path`, which must not exist, readable by its owner only, and watches over it.
    pub(crate) fn make_private(path: &Path) -> io::Result<(File, Self)> {
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        Self::make(path, || options.open(path))
    }

    /// Stops watching over all of them in one step: with several, a signal in between would remove some of the files.
    pub(crate) fn release(guards: &[Self]) {
        pending().files.retain(|(id, _)| guards.iter().all(|guard| guard.0 != *id));
    }
}

impl Drop for FileGuard {
    fn drop(&mut self) {
        pending().files.retain(|(id, _)| *id != self.0);
    }
}

/// A new directory for its owner only, which a signal removes, and [`end`].
pub(crate) fn private_directory() -> io::Result<tempfile::TempDir> {
    watch();
    let mut pending = pending();
    let parent = match pending.directory.take() {
        Some(parent) => parent,
        None => private("sealane-").tempdir()?.keep(),
    };
    private("plugin-").tempdir_in(pending.directory.insert(parent))
}

fn private(prefix: &str) -> tempfile::Builder<'_, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder
}

/// The work is done, well or not.
pub(crate) fn end() {
    remove(&mut pending().directory);
}

/// Removes a directory with all that is in it.
fn remove(directory: &mut Option<PathBuf>) {
    if let Some(directory) = directory.take() {
        let _ = std::fs::remove_dir_all(directory);
    }
}

/// A program that was started, and ends when this goes or a signal comes, at the latest.
pub(crate) struct ChildGuard(Child);

impl ChildGuard {
    /// Starts it.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        watch();
        let mut pending = pending();
        let child = command.spawn()?;
        pending.children.push(child.id());
        Ok(Self(child))
    }

    /// What it reads and writes.
    pub(crate) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.0.stdin.take(), self.0.stdout.take())
    }

    /// Whether it has ended by itself, after which its number may be another's.
    fn has_ended(&mut self) -> bool {
        let mut pending = pending();
        let ended = !matches!(self.0.try_wait(), Ok(None));
        if ended {
            pending.children.retain(|id| *id != self.0.id());
        }
        ended
    }
}

/// How long a program that has nobody to speak with any more may take to end.
const GRACE: Duration = Duration::from_millis(500);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let started = Instant::now();
        let mut pause = Duration::from_micros(100);
        while !self.has_ended() {
            if started.elapsed() > GRACE {
                let _ = self.0.kill();
                let _ = self.0.wait();
                pending().children.retain(|id| *id != self.0.id());
                return;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}

/// Ends programs, which may do something before that.
#[cfg(unix)]
fn kill(children: &[u32]) {
    use rustix::process::{Pid, Signal, kill_process};
    let send = |signal| {
        for id in children {
            if let Some(id) = i32::try_from(*id).ok().and_then(Pid::from_raw) {
                let _ = kill_process(id, signal);
            }
        }
    };
    if !children.is_empty() {
        send(Signal::TERM);
        std::thread::sleep(Duration::from_millis(50));
        send(Signal::KILL);
    }
}

/// A terminal without echo, which gets its settings back when this goes or a signal comes.
#[cfg(unix)]
pub(crate) struct EchoGuard;

#[cfg(unix)]
impl EchoGuard {
    /// Remembers the settings of `tty`, and turns its echo off, but for the end of a line.
    pub(crate) fn new(tty: &File) -> io::Result<Self> {
        use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
        watch();
        // Under the lock: once a signal has given the echo back, nothing may take it away again.
        let mut pending = pending();
        let settings = tcgetattr(tty)?;
        let mut without_echo = settings.clone();
        without_echo.local_flags.remove(LocalFlags::ECHO);
        without_echo.local_flags.insert(LocalFlags::ECHONL);
        pending.echo = Some((tty.try_clone()?, settings));
        tcsetattr(tty, SetArg::TCSANOW, &without_echo)?;
        Ok(Self)
    }
}

#[cfg(unix)]
impl Drop for EchoGuard {
    fn drop(&mut self) {
        restore(&mut pending().echo);
    }
}

/// Gives a terminal its settings back.
#[cfg(unix)]
fn restore(echo: &mut Option<(File, nix::sys::termios::Termios)>) {
    if let Some((tty, settings)) = echo.take() {
        let _ = nix::sys::termios::tcsetattr(tty, nix::sys::termios::SetArg::TCSANOW, &settings);
    }
}

/// Starts the thread, once. From then on, a file that would become longer than it may is an error of what writes it.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;

    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // Failing to watch is no reason to fail: then the signal ends the process, and the file stays.
        let ours = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ];
        let ignored = ignored_mask();
        let Ok(mut signals) = Signals::new(ours.into_iter().filter(|&signal| !is_ignored(ignored, signal))) else {
            return;
        };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(move || {
            // Caught, SIGXFSZ is an error of the write that went beyond the limit, and ends like any other.
            for signal in signals.forever().filter(|&signal| signal != SIGXFSZ) {
                let mut pending = pending();
                for (_, file) in &pending.files {
                    let _ = file.remove();
                }
                kill(&pending.children);
                remove(&mut pending.directory);
                restore(&mut pending.echo);
                // The lock is held to the end, so that no new file is made and none renamed in between.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

/// Whether `signal` was ignored when this process began, as nohup does: a handler would make it deadly.
#[cfg(unix)]
fn is_ignored(mask: Option<u64>, signal: i32) -> bool {
    use std::io::IsTerminal as _;
    match mask {
        Some(mask) => mask >> (signal - 1) & 1 == 1,
        // Not to be had without `unsafe` where there is no /proc: nohup takes standard input from the terminal.
        None => signal == signal_hook::consts::SIGHUP && !io::stdin().is_terminal(),
    }
}

/// `SigIgn` of proc_pid_status(5): signal 1 is the lowest bit.
#[cfg(unix)]
fn ignored_mask() -> Option<u64> {
    let status = crate::os::process_info::read("status")?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(not(unix))]
pub(crate) fn watch() {}

//! What has to be put right when a signal ends the process: the unfinished output, the directories of plugins, and the terminal's
//! echo.
//!
//! On Unix a thread waits for the signals that end a process from the moment there is something to put right; then it does so and
//! lets the signal end the process as it would have. Those that were ignored before stay so. SIGKILL, and a Ctrl-C on Windows,
//! leave the temporary file behind: its name says what it was for.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// What is to be put right.
#[derive(Default)]
struct Pending {
    files: Vec<PathBuf>,
    directory: Option<PathBuf>,
    #[cfg(unix)]
    echo: Option<(File, nix::sys::termios::Termios)>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending {
    files: Vec::new(),
    directory: None,
    #[cfg(unix)]
    echo: None,
});

fn pending() -> MutexGuard<'static, Pending> {
    // Every change is one step, so what a panicking thread left is whole.
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An unfinished file that a signal removes, as long as this lives.
#[derive(Debug)]
pub(crate) struct FileGuard(PathBuf);

impl FileGuard {
    /// Makes the file `path` with `make`, and watches over it from the same moment on.
    pub(crate) fn make<F>(path: &Path, make: impl FnOnce() -> io::Result<F>) -> io::Result<(F, Self)> {
        watch();
        let mut pending = pending();
        let file = make()?;
        pending.files.push(path.to_owned());
        Ok((file, Self(path.to_owned())))
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
        pending().files.retain(|path| guards.iter().all(|guard| guard.0 != *path));
    }
}

impl Drop for FileGuard {
    fn drop(&mut self) {
        pending().files.retain(|path| *path != self.0);
    }
}

/// Has the directories in which plugins run made in one of this process, which a signal removes, and [`end`]: `age` makes one for
/// each run of a plugin, and would leave it behind at a Ctrl-C.
pub(crate) fn gather_temporary_directories() {
    static GATHERED: Once = Once::new();
    GATHERED.call_once(|| {
        watch();
        let mut pending = pending();
        // Where that cannot be made, neither can the others, and whoever makes them says so.
        let Ok(directory) = tempfile::Builder::new().prefix("sealane-").tempdir() else { return };
        if tempfile::env::override_temp_dir(directory.path()).is_ok() {
            pending.directory = Some(directory.keep());
        }
    });
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
                for path in &pending.files {
                    let _ = std::fs::remove_file(path);
                }
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
    let status = crate::proc::read("status")?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(not(unix))]
pub(crate) fn watch() {}

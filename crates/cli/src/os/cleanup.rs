//! Cleans up when a signal ends the process: unfinished output, plugins and their directories, and
//! the terminal's echo. When a stopped process continues, the echo is turned off again, or the
//! process stops again if it waits for input in the background.
//!
//! On Unix, a thread starts with the first thing to clean up. It waits for the signals that end a
//! process, cleans up, and lets the signal end the process. Signals that were ignored at the start
//! stay ignored. SIGKILL, and Ctrl-C on Windows, leave temporary files behind. Their names show
//! their purpose.

use std::ffi::{OsStr, OsString};
#[cfg(unix)]
use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::os::dir::Dir;
#[cfg(unix)]
use crate::os::echo::{self, Hidden};
#[cfg(unix)]
use crate::os::ready::Ready;
use crate::os::temp_dir::temp_dir;

/// The files, processes and terminal settings that a signal must clean up.
#[derive(Default)]
struct Pending {
    files: Vec<(Number, Unfinished)>,
    directory: Option<PathBuf>,
    children: Vec<u32>,
    #[cfg(unix)]
    echo: Option<Hidden>,
    /// The terminal whose input a thread waits for.
    #[cfg(unix)]
    awaited: Option<Arc<OwnedFd>>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending {
    files: Vec::new(),
    directory: None,
    children: Vec::new(),
    #[cfg(unix)]
    echo: None,
    #[cfg(unix)]
    awaited: None,
});

fn pending() -> MutexGuard<'static, Pending> {
    // Every change is one step, so the state is valid even after a panic.
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` without interruption by the watched signals. `work` must not create or remove
/// watched files.
pub(crate) fn uninterrupted<R>(work: impl FnOnce() -> R) -> R {
    let _signals_wait = pending();
    work()
}

/// The place of an unfinished file.
#[cfg_attr(not(unix), expect(dead_code, reason = "only Unix has signals"))]
struct Unfinished {
    directory: Dir,
    name: OsString,
}

/// The number of a watched file.
type Number = u64;

/// Watches an unfinished file, which a signal removes, until the guard is dropped.
#[derive(Debug)]
pub(crate) struct FileGuard(Number);

impl FileGuard {
    /// Creates the file `name` in `directory` with `make`, and watches it from then on.
    pub(crate) fn make<F>(
        directory: &Dir,
        name: &OsStr,
        make: impl FnOnce() -> io::Result<F>,
    ) -> io::Result<(F, Self)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let unfinished = Unfinished { directory: directory.clone(), name: name.to_owned() };
        watch();
        let mut pending = pending();
        let file = make()?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        pending.files.push((id, unfinished));
        Ok((file, Self(id)))
    }

    /// Stops watching all files in one step, so that no signal removes only some of them.
    pub(crate) fn release(guards: &[Self]) {
        pending().files.retain(|(id, _)| guards.iter().all(|guard| guard.0 != *id));
    }
}

impl Drop for FileGuard {
    fn drop(&mut self) {
        pending().files.retain(|(id, _)| *id != self.0);
    }
}

/// Creates a directory that only its owner can access. It is removed when the result is dropped,
/// when a signal arrives, or by [`end`].
pub(crate) fn private_directory() -> io::Result<tempfile::TempDir> {
    watch();
    let mut pending = pending();
    let parent = match pending.directory.take() {
        Some(parent) => parent,
        None => private("sealane-").tempdir_in(temp_dir())?.keep(),
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

/// Removes the private directories, at the end of the process.
pub(crate) fn end() {
    remove(&mut pending().directory);
}

/// Removes a directory and its contents.
fn remove(directory: &mut Option<PathBuf>) {
    if let Some(directory) = directory.take() {
        let _ = std::fs::remove_dir_all(directory);
    }
}

/// A child process, which is ended when the guard is dropped or a signal arrives.
pub(crate) struct ChildGuard(Child);

impl ChildGuard {
    /// Starts the process.
    pub(crate) fn spawn(command: &mut Command) -> io::Result<Self> {
        watch();
        let mut pending = pending();
        let child = command.spawn()?;
        pending.children.push(child.id());
        Ok(Self(child))
    }

    /// Returns the pipes to its standard input and output.
    pub(crate) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>) {
        (self.0.stdin.take(), self.0.stdout.take())
    }

    /// Returns whether the process has ended. Its number may then be reused.
    fn has_ended(&mut self) -> bool {
        let mut pending = pending();
        let ended = !matches!(self.0.try_wait(), Ok(None));
        if ended {
            pending.children.retain(|id| *id != self.0.id());
        }
        ended
    }
}

/// The time for a process to end after its pipes are closed.
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

/// Ends processes. SIGTERM first lets them clean up.
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

/// Stops this process while it is in the background of `tty`.
#[cfg(unix)]
pub(crate) fn wait_for_foreground(tty: &impl AsFd) {
    watch();
    echo::wait_for_foreground(tty);
}

/// Waits until the terminal `tty` has input. In the background, the process stops.
///
/// A read in the background stops the process too. But each time that it continues, it is stopped
/// again before a signal that should end it is handled. So nothing is read before input has come.
#[cfg(unix)]
pub(crate) fn wait_for_input(tty: &impl AsFd) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};

    watch();
    let tty = Arc::new(tty.as_fd().try_clone_to_owned()?);
    while echo::wait_for_foreground(&tty) {
        pending().awaited = Some(Arc::clone(&tty));
        // The process may have been stopped since, and continued in the background.
        if !echo::is_in_background(&tty) {
            while poll(&mut [PollFd::new(&tty, PollFlags::IN)], None) == Err(rustix::io::Errno::INTR) {}
        }
        pending().awaited = None;
        // In the background, the input is for the shell.
        if !echo::is_in_background(&tty) {
            break;
        }
    }
    Ok(())
}

/// Keeps the echo of a terminal off until the guard is dropped or a signal arrives.
#[cfg(unix)]
pub(crate) struct EchoGuard {
    tty: Ready<File>,
    /// Whether input that was not read is discarded at the end.
    discards: bool,
}

#[cfg(unix)]
impl EchoGuard {
    /// Saves the settings of `tty`, and turns its echo off, except for line ends.
    /// Waits in the background, where the settings are the shell's.
    pub(crate) fn new(tty: Ready<File>, discards: bool) -> io::Result<Self> {
        watch();
        // Not under the lock, so that a signal can end the process.
        echo::wait_for_foreground(&tty.0);
        // Done under the lock, so that the echo stays on after a signal has restored it.
        let mut pending = pending();
        pending.echo = Some(Hidden::new(&tty.0)?);
        Ok(Self { tty, discards })
    }

    /// Shows a question at the terminal. If the process is stopped, it is shown again.
    pub(crate) fn ask(&mut self, question: String) -> io::Result<()> {
        if let Some(echo) = &mut pending().echo {
            echo.question.clone_from(&question);
        }
        // Not under the lock: a terminal that is stopped (Ctrl-S) blocks, and signals must not
        // wait.
        io::Write::write_all(&mut self.tty, question.as_bytes())
    }
}

#[cfg(unix)]
impl io::Read for EchoGuard {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        wait_for_input(&self.tty)?;
        self.tty.read(out)
    }
}

#[cfg(unix)]
impl Drop for EchoGuard {
    fn drop(&mut self) {
        if self.discards {
            echo::discard_input(&self.tty.0);
        }
        if let Some(echo) = pending().echo.take() {
            echo.restore(false);
        }
    }
}

/// Starts the thread that waits for signals, if it has not started. From then on, a write beyond
/// the file size limit is an error, not a signal.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use std::sync::Once;

    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // The thread starts first: without it, no signal is caught. A signal then still ends the
        // process, but the file remains.
        let (sender, receiver) = std::sync::mpsc::channel::<Signals>();
        let thread = std::thread::Builder::new().name("signals".into()).spawn(move || {
            let Ok(mut signals) = receiver.recv() else { return };
            loop {
                let mut arrived: Vec<_> = signals.wait().collect();
                if arrived.contains(&SIGCONT) {
                    // A signal that ends a stopped process comes before SIGCONT, but may be handled
                    // after it.
                    std::thread::sleep(echo::TURN);
                    arrived.extend(signals.pending());
                }
                arrived.sort_by_key(|&signal| signal == SIGCONT);
                // Once SIGXFSZ is caught, the write beyond the limit fails, and the command ends
                // with that error.
                arrived.retain(|&signal| signal != SIGXFSZ);
                let Some(&signal) = arrived.first() else { continue };
                if signal == SIGCONT {
                    echo::record_continued();
                    let pending = pending();
                    if pending.awaited.as_ref().is_some_and(echo::is_in_background) {
                        echo::stop();
                        continue;
                    }
                    let again = pending.echo.as_ref().and_then(Hidden::go_on);
                    drop(pending);
                    if let Some((mut tty, question)) = again {
                        // Writing blocks while the user has stopped the terminal (Ctrl-S). Signals
                        // must not wait for it.
                        let write = move || io::Write::write_all(&mut tty, question.as_bytes());
                        let _ = std::thread::Builder::new().spawn(write);
                    }
                    continue;
                }
                let mut pending = pending();
                for (_, file) in &pending.files {
                    let _ = file.directory.remove(&file.name);
                }
                kill(&pending.children);
                remove(&mut pending.directory);
                if let Some(echo) = pending.echo.take() {
                    echo.restore(true);
                }
                // The lock is held to the end, so that no file is created or renamed after the
                // cleanup.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
        if thread.is_err() {
            return;
        }
        let watched = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ, SIGCONT];
        let ignored = ignored_mask();
        if let Ok(signals) = Signals::new(watched.into_iter().filter(|&signal| !is_ignored(ignored, signal))) {
            let _ = sender.send(signals);
        }
    });
}

/// Returns whether `signal` was ignored when this process began, as under nohup. A handler would
/// undo that. `mask` is the result of [`ignored_mask`].
#[cfg(unix)]
fn is_ignored(mask: Option<u64>, signal: i32) -> bool {
    use std::io::IsTerminal as _;
    match mask {
        Some(mask) => mask >> (signal - 1) & 1 == 1,
        // Without /proc, a precise answer needs `unsafe`. nohup detaches standard input from the
        // terminal, so that is the test here.
        None => signal == signal_hook::consts::SIGHUP && !io::stdin().is_terminal(),
    }
}

/// Returns the mask of the ignored signals, `SigIgn` of proc_pid_status(5), on systems that have
/// it. Its lowest bit is signal 1.
#[cfg(unix)]
fn ignored_mask() -> Option<u64> {
    let status = crate::os::process_info::read("status")?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(not(unix))]
pub(crate) fn watch() {}

//! What has to be put right when a signal ends the process: the unfinished output, and the terminal's echo.
//!
//! On Unix a thread waits for SIGINT, SIGTERM and SIGHUP from the moment there is something to put right; then it does so
//! and lets the signal end the process as it would have. SIGKILL, and a Ctrl-C on Windows, leave the temporary file behind:
//! its name says what it was for.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is to be put right.
#[derive(Default)]
struct Pending {
    files: Vec<PathBuf>,
    #[cfg(unix)]
    echo: Option<(File, rustix::termios::Termios)>,
}

static PENDING: Mutex<Pending> = Mutex::new(Pending {
    files: Vec::new(),
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
}

impl Drop for FileGuard {
    fn drop(&mut self) {
        pending().files.retain(|path| *path != self.0);
    }
}

/// A terminal that gets its present settings back when a signal comes, as long as this lives.
pub(crate) struct EchoGuard;

impl EchoGuard {
    /// Remembers the settings of `tty`.
    #[cfg(unix)]
    pub(crate) fn new(tty: &File) -> Self {
        watch();
        if let (Ok(settings), Ok(tty)) = (rustix::termios::tcgetattr(tty), tty.try_clone()) {
            pending().echo = Some((tty, settings));
        }
        Self
    }

    /// Nothing is known here about how to restore a terminal.
    #[cfg(not(unix))]
    pub(crate) fn new(_tty: &File) -> Self {
        Self
    }
}

#[cfg(unix)]
impl Drop for EchoGuard {
    fn drop(&mut self) {
        pending().echo = None;
    }
}

/// Starts the thread, once.
#[cfg(unix)]
fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::sync::Once;

    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        // Failing to watch is no reason to fail: then the signal ends the process, and the file stays.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
        let _ = std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                let pending = pending();
                for path in &pending.files {
                    let _ = std::fs::remove_file(path);
                }
                if let Some((tty, settings)) = &pending.echo {
                    let _ = rustix::termios::tcsetattr(tty, rustix::termios::OptionalActions::Now, settings);
                }
                // The lock is held to the end, so that no new file is made and none renamed in between.
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        });
    });
}

#[cfg(not(unix))]
fn watch() {}

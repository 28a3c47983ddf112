//! A plugin as a child process.

use std::any::Any;
use std::fmt;
use std::io;
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The time for a plugin to end after its pipes are closed.
const GRACE: Duration = Duration::from_millis(500);

/// A running plugin, for [`Callbacks::start`](super::Callbacks::start).
///
/// ```
/// use std::io;
/// use std::process::{Child, Command};
///
/// use sealane_age::plugin::{Callbacks, Process};
///
/// /// Ends a plugin at once if it still runs.
/// struct Ends(Child);
///
/// impl Drop for Ends {
///     fn drop(&mut self) {
///         let _ = self.0.kill();
///         let _ = self.0.wait();
///     }
/// }
///
/// struct Impatient;
///
/// impl Callbacks for Impatient {
///     fn start(&self, mut command: Command) -> io::Result<Process> {
///         let mut child = command.spawn()?;
///         let pipes = child.stdin.take().zip(child.stdout.take());
///         let (input, output) = pipes.expect("standard input and output are pipes");
///         Ok(Process::new(input, output, Ends(child)))
///     }
/// }
/// ```
pub struct Process {
    // Fields are dropped in this order: the plugin sees the end of its input, and has time to end.
    pub(super) input: ChildStdin,
    pub(super) output: ChildStdout,
    pub(super) guard: Box<dyn Any>,
}

impl Process {
    /// Returns a process with these pipes. `guard` is dropped when the conversation has ended and
    /// the pipes are closed. It must end the process if it still runs, and wait for it.
    pub fn new(input: ChildStdin, output: ChildStdout, guard: impl Any) -> Self {
        Self { input, output, guard: Box::new(guard) }
    }

    /// Starts the process in an empty temporary directory that only its owner can access. If it
    /// still runs half a second after the conversation, it is killed.
    pub(super) fn start(mut command: Command) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("age-plugin-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let directory = builder.tempdir()?;
        let mut child = command.current_dir(directory.path()).spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let guard = Guard { child, _directory: directory };
        let (input, output) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self::new(input, output, guard))
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").finish_non_exhaustive()
    }
}

/// A child process and its directory.
struct Guard {
    child: Child,
    // Removed after the process has ended.
    _directory: TempDir,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let started = Instant::now();
        let mut pause = Duration::from_micros(100);
        while matches!(self.child.try_wait(), Ok(None)) {
            if started.elapsed() > GRACE {
                let _ = self.child.kill();
                let _ = self.child.wait();
                return;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }
}

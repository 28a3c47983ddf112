//! A terminal whose echo is off while the user types secrets.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::termios::{FlushArg, InputFlags, LocalFlags, SetArg, Termios, tcflush, tcgetattr, tcsetattr};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpgrp, getsid, kill_current_process_group};
use rustix::termios::{tcgetpgrp, tcgetsid};

use crate::os::ready::Ready;

/// Input that comes later than this after the last is no part of the same paste.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
/// Discarding ends after this time, so that a program that always writes does not hold it up.
const MAX_DISCARDING: Duration = Duration::from_secs(2);

/// A terminal without echo, its earlier settings, and the question that the user is to answer.
pub(super) struct Hidden {
    tty: File,
    settings: Termios,
    pub(super) question: String,
}

impl Hidden {
    /// Turns the echo of a terminal off, except for line ends.
    pub(super) fn new(tty: &File) -> io::Result<Self> {
        let hidden = Self { tty: tty.try_clone()?, settings: tcgetattr(tty)?, question: String::new() };
        hidden.hide()?;
        Ok(hidden)
    }

    fn hide(&self) -> io::Result<()> {
        let mut without_echo = self.settings.clone();
        without_echo.local_flags.remove(LocalFlags::ECHO);
        // Some programs leave a terminal in a mode in which the Enter key ends no line.
        without_echo.local_flags.insert(LocalFlags::ECHONL | LocalFlags::ICANON | LocalFlags::ISIG);
        without_echo.input_flags.insert(InputFlags::ICRNL);
        Ok(tcsetattr(&self.tty, SetArg::TCSANOW, &without_echo)?)
    }

    /// Turns the echo off again after the process was stopped, because the shell turned it on.
    /// Returns the terminal and the question, which must be shown again. In the background, stops
    /// the process again instead.
    pub(super) fn go_on(&self) -> Option<(Ready<File>, String)> {
        if is_in_background(&self.tty) {
            stop();
            return None;
        }
        let _ = self.hide();
        Some((Ready(self.tty.try_clone().ok()?), self.question.clone()))
    }

    /// Restores the settings. Input that was not read is discarded if a signal `ends` the process.
    pub(super) fn restore(self, ends: bool) {
        if is_in_background(&self.tty) {
            return;
        }
        if ends {
            let _ = tcflush(&self.tty, FlushArg::TCIFLUSH);
        }
        let _ = tcsetattr(&self.tty, SetArg::TCSANOW, &self.settings);
    }
}

/// Returns whether `tty` is the terminal of this session. Only there does the system stop jobs that
/// read in the background. A serial line and the master of a pseudoterminal are other terminals.
pub(super) fn is_controlling(tty: &impl AsFd) -> bool {
    tcgetsid(tty).is_ok_and(|session| getsid(None) == Ok(session))
}

/// Returns whether this process is in the background. The shell has then set the terminal as it
/// needs it, and a change would stop this process.
pub(super) fn is_in_background(tty: &impl AsFd) -> bool {
    is_controlling(tty) && tcgetpgrp(tty).is_ok_and(|group| group != getpgrp())
}

/// Stops this process and the others of its job, as a read in the background does.
pub(super) fn stop() {
    let _ = kill_current_process_group(Signal::TTIN);
}

/// The time in which another thread can handle a signal.
pub(super) const TURN: Duration = Duration::from_millis(5);

/// How often this process has continued after it was stopped.
static CONTINUED: AtomicU64 = AtomicU64::new(0);

/// Records that this process has continued after it was stopped, and that the signals before are
/// handled.
pub(super) fn record_continued() {
    CONTINUED.fetch_add(1, Ordering::Relaxed);
}

/// Stops this process while it is in the background. Returns whether it is in the foreground at
/// last.
///
/// A change of the terminal would stop it too. But whenever the process continued, the system would
/// stop it again before a signal that should end it is handled.
pub(super) fn wait_for_foreground(tty: &impl AsFd) -> bool {
    /// The thread of signals has this many turns, so some may elapse while all is stopped.
    const TURNS: u32 = 20;
    let soon = |is_true: &dyn Fn() -> bool| {
        (0..TURNS).any(|_| {
            std::thread::sleep(TURN);
            is_true()
        })
    };
    // If the process has just continued, the thread of signals ends or stops it.
    if !is_in_background(tty) || soon(&|| !is_in_background(tty)) {
        return true;
    }
    while is_in_background(tty) {
        let before = CONTINUED.load(Ordering::Relaxed);
        stop();
        if !soon(&|| CONTINUED.load(Ordering::Relaxed) != before) {
            // The signal is ignored, or there is no shell that could continue this process.
            return false;
        }
    }
    true
}

/// Discards input of a terminal that was not read. The rest of a pasted text would otherwise be a
/// command for the shell, and get into its history. A long paste arrives in parts.
pub(super) fn discard_input(tty: &File) {
    let end = Instant::now() + MAX_DISCARDING;
    while discard_some(tty) && Instant::now() < end {}
    // The beginning of a line does not count as input yet.
    let _ = tcflush(tty, FlushArg::TCIFLUSH);
}

/// Discards the input that has come. Returns whether more comes soon. From a terminal that is gone,
/// none comes.
fn discard_some(tty: &File) -> bool {
    let mut polled = [PollFd::new(tty, PollFlags::IN)];
    tcflush(tty, FlushArg::TCIFLUSH).is_ok()
        && poll(&mut polled, Some(&PAUSE)).is_ok()
        && polled[0].revents() == PollFlags::IN
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use nix::pty::openpty;
    use rustix::io::write;

    use super::*;

    #[test]
    fn a_terminal_that_is_gone_has_no_more_input() {
        let pair = openpty(None, None).unwrap();
        let tty = File::from(pair.slave);
        assert!(!discard_some(&tty));
        let is_enough = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_enough);
        let writer = std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                write(&pair.master, b"a line\n").unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
            pair.master
        });
        // The writer may have no turn for a while.
        let more = (0..100).any(|_| discard_some(&tty));
        is_enough.store(true, Ordering::Relaxed);
        assert!(more);
        drop(writer.join().unwrap());
        assert!(!discard_some(&tty));
    }
}

//! A terminal whose echo is off while the user types secrets.

use std::fs::File;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use nix::sys::termios::{FlushArg, LocalFlags, SetArg, Termios, tcflush, tcgetattr, tcsetattr};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;

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
        without_echo.local_flags.insert(LocalFlags::ECHONL);
        Ok(tcsetattr(&self.tty, SetArg::TCSANOW, &without_echo)?)
    }

    /// Turns the echo off again after the process was stopped, because the shell turned it on.
    /// Shows the question again.
    pub(super) fn go_on(&mut self) {
        if !self.is_others() {
            let _ = self.hide();
            let _ = self.tty.write_all(self.question.as_bytes());
        }
    }

    /// Restores the settings. Input that was not read is discarded if a signal `ends` the process.
    pub(super) fn restore(self, ends: bool) {
        if self.is_others() {
            return;
        }
        if ends {
            let _ = tcflush(&self.tty, FlushArg::TCIFLUSH);
        }
        let _ = tcsetattr(&self.tty, SetArg::TCSANOW, &self.settings);
    }

    /// Returns whether this process is in the background. The shell has then set the terminal as it
    /// needs it, and a change would stop this process.
    fn is_others(&self) -> bool {
        // Of a terminal that is not the controlling one, nobody else is in the foreground.
        tcgetpgrp(&self.tty).is_ok_and(|group| group != getpgrp())
    }
}

/// Discards input of a terminal that was not read. The rest of a pasted text would otherwise be a
/// command for the shell, and get into its history. A long paste arrives in parts.
pub(super) fn discard_input(tty: &File) {
    let end = Instant::now() + MAX_DISCARDING;
    loop {
        let _ = tcflush(tty, FlushArg::TCIFLUSH);
        let more = poll(&mut [PollFd::new(tty, PollFlags::IN)], Some(&PAUSE));
        if !more.is_ok_and(|count| count > 0) || Instant::now() > end {
            // The beginning of a line does not count as input yet.
            let _ = tcflush(tty, FlushArg::TCIFLUSH);
            return;
        }
    }
}

//! A terminal whose echo is off while the user types secrets.

use std::fs::File;
use std::io::{self, Write as _};
use std::time::Duration;

use nix::sys::termios::{FlushArg, LocalFlags, SetArg, Termios, tcflush, tcgetattr, tcsetattr};

/// A terminal without echo, its earlier settings, and the question that the user is to answer.
pub(super) struct Hidden {
    tty: File,
    settings: Termios,
    question: String,
}

impl Hidden {
    /// Returns the terminal with its present settings.
    pub(super) fn new(tty: &File) -> io::Result<Self> {
        Ok(Self { tty: tty.try_clone()?, settings: tcgetattr(tty)?, question: String::new() })
    }

    /// Turns the echo off, except for line ends.
    pub(super) fn hide(&self) -> io::Result<()> {
        let mut without_echo = self.settings.clone();
        without_echo.local_flags.remove(LocalFlags::ECHO);
        without_echo.local_flags.insert(LocalFlags::ECHONL);
        Ok(tcsetattr(&self.tty, SetArg::TCSANOW, &without_echo)?)
    }

    /// Shows the question.
    pub(super) fn ask(&mut self, question: String) -> io::Result<()> {
        self.question = question;
        self.tty.write_all(self.question.as_bytes())
    }

    /// Turns the echo off again after the process was stopped, because the shell turned it on.
    /// Shows the question again.
    pub(super) fn go_on(&mut self) {
        let _ = self.hide();
        let _ = self.tty.write_all(self.question.as_bytes());
    }

    /// Discards input that was not read, and restores the settings. The rest of a pasted text would
    /// otherwise be a command for the shell, and get into its history.
    pub(super) fn restore(self) {
        let _ = tcflush(&self.tty, FlushArg::TCIFLUSH);
        // The kernel passes on a long paste in parts.
        std::thread::sleep(Duration::from_millis(20));
        let _ = tcflush(&self.tty, FlushArg::TCIFLUSH);
        let _ = tcsetattr(&self.tty, SetArg::TCSANOW, &self.settings);
    }
}

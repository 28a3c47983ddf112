//! A command in a pseudo-terminal.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::wait::WaitStatus;
use rexpect::error::Error;
use rexpect::reader::Options;
use rexpect::session::{PtySession, spawn_with_options};

/// Long enough for scrypt at full strength on a slow machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A command in a pseudo-terminal. rexpect sleeps for 100 ms if what it expects is not there yet,
/// so this looks with a timeout of 0, and sleeps for less.
pub(crate) struct Session {
    session: PtySession,
    /// All that was shown, except the expected texts.
    shown: String,
    secrets: Vec<String>,
}

impl Session {
    pub(crate) fn start(command: Command) -> Self {
        let mut session = spawn_with_options(command, Options::new().timeout_ms(Some(0))).expect("a pseudo-terminal");
        session.process_mut().set_kill_timeout(Some(TIMEOUT.as_millis() as u64));
        Self { session, shown: String::new(), secrets: Vec::new() }
    }

    pub(crate) fn send_line(&mut self, line: &str) {
        self.session.send_line(line).unwrap();
    }

    /// Types a line that must not be shown: [`Session::end`] checks it.
    pub(crate) fn send_secret(&mut self, line: &str) {
        self.send_line(line);
        self.secrets.push(line.to_owned());
    }

    /// Pastes lines, in one write, that must not be shown.
    pub(crate) fn paste_secrets(&mut self, lines: &[&str]) {
        self.send_line(&lines.join("\n"));
        self.secrets.extend(lines.iter().filter(|line| !line.is_empty()).map(|line| (*line).to_owned()));
    }

    /// Types a line that must not be shown, and then the Enter key, which sends a carriage return.
    pub(crate) fn type_secret(&mut self, line: &str) {
        self.session.send(&format!("{line}\r")).unwrap();
        self.session.flush().unwrap();
        self.secrets.push(line.to_owned());
    }

    /// Types bytes and the end of a line.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        use std::io::Write as _;
        self.session.process().get_file_handle().unwrap().write_all(bytes).unwrap();
        self.send_line("");
    }

    /// Sends the character that the Control key makes of `letter`.
    pub(crate) fn send_control(&mut self, letter: char) {
        self.session.send_control(letter).unwrap();
    }

    /// Waits until `text` is shown. Returns what was shown before it.
    #[track_caller]
    pub(crate) fn expect(&mut self, text: &str) -> String {
        let before = self.until(|session| session.exp_string(text));
        self.shown.push_str(&before);
        before
    }

    /// Waits until something is shown that matches `regex`. Returns it.
    #[track_caller]
    pub(crate) fn expect_match(&mut self, regex: &str) -> String {
        let (before, found) = self.until(|session| session.exp_regex(regex));
        self.shown.push_str(&before);
        found
    }

    /// Waits for the end. Returns what was shown since the last expected text, and the exit status.
    #[track_caller]
    pub(crate) fn end(mut self) -> (String, i32) {
        let shown = self.until(|session| session.exp_eof());
        self.shown.push_str(&shown);
        for secret in &self.secrets {
            assert!(!self.shown.contains(secret), "{secret:?} was shown: {}", self.shown);
        }
        match self.session.process().wait().unwrap() {
            WaitStatus::Exited(_, status) => (shown, status),
            other => panic!("{other:?}: {shown}"),
        }
    }

    #[track_caller]
    fn until<T>(&mut self, mut look: impl FnMut(&mut PtySession) -> Result<T, Error>) -> T {
        let start = Instant::now();
        loop {
            match look(&mut self.session) {
                Err(Error::Timeout { .. }) if start.elapsed() < TIMEOUT => sleep(Duration::from_millis(5)),
                result => return result.unwrap_or_else(|error| panic!("{error}")),
            }
        }
    }
}

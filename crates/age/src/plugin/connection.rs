//! The connection to a plugin: a process that reads and writes stanzas. Its output is limited, and
//! it ends with the conversation.

use std::any::Any;
use std::env;
use std::io::{self, BufRead, Read, Write as _};
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use zeroize::Zeroizing;

use super::callbacks::Callbacks;
use super::process::Process;
use crate::stanza::Stanza;

/// The longest line of a plugin, and the longest body of a stanza: longer than any text, recipient
/// or file key.
const MAX_LINE: u64 = 64 << 10;
const MAX_BODY: usize = 1 << 20;
/// The most bytes that a plugin may send: more than the stanzas of any header.
const MAX_OUTPUT: u64 = 32 << 20;

/// The Base64 characters in each line of a body. The last line has fewer.
const COLUMNS: usize = 64;

/// The only plugin that gets the passphrase in the environment, because using it is its purpose.
const BATCHPASS: &str = "batchpass";

/// The bytes that are read at a time.
const READ_BYTES: usize = 8 << 10;

/// A plugin's output. The bytes that were read ahead may contain a file key, so they are wiped.
struct ReadAhead {
    output: ChildStdout,
    buffer: Zeroizing<Vec<u8>>,
    /// The bytes of `buffer` that were read and not yet consumed.
    ahead: Range<usize>,
}

impl ReadAhead {
    fn new(output: ChildStdout) -> Self {
        Self { output, buffer: Zeroizing::new(vec![0; READ_BYTES]), ahead: 0..0 }
    }
}

impl Read for ReadAhead {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(out)?;
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for ReadAhead {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.ahead.is_empty() {
            self.ahead = 0..self.output.read(&mut self.buffer)?;
        }
        Ok(&self.buffer[self.ahead.clone()])
    }

    fn consume(&mut self, n: usize) {
        self.ahead.start += n;
    }
}

/// A running plugin.
pub(super) struct Connection {
    // Fields are dropped in this order: the plugin sees the end of its input, and has time to end.
    output: ChildStdin,
    input: ReadAhead,
    /// The number of bytes that the plugin may still send.
    left: u64,
    debug: bool,
    _guard: Box<dyn Any>,
}

impl Connection {
    /// Starts the program `path` of the plugin `name`, which then runs `state_machine`.
    pub(super) fn open(name: &str, path: &Path, state_machine: &str, callbacks: &impl Callbacks) -> io::Result<Self> {
        let debug = env::var_os("AGEDEBUG").is_some_and(|what| what == "plugin");
        // Links are not resolved: a program can have several names, and act by the one it is
        // started with.
        let mut command = Command::new(path);
        command.arg(format!("--age-plugin={state_machine}"));
        if name != BATCHPASS {
            command.env_remove("AGE_PASSPHRASE").env_remove("AGE_PASSPHRASE_FD");
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(if debug { Stdio::inherit() } else { Stdio::null() });
        let Process { input, output, guard } = callbacks.start(command)?;
        Ok(Self { output: input, input: ReadAhead::new(output), left: MAX_OUTPUT, debug, _guard: guard })
    }

    /// Sends a stanza.
    pub(super) fn send(&mut self, command: &str, args: &[&str], body: &[u8]) -> io::Result<()> {
        let text = stanza(command, args, body);
        if self.debug {
            eprint!("{}", *text);
        }
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    /// Sends a stanza from the header of the file with the number `file`.
    pub(super) fn send_stanza(&mut self, command: &str, file: &str, stanza: &Stanza) -> io::Result<()> {
        let args: Vec<_> = [file, &stanza.tag].into_iter().chain(stanza.args.iter().map(String::as_str)).collect();
        self.send(command, &args, &stanza.body)
    }

    /// Receives a stanza. Its body may be secret, and is wiped if an error occurs.
    pub(super) fn receive(&mut self) -> io::Result<Stanza> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "invalid response");
        let line = self.line()?;
        let mut words = line.strip_prefix("-> ").ok_or_else(invalid)?.split(' ').map(str::to_owned);
        let (Some(tag), args) = (words.next(), words.collect::<Vec<_>>()) else { return Err(invalid()) };
        let stanza = Stanza { tag, args, body: Vec::new() };
        if !stanza.is_well_formed() {
            return Err(invalid());
        }
        let mut body = Zeroizing::new(Vec::new());
        loop {
            let line = self.line()?;
            if line.len() > COLUMNS {
                return Err(invalid());
            }
            let bytes = Zeroizing::new(BASE64_STANDARD_NO_PAD.decode(line.as_bytes()).map_err(|_| invalid())?);
            if body.len() + bytes.len() > MAX_BODY {
                return Err(too_long());
            }
            if body.capacity() - body.len() < bytes.len() {
                // The vector must not grow by itself: growing leaves a copy behind that is not
                // wiped.
                let mut larger = Zeroizing::new(Vec::with_capacity(2 * body.len() + bytes.len()));
                larger.extend_from_slice(&body);
                body = larger;
            }
            body.extend_from_slice(&bytes);
            if line.len() < COLUMNS {
                return Ok(Stanza { body: mem::take(&mut *body), ..stanza });
            }
        }
    }

    /// Reads a line, without its end.
    fn line(&mut self) -> io::Result<Zeroizing<String>> {
        let mut line = Zeroizing::new(Vec::with_capacity(256));
        let most = MAX_LINE.min(self.left);
        let read = (&mut self.input).take(most).read_until(b'\n', &mut line)? as u64;
        self.left -= read;
        match line.pop() {
            Some(b'\n') => {}
            _ if read == most => return Err(too_long()),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        let text = std::str::from_utf8(&line);
        let text = text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "invalid response"))?;
        if self.debug {
            eprintln!("{text}");
        }
        Ok(Zeroizing::new(text.to_owned()))
    }
}

/// Returns a stanza as text. Identities are arguments, so arguments may be secret too.
fn stanza(command: &str, args: &[&str], body: &[u8]) -> Zeroizing<String> {
    let encoded = Zeroizing::new(BASE64_STANDARD_NO_PAD.encode(body));
    let first = "-> ".len() + command.len() + args.iter().map(|arg| 1 + arg.len()).sum::<usize>() + 1;
    // Allocated once: growing leaves a copy behind that is not wiped.
    let mut text = Zeroizing::new(String::with_capacity(first + encoded.len() + encoded.len() / COLUMNS + 1));
    text.push_str("-> ");
    text.push_str(command);
    for arg in args {
        text.push(' ');
        text.push_str(arg);
    }
    text.push('\n');
    let mut rest = encoded.as_str();
    while rest.len() >= COLUMNS {
        let (line, after) = rest.split_at(COLUMNS);
        text.push_str(line);
        text.push('\n');
        rest = after;
    }
    text.push_str(rest);
    text.push('\n');
    text
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "its output is too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stanza_is_allocated_once() {
        assert_eq!(*stanza("done", &[], &[]), "-> done\n\n");
        assert_eq!(*stanza("ok", &["a", "b"], &[0; 48]), format!("-> ok a b\n{}\n\n", "A".repeat(64)));
        let identity = "X".repeat(2000);
        for len in [0, 1, 2, 3, 16, 47, 48, 49, 96, 1000] {
            let text = stanza("add-identity", &[&identity, "0"], &vec![7; len]);
            assert_eq!(text.len(), text.capacity(), "{len}");
        }
    }
}

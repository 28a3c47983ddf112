//! Reads the program's output, and the exit status after it.

use std::io::{self, Read, Write};

/// The script writes this marker between the output and the exit status. No program writes it by
/// chance.
pub(crate) struct Marker(String);

impl Marker {
    pub(crate) fn new(nonce: &str) -> Self {
        Self(format!("android-runner-status-{nonce}="))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

/// Copies `from` to `to` as it arrives, up to the marker, and returns the status after it. Returns
/// `None` if the output ends without a marker.
pub(crate) fn copy(mut from: impl Read, mut to: impl Write, marker: &Marker) -> io::Result<Option<u8>> {
    let mut held = Vec::new();
    let mut buffer = [0; 8192];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        held.extend_from_slice(&buffer[..count]);
        if find(&held, marker.text().as_bytes()).is_none() {
            // Writes all bytes that cannot be part of the marker.
            let kept = beginning(&held, marker.text().as_bytes());
            to.write_all(&held[..held.len() - kept])?;
            to.flush()?;
            held.drain(..held.len() - kept);
        }
    }
    let Some(at) = find(&held, marker.text().as_bytes()) else {
        to.write_all(&held)?;
        to.flush()?;
        return Ok(None);
    };
    to.write_all(&held[..at])?;
    to.flush()?;
    // A process that the program left behind may write after the status.
    let status = String::from_utf8_lossy(&held[at + marker.text().len()..]);
    Ok(status.lines().next().and_then(|line| line.trim().parse().ok()))
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|window| window == pattern)
}

/// Returns how many bytes at the end of `text` may be the beginning of `pattern`.
fn beginning(text: &[u8], pattern: &[u8]) -> usize {
    (0..=pattern.len().min(text.len())).rev().find(|&count| text.ends_with(&pattern[..count])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1);
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn the_status_is_taken_out_however_the_output_is_cut() {
        let marker = Marker::new("7");
        let end = marker.text();
        for (output, written, status) in [
            (format!("a\nb\n{end}0\n"), "a\nb\n", Some(0)),
            (format!("no line end{end}101\n"), "no line end", Some(101)),
            (format!("terminal\r\n{end}3\r\n"), "terminal\r\n", Some(3)),
            (format!("{end}255"), "", Some(255)),
            ("cut off\nandroid-runner-sta".to_owned(), "cut off\nandroid-runner-sta", None),
            (format!("android-android-runner-status-8=1\n{end}2\n"), "android-android-runner-status-8=1\n", Some(2)),
            (format!("out\n{end}4\nof a process left behind\n"), "out\n", Some(4)),
            (format!("{end}\n"), "", None),
            (String::new(), "", None),
        ] {
            for step in 1..=output.len().max(1) {
                let mut copied = Vec::new();
                let found = copy(Slow(output.as_bytes(), step), &mut copied, &marker).unwrap();
                assert_eq!(
                    (String::from_utf8(copied).unwrap().as_str(), found),
                    (written, status),
                    "{output:?} by {step}"
                );
            }
        }
    }
}

//! Decodes the intact parts of damaged armor.

use std::io::{self, BufRead, Write};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{BEGIN, BYTES_PER_LINE, COLUMNS};

/// Accepts base64 that is not canonical because bits after the last byte are nonzero.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// The longest input line that is read whole, in bytes. Longer lines, which armor does not have,
/// are cut into pieces of this length.
const MAX_LINE: u64 = 1 << 16;

/// Decodes partly damaged armor, for [`StreamReader::salvage`](crate::StreamReader::salvage).
/// Undamaged bytes keep their positions as far as possible.
///
/// Skips input up to the `BEGIN` line, and stops at the next line that begins with two dashes. If
/// there is no `BEGIN` line, writes nothing. White space at both ends of a line and padding are
/// ignored, and a character that is not base64 counts as `A`. Lines are cut after every 64
/// characters. A line of 48 to 63 characters that is not the last one must have lost some: it is
/// decoded to 48 bytes, the last of which are zeros. Every other line is decoded to the bytes that
/// its characters encode.
///
/// # Errors
///
/// The errors of `input` and `output`.
pub fn decode_damaged(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    let mut next_line = |line: &mut Vec<u8>| {
        line.clear();
        io::Read::take(&mut input, MAX_LINE).read_until(b'\n', line)
    };
    while line.trim_ascii() != BEGIN {
        if next_line(&mut line)? == 0 {
            return Ok(());
        }
    }
    // A line is known to be the last one when the next one has been read.
    let mut before = Vec::new();
    loop {
        let ended = next_line(&mut line)? == 0 || line.trim_ascii().starts_with(b"--");
        decode_line(&before, ended, &mut output)?;
        if ended {
            return output.flush();
        }
        std::mem::swap(&mut before, &mut line);
    }
}

fn decode_line(line: &[u8], is_last: bool, output: &mut impl Write) -> io::Result<()> {
    let mut text = line.trim_ascii().to_vec();
    while text.last() == Some(&b'=') {
        text.pop();
    }
    for character in &mut text {
        if !(character.is_ascii_alphanumeric() || matches!(*character, b'+' | b'/')) {
            *character = b'A';
        }
    }
    for piece in text.chunks_mut(COLUMNS) {
        // A single character is less than a byte.
        let whole = if piece.len() % 4 == 1 { piece.len() - 1 } else { piece.len() };
        let mut bytes = [0; BYTES_PER_LINE];
        let mut len = LENIENT.decode_slice(&piece[..whole], &mut bytes).map_err(io::Error::other)?;
        if !is_last && piece.len() >= COLUMNS * 3 / 4 {
            len = BYTES_PER_LINE;
        }
        output.write_all(&bytes[..len])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::armor::ArmoredWriter;

    fn decoded(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        decode_damaged(text, &mut out).unwrap();
        out
    }

    fn armored(len: usize) -> (Vec<u8>, Vec<u8>) {
        let data: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8).collect();
        let mut writer = ArmoredWriter::new(Vec::new());
        writer.write_all(&data).unwrap();
        (data, writer.finish().unwrap())
    }

    #[test]
    fn what_is_whole() {
        for len in 1..200 {
            let (data, text) = armored(len);
            assert_eq!(decoded(&text), data, "{len}");
            let text = String::from_utf8(text).unwrap();
            assert_eq!(decoded(format!("\n hello\n{}", text.replace('\n', "\r\n")).as_bytes()), data, "{len}");
            // The same without the end of the text.
            assert_eq!(decoded(&text.as_bytes()[..text.len() - 34]), data, "{len}");
        }
    }

    #[test]
    fn a_line_that_is_damaged_moves_nothing() {
        let (data, text) = armored(480);
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let odd = |line: &str| {
            [
                line.replacen(line.get(3..4).unwrap(), "!", 1),
                line[1..].to_owned(),
                line[9..].to_owned(),
                format!("{line}A"),
                format!("A{line}"),
            ]
        };
        for damaged in odd(lines[3]) {
            let mut lines: Vec<_> = lines.iter().map(|line| (*line).to_owned()).collect();
            lines[3] = damaged;
            let out = decoded(lines.join("\n").as_bytes());
            assert_eq!(out.len(), data.len());
            assert_eq!(out[..96], data[..96]);
            assert_eq!(out[144..], data[144..]);
        }
        // Two lines were joined into one, and one line is missing.
        assert_eq!(decoded(text.replacen(&format!("{}\n", lines[3]), lines[3], 1).as_bytes()), data);
        let out = decoded(text.replacen(&format!("{}\n", lines[3]), "", 1).as_bytes());
        assert_eq!(out, [&data[..96], &data[144..]].concat());
    }

    #[test]
    fn what_is_no_armor() {
        for text in
            [&b""[..], b"hello", b"-----BEGIN AGE ENCRYPTED FILE-----", b"-----BEGIN AGE ENCRYPTED FILE-----\n\n--"]
        {
            assert_eq!(decoded(text), b"");
        }
        assert_eq!(decoded(b"-----BEGIN AGE ENCRYPTED FILE-----\nA\nAA\n====\n\xff"), [0]);
    }
}

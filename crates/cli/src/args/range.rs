//! Ranges of a plaintext.

use std::fmt;
use std::str::FromStr;

use super::units::bytes;

/// A range of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlaintextRange {
    /// A start, and a length. `None` is all bytes up to the end.
    From(u64, Option<u64>),
    /// This many bytes at the end.
    Last(u64),
}

/// Parses `START:LEN`, `START:`, `:LEN`, and `-LEN` for the end.
impl FromStr for PlaintextRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| if text.trim().is_empty() { Ok(None) } else { bytes(text).map(Some) };
        if let Some(len) = text.strip_prefix('-') {
            return bytes(len).map(Self::Last);
        }
        match text.split_once(':') {
            Some((start, len)) => match (number(start)?, number(len)?) {
                (None, None) => Err("neither START nor LEN is given".to_owned()),
                (start, len) => Ok(Self::From(start.unwrap_or(0), len)),
            },
            None => Err("not of the form START:LEN, START:, :LEN or -LEN".to_owned()),
        }
    }
}

impl fmt::Display for PlaintextRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(start, Some(len)) => write!(f, "{start}:{len}"),
            Self::From(start, None) => write!(f, "{start}:"),
            Self::Last(len) => write!(f, "-{len}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PlaintextRange::{From, Last};
    use super::*;

    #[test]
    fn ranges() {
        let good = [
            ("0:0", From(0, Some(0))),
            ("5:7", From(5, Some(7))),
            ("1M:64KiB", From(1 << 20, Some(65536))),
            ("5:", From(5, None)),
            (":7", From(0, Some(7))),
            ("-7", Last(7)),
            ("-1G", Last(1 << 30)),
        ];
        for (text, expected) in good {
            assert_eq!(text.parse(), Ok(expected), "{text}");
            assert_eq!(expected.to_string().parse(), Ok(expected));
        }
        for text in ["", ":", "5", "-", "5:-7", "-5:7", "--7", "a:b", "1:2:3", "5-7", "0x10:"] {
            assert!(text.parse::<PlaintextRange>().is_err(), "{text}");
        }
    }
}

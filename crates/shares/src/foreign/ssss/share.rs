//! One share of ssss, which is a line of text.

use std::fmt;
use std::str::{self, FromStr};

use zeroize::Zeroizing;

use crate::foreign::error::ForeignError;
use crate::foreign::hex::{push_hex, read_hex};
use crate::format::error::ParameterError;

/// The longest secret, in bytes.
pub const MAX_SECRET_BYTES: usize = 128;

/// The longest token that ssss takes.
pub(super) const MAX_TOKEN_BYTES: usize = 128;

/// One share. It is wiped when it is dropped.
///
/// [`Display`](fmt::Display) writes the line, which is secret: it is what a holder stores.
/// [`Debug`] shows everything but the value.
#[derive(Clone)]
pub struct SsssShare {
    pub(super) token: Option<String>,
    pub(super) index: u32,
    pub(super) value: Zeroizing<Vec<u8>>,
}

impl SsssShare {
    /// Reads a line. White space around it is ignored.
    ///
    /// # Errors
    /// If it is not a share.
    pub fn parse(line: &str) -> Result<Self, ForeignError> {
        let (rest, digits) = line.trim().rsplit_once('-').ok_or(ForeignError::Malformed)?;
        let (token, index) = match rest.rsplit_once('-') {
            Some((token, index)) if token.len() <= MAX_TOKEN_BYTES => (Some(token.to_owned()), index),
            Some(_) => return Err(ForeignError::Malformed),
            None => (None, rest),
        };
        if index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ForeignError::Malformed);
        }
        let index = index.parse().map_err(|_| ForeignError::Malformed)?;
        if !(2..=2 * MAX_SECRET_BYTES).contains(&digits.len()) {
            return Err(ForeignError::Malformed);
        }
        let value = read_hex(digits).ok_or(ForeignError::Malformed)?;
        if index == 0 {
            return Err(ParameterError::ZeroPoint.into());
        }
        if value.len() < 4 && index >> (8 * value.len()) != 0 {
            return Err(ForeignError::Malformed);
        }
        Ok(Self { token, index, value })
    }

    /// Returns the line as ssss writes it for `count` shares: zeros before the index give it at
    /// least as many digits as `count` has.
    #[must_use]
    pub fn to_line(&self, count: usize) -> Zeroizing<String> {
        let width = count.to_string().len();
        let start = match &self.token {
            Some(token) => format!("{token}-{:0width$}-", self.index),
            None => format!("{:0width$}-", self.index),
        };
        let mut line = Zeroizing::new(String::with_capacity(start.len() + self.value.len() * 2));
        line.push_str(&start);
        push_hex(&mut line, &self.value);
        line
    }

    /// Returns the token.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Returns the evaluation point.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }
}

impl fmt::Display for SsssShare {
    /// Writes the line, which is secret. The index has as few digits as possible:
    /// [`SsssShare::to_line`] can add zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_line(1))
    }
}

impl fmt::Debug for SsssShare {
    /// Shows everything but the value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SsssShare").field("token", &self.token).field("index", &self.index).finish_non_exhaustive()
    }
}

impl FromStr for SsssShare {
    type Err = ForeignError;

    /// Does the same as [`SsssShare::parse`].
    fn from_str(line: &str) -> Result<Self, ForeignError> {
        Self::parse(line)
    }
}

impl TryFrom<&[u8]> for SsssShare {
    type Error = ForeignError;

    /// Reads a line in UTF-8. The format has no binary form.
    fn try_from(line: &[u8]) -> Result<Self, ForeignError> {
        Self::parse(str::from_utf8(line).map_err(|_| ForeignError::Malformed)?)
    }
}

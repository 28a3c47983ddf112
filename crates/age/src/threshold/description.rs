//! The description of a share, in the first line of its stanza. It is shown to the holder, and
//! authenticated with the share.

use alloc::borrow::ToOwned as _;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use base64::{Engine as _, prelude::BASE64_STANDARD_NO_PAD};

use super::{TYPE, ThresholdError};
use crate::message::is_deceptive;

/// The length of a share set id, in bytes.
pub const SHARE_SET_ID_BYTES: usize = 16;

/// The length of the longest label, in bytes of UTF-8.
pub const MAX_LABEL_BYTES: usize = 100;

/// The only version of the format.
const VERSION: &str = "v1";

/// The id of a share set: random bytes, shown as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShareSetId(pub [u8; SHARE_SET_ID_BYTES]);

impl ShareSetId {
    #[cfg(feature = "std")]
    pub(super) fn random() -> Result<Self, sealane::RandomError> {
        let mut id = [0; SHARE_SET_ID_BYTES];
        crate::random::fill(&mut id)?;
        Ok(Self(id))
    }

    /// Parses digits in lower case only, so that each id has one text.
    fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let text: &[u8; 2 * SHARE_SET_ID_BYTES] = text.as_bytes().try_into().ok()?;
        let mut id = [0; SHARE_SET_ID_BYTES];
        for (byte, digits) in id.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(digits[0])? << 4 | digit(digits[1])?;
        }
        Some(Self(id))
    }
}

impl fmt::Display for ShareSetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A note from the maker of a file to the holders, for example "budget 2027".
///
/// It has 1 to [`MAX_LABEL_BYTES`] bytes of UTF-8 on one line, without white space at its ends.
/// Characters that would change how the text around them is shown are rejected: control characters,
/// line separators, direction marks and invisible ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label(String);

impl Label {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Label {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Self, ThresholdError> {
        let is_valid =
            (1..=MAX_LABEL_BYTES).contains(&text.len()) && text.trim() == text && !text.chars().any(is_deceptive);
        if is_valid { Ok(Self(text.to_owned())) } else { Err(ThresholdError::Label) }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The description of a share: the associated data of the sealed share.
///
/// The description of a [`Part`](super::Part) is authentic: the maker of the file wrote it.
/// [`describe`](super::describe()) returns values from the header that are not authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShareDescription {
    /// The number of shares that are needed to recover the file key, from 2 to `count`.
    pub threshold: u8,
    /// The number of shares in the set.
    pub count: u8,
    /// The number of this share, from 1 to `count`.
    pub point: u8,
    /// The id of the share set.
    pub set: ShareSetId,
    /// The note from the maker of the file.
    pub label: Option<Label>,
}

impl ShareDescription {
    /// Returns the arguments of the stanza.
    pub(super) fn to_args(&self) -> Vec<String> {
        let mut args = Vec::from([VERSION.to_owned()]);
        args.extend([self.threshold, self.count, self.point].map(|number| number.to_string()));
        args.push(self.set.to_string());
        args.extend(self.label.as_ref().map(|label| BASE64_STANDARD_NO_PAD.encode(label.as_str())));
        args
    }

    /// Parses the arguments of a stanza. Each description has exactly one form, the one that
    /// `to_args` returns.
    pub(super) fn from_args(args: &[String]) -> Result<Self, ThresholdError> {
        let malformed = || ThresholdError::Malformed;
        let (version, args) = args.split_first().ok_or_else(malformed)?;
        if version != VERSION {
            let number = version.strip_prefix('v').and_then(|text| text.parse::<u64>().ok());
            let is_version = number.is_some_and(|number| number > 0 && alloc::format!("v{number}") == *version);
            return Err(if is_version { ThresholdError::UnknownVersion(version.clone()) } else { malformed() });
        }
        let (args, label) = match args {
            [args @ .., label] if args.len() == 4 => (args, Some(parse_label(label).ok_or_else(malformed)?)),
            args => (args, None),
        };
        let [threshold, count, point, set] = args else { return Err(malformed()) };
        let number = |text: &String| text.parse::<u8>().ok().filter(|number| number.to_string() == *text);
        let (Some(threshold), Some(count), Some(point)) = (number(threshold), number(count), number(point)) else {
            return Err(malformed());
        };
        let set = ShareSetId::parse(set).ok_or_else(malformed)?;
        Some(Self { threshold, count, point, set, label }).filter(Self::is_possible).ok_or_else(malformed)
    }

    /// Returns whether the numbers fit together.
    pub(super) fn is_possible(&self) -> bool {
        2 <= self.threshold && self.threshold <= self.count && 1 <= self.point && self.point <= self.count
    }

    /// Returns the associated data: the first line of the stanza without the arrow, the space after
    /// it, and the line feed.
    pub(super) fn associated_data(&self) -> Vec<u8> {
        [&[TYPE.to_owned()][..], &self.to_args()].concat().join(" ").into_bytes()
    }
}

fn parse_label(text: &str) -> Option<Label> {
    // The decoder accepts only canonical base64.
    String::from_utf8(BASE64_STANDARD_NO_PAD.decode(text).ok()?).ok()?.parse().ok()
}

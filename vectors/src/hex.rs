//! Bytes that a JSON file holds as hexadecimal digits.

use core::fmt;
use core::ops::Deref;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Bytes, read from a string of hexadecimal digits.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Hex(Vec<u8>);

impl Hex {
    /// Returns the bytes as an array.
    ///
    /// # Panics
    /// If there are not exactly `N`: the vector is then malformed.
    #[must_use]
    pub fn array<const N: usize>(&self) -> [u8; N] {
        let found = self.0.len();
        self.0.as_slice().try_into().unwrap_or_else(|_| panic!("a vector has {found} bytes where {N} are needed"))
    }

    fn parse(digits: &str) -> Option<Self> {
        let nibble = |digit: u8| char::from(digit).to_digit(16).and_then(|n| u8::try_from(n).ok());
        let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
        pairs.iter().map(|&[high, low]| Some(nibble(high)? << 4 | nibble(low)?)).collect::<Option<_>>().map(Self)
    }
}

impl Deref for Hex {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        Self::parse(&digits).ok_or_else(|| D::Error::custom("not an even number of hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::Hex;

    #[test]
    fn digits_in_pairs_and_nothing_else() {
        assert_eq!(Hex::parse("00fF7a").as_deref(), Some(&[0x00, 0xff, 0x7a][..]));
        assert_eq!(Hex::parse("").as_deref(), Some(&[][..]));
        for malformed in ["0", "000", "0g", "+1", " 0", "é"] {
            assert_eq!(Hex::parse(malformed), None, "{malformed}");
        }
    }
}

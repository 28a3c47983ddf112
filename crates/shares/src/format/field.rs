//! The fields that secrets are shared over.

use super::error::ParameterError;
use super::layout::BLINDING_BYTES;

/// The choice of evaluation points for shares of one field element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Points {
    /// The point of a share is its index, from 1 to n.
    Compact,
    /// Points are uniformly random, nonzero and distinct field elements.
    Random,
}

/// The field that a secret is shared over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// Each byte by itself, over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x + 1 (0x11b). The
    /// evaluation point is the index. Secrets can have any length.
    Bytes,
    /// One element of GF(2^bits).
    Element {
        /// The degree: 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 1536 or 2048.
        bits: u16,
        /// The choice of evaluation points.
        points: Points,
    },
}

impl Field {
    /// The degrees of [`Field::Element`].
    pub const ELEMENT_BITS: [u16; 12] = [16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048];

    /// Returns the number of the scheme in a header.
    pub(crate) fn scheme(self) -> u8 {
        match self {
            Self::Bytes => 1,
            Self::Element { points: Points::Compact, .. } => 2,
            Self::Element { points: Points::Random, .. } => 3,
        }
    }

    pub(crate) fn from_wire(scheme: u8, bits: u16) -> Result<Self, ParameterError> {
        let field = match scheme {
            1 => Self::Bytes,
            2 => Self::Element { bits, points: Points::Compact },
            3 => Self::Element { bits, points: Points::Random },
            _ => return Err(ParameterError::Scheme(scheme)),
        };
        if field.bits() == bits { field.check().map(|()| field) } else { Err(ParameterError::FieldBits(bits)) }
    }

    pub(crate) fn check(self) -> Result<(), ParameterError> {
        match self {
            Self::Element { bits, .. } if !Self::ELEMENT_BITS.contains(&bits) => Err(ParameterError::FieldBits(bits)),
            _ => Ok(()),
        }
    }

    /// Returns the degree: the field has 2^bits elements.
    #[must_use]
    pub fn bits(self) -> u16 {
        match self {
            Self::Bytes => 8,
            Self::Element { bits, .. } => bits,
        }
    }

    /// Returns the length of one element in bytes.
    #[must_use]
    pub fn element_len(self) -> usize {
        usize::from(self.bits() / 8)
    }

    /// Returns the largest number of shares, which is the largest index too.
    #[must_use]
    pub fn max_count(self) -> u16 {
        if self.bits() == 8 { 255 } else { u16::MAX }
    }

    /// Returns the length of a share of the blinding value, which is a whole number of elements.
    pub(crate) fn blinding_share_bytes(self) -> usize {
        BLINDING_BYTES.next_multiple_of(self.element_len())
    }

    pub(crate) fn point_bytes(self) -> usize {
        match self {
            Self::Element { points: Points::Random, .. } => self.element_len(),
            _ => 0,
        }
    }
}

/// Checks that a threshold is not so low that each share would be the secret.
pub(crate) fn check_threshold(threshold: usize) -> Result<(), ParameterError> {
    match threshold {
        0 => Err(ParameterError::ThresholdZero),
        1 => Err(ParameterError::ThresholdOne),
        _ => Ok(()),
    }
}

/// Checks a threshold and a number of shares, which must be at most `max`. Returns both.
pub(crate) fn check_counts(max: u16, threshold: usize, count: usize) -> Result<(u16, u16), ParameterError> {
    check_threshold(threshold)?;
    if threshold > count {
        return Err(ParameterError::ThresholdOverCount { threshold, count });
    }
    match (u16::try_from(threshold), u16::try_from(count)) {
        (Ok(threshold), Ok(narrow)) if narrow <= max => Ok((threshold, narrow)),
        _ => Err(ParameterError::Count { count, max }),
    }
}

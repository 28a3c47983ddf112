//! What shares in other people's formats have in common: they say little of themselves.

use subtle::ConstantTimeEq;

use crate::error::ParameterError;

/// Shares of ssss or Vault cannot be read, made or combined. Positions are places in the list that was given, from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// It is not a share of this kind.
    #[error("not a share in this format")]
    Malformed,
    /// The parameters are impossible.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// There are too few different shares.
    #[error("{needed} different shares are needed, not {usable}")]
    TooFew {
        /// The threshold.
        needed: usize,
        /// How many there are.
        usable: usize,
    },
    /// Two shares have different lengths, so that they are of different secrets.
    #[error("the shares have different lengths")]
    DifferentLengths {
        /// Two such shares.
        positions: [usize; 2],
    },
    /// Two shares have the same number and different content.
    #[error("two shares have the same number and different content")]
    Conflict {
        /// The two.
        positions: [usize; 2],
    },
    /// There are more shares than needed, and they contradict each other.
    #[error("the shares contradict each other: one is damaged, or of another secret, or the threshold is another")]
    Inconsistent,
    /// Sharing itself failed: the system's random number generator did.
    #[error(transparent)]
    Sharing(#[from] sealane::shamir::Error),
    /// The system's random number generator failed.
    #[error("the system's random number generator failed: {0}")]
    Random(#[from] getrandom::Error),
}

/// The places of the first share at each point. `shares` are points and values.
pub(crate) fn distinct<P: PartialEq>(shares: &[(P, &[u8])]) -> Result<Vec<usize>, ForeignError> {
    let mut distinct: Vec<usize> = Vec::new();
    for (at, (point, value)) in shares.iter().enumerate() {
        if value.len() != shares[0].1.len() {
            return Err(ForeignError::DifferentLengths { positions: [0, at] });
        }
        match distinct.iter().find(|&&first| shares[first].0 == *point) {
            None => distinct.push(at),
            Some(&first) if bool::from(shares[first].1.ct_eq(value)) => {}
            Some(&first) => return Err(ForeignError::Conflict { positions: [first, at] }),
        }
    }
    Ok(distinct)
}

/// Hexadecimal digits of a secret: neither branch nor address depends on it.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        for digit in [byte >> 4, byte & 15] {
            // 39 more for the letters: all ones in the upper bits when 9 is less than the digit.
            let letter = (9i8.wrapping_sub(digit as i8) >> 7) as u8;
            text.push(char::from(b'0' + digit + (letter & 39)));
        }
    }
}

/// Pairs of hexadecimal digits.
pub(crate) fn read_hex(text: &str) -> Option<zeroize::Zeroizing<Vec<u8>>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    let mut bytes = zeroize::Zeroizing::new(Vec::with_capacity(text.len() / 2));
    for pair in text.as_bytes().chunks_exact(2) {
        let digit = |at: usize| char::from(pair[at]).to_digit(16);
        bytes.push((digit(0)? << 4 | digit(1)?) as u8);
    }
    Some(bytes)
}

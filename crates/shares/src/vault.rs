//! Shares as HashiCorp Vault and OpenBao make them (`vault operator init`, package `shamir`): the value of each byte over
//! GF(2^8) with the polynomial 0x11b, and after it one byte, the evaluation point.
//!
//! They say nothing of a set or a threshold and have no checksum, so that a wrong or a missing share gives a wrong secret
//! without an error, unless the threshold is known and there are more shares.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::error::ParameterError;
use crate::foreign::{self, ForeignError};
use crate::header::{Field, check_counts};
use crate::rows::Rows;
use sealane::shamir::bytes::{Combiner, Splitter};

/// One share. It is wiped, and has no `Debug` output.
#[derive(Clone)]
pub struct VaultShare(Zeroizing<Vec<u8>>);

impl VaultShare {
    /// Reads its bytes.
    ///
    /// # Errors
    /// If there are fewer than two, or the evaluation point is zero.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ForeignError> {
        match bytes {
            [_, .., 0] => Err(ParameterError::ZeroPoint.into()),
            [_, .., _] => Ok(Self(Zeroizing::new(bytes.to_vec()))),
            _ => Err(ForeignError::Malformed),
        }
    }

    /// Reads hexadecimal digits, or otherwise base64. White space around them is ignored.
    ///
    /// # Errors
    /// If it is neither, or as [`from_bytes`](Self::from_bytes).
    pub fn parse(text: &str) -> Result<Self, ForeignError> {
        let text = text.trim();
        let bytes = match foreign::read_hex(text) {
            Some(bytes) => bytes,
            None => {
                let engine = if text.ends_with('=') { STANDARD } else { STANDARD_NO_PAD };
                Zeroizing::new(engine.decode(text).map_err(|_| ForeignError::Malformed)?)
            }
        };
        Self::from_bytes(&bytes)
    }

    /// Its bytes: the values, and the evaluation point.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(self.0.len() * 2));
        foreign::push_hex(&mut text, &self.0);
        text
    }

    /// Base64 with padding.
    #[must_use]
    pub fn to_base64(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(&self.0[..]))
    }

    /// The evaluation point.
    #[must_use]
    pub fn point(&self) -> u8 {
        self.0[self.0.len() - 1]
    }

    fn values(&self) -> &[u8] {
        &self.0[..self.0.len() - 1]
    }
}

/// Splits a secret of at least one byte, with the evaluation points 1 to `count`.
///
/// # Errors
/// If the secret is empty, the threshold below 2 or above the count, the count above 255, or the system's generator fails.
pub fn split(secret: &[u8], threshold: usize, count: usize) -> Result<Vec<VaultShare>, ForeignError> {
    let narrow = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    check_counts(Field::Bytes, narrow(threshold), narrow(count))?;
    if secret.is_empty() {
        return Err(ParameterError::SecretBytes(0).into());
    }
    let mut rows = Rows::new(count, secret.len() + 1);
    Splitter::new(threshold, count)?.split(secret, &mut rows.all_mut(secret.len()))?;
    let share = |at: usize| {
        let row = rows.row_mut(at);
        row[secret.len()] = at as u8 + 1;
        VaultShare(Zeroizing::new(row.to_vec()))
    };
    Ok((0..count).map(share).collect())
}

/// Combines shares: with a threshold, those beyond it are checked against the others; without, all are taken to be needed.
///
/// **The result is not authenticated**: the format has nothing for it.
///
/// # Errors
/// If there are fewer different shares than the threshold, or than 2; or they differ in length or contradict each other.
pub fn combine(shares: &[VaultShare], threshold: Option<usize>) -> Result<Zeroizing<Vec<u8>>, ForeignError> {
    let list: Vec<(u8, &[u8])> = shares.iter().map(|share| (share.point(), share.values())).collect();
    let distinct = foreign::distinct(&list)?;
    let needed = threshold.unwrap_or(distinct.len()).max(2);
    if distinct.len() < needed {
        return Err(ForeignError::TooFew { needed, usable: distinct.len() });
    }
    let (basis, extra) = distinct.split_at(needed);
    let points: Vec<u8> = basis.iter().map(|&at| list[at].0).collect();
    let rows: Vec<&[u8]> = basis.iter().map(|&at| list[at].1).collect();
    let mut out = Zeroizing::new(vec![0; rows[0].len()]);
    for &at in extra {
        let (point, values) = list[at];
        Combiner::at(&points, point).and_then(|it| it.combine(&rows, &mut out))?;
        if !bool::from(out.ct_eq(values)) {
            return Err(ForeignError::Inconsistent);
        }
    }
    Combiner::at(&points, 0).and_then(|it| it.combine(&rows, &mut out))?;
    Ok(out)
}

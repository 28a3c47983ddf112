//! Shares of HashiCorp Vault and OpenBao (`vault operator init`, package `shamir`).
//!
//! A share has one value in GF(2^8), with the polynomial 0x11b, for each byte of the secret. The
//! last byte of the share is the evaluation point.
//!
//! Shares state neither their set nor the threshold, and have no checksum. A wrong or missing share
//! usually gives a wrong secret without an error. If the threshold is known, [`combine`] refuses
//! too few shares, and checks the shares beyond the threshold.
//!
//! ```
//! use sealane_shares::vault::{self, VaultShare};
//!
//! let shares: Vec<VaultShare> = vault::split(&[0x42; 32], 3, 5)?;
//! let lines: Vec<_> = shares[2..].iter().map(VaultShare::to_base64).collect();
//! let shares = vault::parse_all(&lines).map_err(|(_, error)| error)?;
//! assert_eq!(vault::combine(&shares, Some(3))?[..], [0x42; 32]);
//! # Ok::<(), sealane_shares::ForeignError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::distinct::distinct;
use super::error::ForeignError;
use super::hex::{push_hex, read_hex};
use crate::format::Field;
use crate::format::error::ParameterError;
use crate::format::field::{check_counts, check_threshold};
use crate::ops::rows::Rows;
use sealane::shamir::bytes::{Combiner, Splitter};

/// The length of Vault's shortest key.
const MIN_KEY_BYTES: usize = 16;

/// One share. It is wiped when it is dropped.
///
/// [`Display`](fmt::Display) writes hexadecimal digits, which are secret: they are what a holder
/// stores. [`parse`](Self::parse) always reads them correctly, but may mistake base64 for
/// hexadecimal. [`Debug`] shows only the evaluation point.
#[derive(Clone)]
pub struct VaultShare(Zeroizing<Vec<u8>>);

impl VaultShare {
    /// Reads the bytes of a share.
    ///
    /// # Errors
    /// If there are fewer than two bytes, or the evaluation point is zero.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ForeignError> {
        match bytes {
            [_, .., 0] => Err(ParameterError::ZeroPoint.into()),
            [_, .., _] => Ok(Self(Zeroizing::new(bytes.to_vec()))),
            _ => Err(ForeignError::Malformed),
        }
    }

    /// Reads hexadecimal digits or, if that fails, base64. White space around them is ignored.
    ///
    /// Base64 of a short share can look like hexadecimal digits (`7EAC`). [`parse_all`] is more
    /// reliable, because it considers all shares of a secret. As in Vault, digits of at least 16
    /// bytes are never base64.
    ///
    /// # Errors
    /// If neither encoding gives a share. The error is the one for base64, or for digits that are
    /// never base64.
    pub fn parse(text: &str) -> Result<Self, ForeignError> {
        Self::parse_hex(text).or_else(|_| Self::parse_base64(text))
    }

    fn parse_hex(text: &str) -> Result<Self, ForeignError> {
        Self::from_bytes(&read_hex(text.trim()).ok_or(ForeignError::Malformed)?)
    }

    /// Reads base64. Like Vault, reads hexadecimal digits of at least 16 bytes as hexadecimal.
    fn parse_base64(text: &str) -> Result<Self, ForeignError> {
        let text = text.trim();
        if text.len() >= 2 * MIN_KEY_BYTES && read_hex(text).is_some() {
            return Self::parse_hex(text);
        }
        let engine = if text.ends_with('=') { STANDARD } else { STANDARD_NO_PAD };
        Self::from_bytes(&Zeroizing::new(engine.decode(text).map_err(|_| ForeignError::Malformed)?))
    }

    /// Returns the bytes: the values and the evaluation point.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the share in hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(self.0.len() * 2));
        push_hex(&mut text, &self.0);
        text
    }

    /// Returns the share in base64 with padding.
    #[must_use]
    pub fn to_base64(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(&self.0[..]))
    }

    /// Returns the evaluation point.
    #[must_use]
    pub fn point(&self) -> u8 {
        self.0[self.0.len() - 1]
    }

    fn values(&self) -> &[u8] {
        &self.0[..self.0.len() - 1]
    }
}

impl fmt::Display for VaultShare {
    /// Writes the hexadecimal digits, which are secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for VaultShare {
    /// Shows the evaluation point only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VaultShare").field("point", &self.point()).finish_non_exhaustive()
    }
}

impl FromStr for VaultShare {
    type Err = ForeignError;

    /// Does the same as [`VaultShare::parse`].
    fn from_str(text: &str) -> Result<Self, ForeignError> {
        Self::parse(text)
    }
}

impl TryFrom<&[u8]> for VaultShare {
    type Error = ForeignError;

    /// Does the same as [`VaultShare::from_bytes`].
    fn try_from(bytes: &[u8]) -> Result<Self, ForeignError> {
        Self::from_bytes(bytes)
    }
}

/// Reads the shares of one secret, all in the same encoding. White space around a line is ignored.
///
/// An encoding, hexadecimal or base64, fits if it gives shares of equal length, and only identical
/// shares have the same evaluation point. Base64 of a few bytes is often valid hexadecimal too. If
/// both encodings fit, the first rule that applies decides:
///
/// - If a line has lower-case and upper-case letters, the encoding is base64.
/// - If no line has upper-case letters, the encoding is hexadecimal.
/// - The encoding is the one whose largest evaluation point is smaller, or hexadecimal if the two
///   points are equal.
///
/// If neither encoding fits, each line is read by [`VaultShare::parse`].
///
/// ```
/// use sealane_shares::vault;
///
/// // The first line could be hexadecimal. The second line shows that both are base64.
/// let shares = vault::parse_all(&["7EAC", "kHkB"]).unwrap();
/// assert_eq!(shares[0].as_bytes(), [0xec, 0x40, 0x02]);
/// ```
///
/// # Errors
/// The index of the first line that cannot be read, from 0, and the error of [`VaultShare::parse`].
pub fn parse_all<S: AsRef<str>>(lines: &[S]) -> Result<Vec<VaultShare>, (usize, ForeignError)> {
    let read = |parse: fn(&str) -> Result<VaultShare, ForeignError>| {
        let shares: Vec<_> = lines.iter().map_while(|line| parse(line.as_ref()).ok()).collect();
        (shares.len() == lines.len() && is_one_set(&shares)).then_some(shares)
    };
    match (read(VaultShare::parse_hex), read(VaultShare::parse_base64)) {
        (Some(hex), Some(base64)) => {
            let has = |line: &S, class: fn(&char) -> bool| line.as_ref().chars().any(|letter| class(&letter));
            let (small, capital) = (char::is_ascii_lowercase, char::is_ascii_uppercase);
            let largest = |shares: &[VaultShare]| shares.iter().map(VaultShare::point).max();
            let is_base64 = lines.iter().any(|line| has(line, small) && has(line, capital))
                || (lines.iter().any(|line| has(line, capital)) && largest(&base64) < largest(&hex));
            Ok(if is_base64 { base64 } else { hex })
        }
        (Some(shares), None) | (None, Some(shares)) => Ok(shares),
        (None, None) => {
            let share = |(at, line): (usize, &S)| VaultShare::parse(line.as_ref()).map_err(|error| (at, error));
            lines.iter().enumerate().map(share).collect()
        }
    }
}

/// Returns whether the shares can belong to one secret: their lengths are equal, and shares at the
/// same point are identical. The result may be public, although it depends on secret bytes: shares
/// have the same point only if one share is repeated, or by mistake.
fn is_one_set(shares: &[VaultShare]) -> bool {
    let mut first_at: [Option<&VaultShare>; 256] = [None; 256];
    shares.iter().all(|share| {
        let first = first_at[usize::from(share.point())].get_or_insert(share);
        share.0.len() == shares[0].0.len() && bool::from(first.0.ct_eq(&share.0))
    })
}

/// Splits a secret of at least one byte, with the evaluation points 1 to `count`.
///
/// # Errors
/// If the secret is empty, the threshold is below 2 or above the count, the count is above 255, or
/// the system's random number generator fails.
pub fn split(secret: &[u8], threshold: usize, count: usize) -> Result<Vec<VaultShare>, ForeignError> {
    check_counts(Field::Bytes.max_count(), threshold, count)?;
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

/// Combines shares. If the threshold is given, shares beyond it are checked against the others;
/// otherwise all shares are needed.
///
/// **The result is not authenticated**, because the format has no means for it.
///
/// # Errors
/// If there are fewer different shares than the threshold, or fewer than 2; if the threshold is
/// below 2; or if the shares differ in length or contradict each other.
pub fn combine(shares: &[VaultShare], threshold: Option<usize>) -> Result<Zeroizing<Vec<u8>>, ForeignError> {
    threshold.map_or(Ok(()), check_threshold)?;
    let list: Vec<(u8, &[u8])> = shares.iter().map(|share| (share.point(), share.values())).collect();
    let distinct = distinct(&list)?;
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

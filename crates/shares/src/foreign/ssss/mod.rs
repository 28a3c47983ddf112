//! Shares of ssss 0.5 (B. Poettering). A share is a line `[token-]index-value`, whose value is in
//! hexadecimal.
//!
//! The secret is one big-endian element of GF(2^n), with n from 8 to 1024 in steps of 8. The
//! polynomial is monic of degree k, where k is the threshold:
//! x^k + a(k-1) x^(k-1) + … + a1 x + secret. Combining therefore needs the threshold. If n is at
//! least 64, the secret goes through a diffusion layer first, unless that is switched off. The
//! layer encrypts overlapping blocks of 64 bits with XTEA and an all-zero key.
//!
//! A share states neither its set nor the threshold, and has no checksum. A wrong threshold or a
//! wrong share gives a wrong secret without an error, unless there are more shares than needed.
//!
//! ```
//! use sealane_shares::ssss::{self, Options, SsssShare};
//!
//! let secret = b"attack at dawn";
//! let shares = ssss::split(secret, 2, 3, Options::default().with_token(Some("plan")))?;
//! let lines: Vec<_> = shares[1..].iter().map(|share| share.to_line(3)).collect();
//! assert!(lines[0].starts_with("plan-2-"));
//!
//! let found: Vec<SsssShare> = lines.iter().map(|line| line.parse()).collect::<Result<_, _>>()?;
//! assert_eq!(ssss::combine(&found, 2, true)?[..], secret[..]);
//! # Ok::<(), sealane_shares::ForeignError>(())
//! ```

mod diffusion;
mod fields;
mod share;

use sealane::gf2n::{DynamicElement, DynamicField};
use sealane::shamir::dynamic::EvaluationPoints;
use zeroize::Zeroizing;

use self::diffusion::diffuse;
use self::fields::field_of_bytes;
use self::share::MAX_TOKEN_BYTES;
pub use self::share::{MAX_SECRET_BYTES, SsssShare};
use super::distinct::distinct;
use super::error::ForeignError;
use crate::format::error::ParameterError;
use crate::format::field::{check_counts, check_threshold};
use crate::ops::polynomial::Polynomial;

/// Options of splitting. Begin with [`Options::default`]: with the diffusion layer, without a
/// token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options<'a> {
    /// Whether to use the diffusion layer. ssss uses it unless `-D` is given. It leaves secrets
    /// below 64 bits unchanged.
    pub diffusion: bool,
    /// A name that begins each share (`-w`), without white space and hyphens.
    pub token: Option<&'a str>,
}

impl<'a> Options<'a> {
    /// Sets whether to use the diffusion layer.
    #[must_use]
    pub fn with_diffusion(mut self, diffusion: bool) -> Self {
        self.diffusion = diffusion;
        self
    }

    /// Sets the name that begins each share.
    #[must_use]
    pub fn with_token(mut self, token: Option<&'a str>) -> Self {
        self.token = token;
        self
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { diffusion: true, token: None }
    }
}

/// Splits a secret of 1 to [`MAX_SECRET_BYTES`] bytes into `count` shares, as `ssss-split -x -s n`
/// does if n is the length of the secret in bits. The time grows with the product of threshold and
/// count.
///
/// # Errors
/// If the secret has another length, the threshold is below 2 or above the count, the count is too
/// large for the field or above 65,535, the token is invalid, or the system's generator fails.
pub fn split(
    secret: &[u8],
    threshold: usize,
    count: usize,
    options: Options<'_>,
) -> Result<Vec<SsssShare>, ForeignError> {
    let field = field(secret.len())?;
    let max = if secret.len() == 1 { 255 } else { u16::MAX };
    let (threshold, count) = check_counts(max, threshold, count)?;
    let is_token = |token: &str| {
        (1..=MAX_TOKEN_BYTES).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_graphic() && b != b'-')
    };
    if options.token.is_some_and(|token| !is_token(token)) {
        return Err(ForeignError::Malformed);
    }
    let mut bytes = Zeroizing::new(secret.to_vec());
    if options.diffusion {
        diffuse(&mut bytes, true);
    }
    let polynomial = Polynomial::random(field, &bytes, threshold)?.into_monic();
    let share = |index: u16| {
        let value = polynomial.value_at(&element(&field, index.into()));
        SsssShare { token: options.token.map(str::to_owned), index: index.into(), value }
    };
    Ok((1..=count).map(share).collect())
}

/// Combines shares. The threshold and `diffusion` must be the same as for splitting. Shares beyond
/// the threshold are checked against the others.
///
/// For n shares with a threshold of k, the time grows with n·k.
///
/// The result is as long as an element of the field: a shorter secret has zeros before it. **The
/// result is not authenticated**, because the format has no means for it.
///
/// # Errors
/// If there are fewer different shares than the threshold, the threshold is below 2, two shares
/// have different tokens, or the shares differ in length or contradict each other.
pub fn combine(shares: &[SsssShare], threshold: usize, diffusion: bool) -> Result<Zeroizing<Vec<u8>>, ForeignError> {
    check_threshold(threshold)?;
    // A token is optional, so a share without one may belong to any secret.
    let mut tokens = shares.iter().enumerate().filter(|(_, share)| share.token.is_some());
    if let Some((first, named)) = tokens.next()
        && let Some((other, _)) = tokens.find(|(_, share)| share.token != named.token)
    {
        return Err(ForeignError::DifferentTokens { positions: [first, other] });
    }
    let list: Vec<(u32, &[u8])> = shares.iter().map(|share| (share.index, &share.value[..])).collect();
    let distinct = distinct(&list)?;
    if distinct.len() < threshold {
        return Err(ForeignError::TooFew { needed: threshold, usable: distinct.len() });
    }
    let field = field(list[0].1.len())?;
    let point = |&at: &usize| element(&field, list[at].0);
    // Subtracting the term x^k leaves the values of a polynomial of a degree below k.
    let value = |at: &usize| {
        let x = point(at);
        let power = (1..threshold).fold(x.clone(), |power, _| field.multiply(&power, &x));
        let mut y = field.from_be_bytes(list[*at].1);
        y += &power;
        y
    };
    let (basis, extra) = distinct.split_at(threshold);
    let points: Vec<DynamicElement> = basis.iter().map(point).collect();
    let points = EvaluationPoints::new(&field, &points)?;
    let values: Vec<DynamicElement> = basis.iter().map(value).collect();
    for at in extra {
        if points.combiner(&point(at)).combine(&values)? != value(at) {
            return Err(ForeignError::Inconsistent);
        }
    }
    let mut secret = points.combiner(&field.zero()).combine(&values)?.to_be_bytes(&field);
    if diffusion {
        diffuse(&mut secret, false);
    }
    Ok(secret)
}

fn field(bytes: usize) -> Result<DynamicField, ForeignError> {
    field_of_bytes(bytes).ok_or_else(|| ParameterError::SecretBytes(bytes).into())
}

/// Returns the evaluation point of a share. The caller has checked that the index is an element of
/// the field.
fn element(field: &DynamicField, index: u32) -> DynamicElement {
    field.from_bits(index.into()).expect("an index that was checked")
}

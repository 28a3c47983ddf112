//! Shares of ssss 0.5 (B. Poettering): `[token-]index-hexadecimal digits`.
//!
//! The secret is one element of GF(2^n), n from 8 to 1024 in steps of 8, big-endian. The polynomial is monic of degree k:
//! x^k + a(k-1) x^(k-1) + … + a1 x + secret, so that the threshold is needed to combine. By default the secret first goes
//! through a diffusion layer, if n is at least 64: 64-bit blocks of XTEA's rounds with a key of zeros, over and over.
//!
//! A share says neither its set nor the threshold, and has no checksum: a wrong threshold or a wrong share gives a wrong secret
//! without an error, unless there are more shares than needed.

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::error::ParameterError;
use crate::foreign::{self, ForeignError};
use crate::gf::{Element, Gf};
use crate::header::check_counts;
use crate::polynomial::Polynomial;

/// The exponents between n and 0 of the fields' polynomials, n from 8 in steps of 8: x^n + x^a + x^b + x^c + 1 with the least
/// a, b, c, in that order, that make it irreducible.
const MIDDLE: [[u8; 3]; 128] = [
    [4, 3, 1],
    [5, 3, 1],
    [4, 3, 1],
    [7, 3, 2],
    [5, 4, 3],
    [5, 3, 2],
    [7, 4, 2],
    [4, 3, 1],
    [10, 9, 3],
    [9, 4, 2],
    [7, 6, 2],
    [10, 9, 6],
    [4, 3, 1],
    [5, 4, 3],
    [4, 3, 1],
    [7, 2, 1],
    [5, 3, 2],
    [7, 4, 2],
    [6, 3, 2],
    [5, 3, 2],
    [15, 3, 2],
    [11, 3, 2],
    [9, 8, 7],
    [7, 2, 1],
    [5, 3, 2],
    [9, 3, 1],
    [7, 3, 1],
    [9, 8, 3],
    [9, 4, 2],
    [8, 5, 3],
    [15, 14, 10],
    [10, 5, 2],
    [9, 6, 2],
    [9, 3, 2],
    [9, 5, 2],
    [11, 10, 1],
    [7, 3, 2],
    [11, 2, 1],
    [9, 7, 4],
    [4, 3, 1],
    [8, 3, 1],
    [7, 4, 1],
    [7, 2, 1],
    [13, 11, 6],
    [5, 3, 2],
    [7, 3, 2],
    [8, 7, 5],
    [12, 3, 2],
    [13, 10, 6],
    [5, 3, 2],
    [5, 3, 2],
    [9, 5, 2],
    [9, 7, 2],
    [13, 4, 3],
    [4, 3, 1],
    [11, 6, 4],
    [18, 9, 6],
    [19, 18, 13],
    [11, 3, 2],
    [15, 9, 6],
    [4, 3, 1],
    [16, 5, 2],
    [15, 14, 6],
    [8, 5, 2],
    [15, 11, 2],
    [11, 6, 2],
    [7, 5, 3],
    [8, 3, 1],
    [19, 16, 9],
    [11, 9, 6],
    [15, 7, 6],
    [13, 4, 3],
    [14, 13, 3],
    [13, 6, 3],
    [9, 5, 2],
    [19, 13, 6],
    [19, 10, 3],
    [11, 6, 5],
    [9, 2, 1],
    [14, 3, 2],
    [13, 3, 1],
    [7, 5, 4],
    [11, 9, 8],
    [11, 6, 5],
    [23, 16, 9],
    [19, 14, 6],
    [23, 10, 2],
    [8, 3, 2],
    [5, 4, 3],
    [9, 6, 4],
    [4, 3, 2],
    [13, 8, 6],
    [13, 11, 1],
    [13, 10, 3],
    [11, 6, 5],
    [19, 17, 4],
    [15, 14, 7],
    [13, 9, 6],
    [9, 7, 3],
    [9, 7, 1],
    [14, 3, 2],
    [11, 8, 2],
    [11, 6, 4],
    [13, 5, 2],
    [11, 5, 1],
    [11, 4, 1],
    [19, 10, 3],
    [21, 10, 6],
    [13, 3, 1],
    [15, 7, 5],
    [19, 18, 10],
    [7, 5, 3],
    [12, 7, 2],
    [7, 5, 1],
    [14, 9, 6],
    [10, 3, 2],
    [15, 13, 12],
    [12, 11, 9],
    [16, 9, 7],
    [12, 9, 3],
    [9, 5, 2],
    [17, 10, 6],
    [24, 9, 3],
    [17, 15, 13],
    [5, 4, 3],
    [19, 17, 8],
    [15, 6, 3],
    [19, 6, 1],
];

/// The longest secret, in bytes.
pub const MAX_SECRET_BYTES: usize = 128;

/// The longest token that ssss takes.
const MAX_TOKEN_BYTES: usize = 128;

/// How a secret is split.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The diffusion layer, which is on unless ssss is told `-D`. Below 64 bits there is none.
    pub diffusion: bool,
    /// A name before each share (`-w`), without white space and hyphens.
    pub token: Option<&'a str>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { diffusion: true, token: None }
    }
}

/// One share. It is wiped, and has no `Debug` output.
#[derive(Clone)]
pub struct SsssShare {
    token: Option<String>,
    index: u32,
    value: Zeroizing<Vec<u8>>,
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
        let value = foreign::read_hex(digits).ok_or(ForeignError::Malformed)?;
        if index == 0 {
            return Err(ParameterError::ZeroPoint.into());
        }
        if value.len() < 4 && index >> (8 * value.len()) != 0 {
            return Err(ForeignError::Malformed);
        }
        Ok(Self { token, index, value })
    }

    /// The line, its index with at least as many digits as `count` has, as ssss writes it.
    #[must_use]
    pub fn to_line(&self, count: usize) -> Zeroizing<String> {
        let width = count.to_string().len();
        let start = match &self.token {
            Some(token) => format!("{token}-{:0width$}-", self.index),
            None => format!("{:0width$}-", self.index),
        };
        let mut line = Zeroizing::new(String::with_capacity(start.len() + self.value.len() * 2));
        line.push_str(&start);
        foreign::push_hex(&mut line, &self.value);
        line
    }

    /// The token.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The evaluation point.
    #[must_use]
    pub fn index(&self) -> u32 {
        self.index
    }
}

/// Splits a secret of 1 to [`MAX_SECRET_BYTES`] bytes into `count` shares: as `ssss-split -x -s` with 8 bits for each byte.
///
/// # Errors
/// If the secret has another length, the threshold is below 2 or above the count, the count is larger than the field or 65,535,
/// the token is invalid, or the system's generator fails.
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
    let polynomial = Polynomial::random(field, field.element(1), &bytes, threshold)?;
    let share = |index: u16| {
        let y = polynomial.at(&field.element(index.into()));
        let mut value = Zeroizing::new(vec![0; field.bytes()]);
        field.write_bytes(&y, &mut value);
        SsssShare { token: options.token.map(str::to_owned), index: index.into(), value }
    };
    Ok((1..=count).map(share).collect())
}

/// Combines shares that `threshold` of were made to be needed, which must be known; those beyond it are checked against the others.
///
/// The secret has as many bytes as the field: one shorter than that has zeros before it. **The result is not authenticated**:
/// the format has nothing for it.
///
/// # Errors
/// If there are fewer different shares than the threshold, or it is below 2; or they differ in length or contradict each other.
pub fn combine(shares: &[SsssShare], threshold: usize, diffusion: bool) -> Result<Zeroizing<Vec<u8>>, ForeignError> {
    match threshold {
        0 => return Err(ParameterError::ThresholdZero.into()),
        1 => return Err(ParameterError::ThresholdOne.into()),
        _ => {}
    }
    let list: Vec<(u32, &[u8])> = shares.iter().map(|share| (share.index, &share.value[..])).collect();
    let distinct = foreign::distinct(&list)?;
    if distinct.len() < threshold {
        return Err(ForeignError::TooFew { needed: threshold, usable: distinct.len() });
    }
    let field = field(list[0].1.len())?;
    // Without x^k the rest is a polynomial of a degree below k.
    let value = |&at: &usize| {
        let x = field.element(list[at].0.into());
        let power = (1..threshold).fold(x.clone(), |power, _| field.multiply(&power, &x));
        let mut y = field.read_bytes(list[at].1);
        field.add_assign(&mut y, &power);
        y
    };
    let (basis, extra) = distinct.split_at(threshold);
    let points: Vec<Element> = basis.iter().map(|&at| field.element(list[at].0.into())).collect();
    let values: Vec<Element> = basis.iter().map(value).collect();
    for at in extra {
        let weights = field.weights(&points, &field.element(list[*at].0.into()));
        if !bool::from(field.weighted_sum(&weights, &values).ct_eq(&value(at))) {
            return Err(ForeignError::Inconsistent);
        }
    }
    let weights = field.weights(&points, &field.zero());
    let mut secret = Zeroizing::new(vec![0; field.bytes()]);
    field.write_bytes(&field.weighted_sum(&weights, &values), &mut secret);
    if diffusion {
        diffuse(&mut secret, false);
    }
    Ok(secret)
}

fn field(bytes: usize) -> Result<Gf, ForeignError> {
    match MIDDLE.get(bytes.wrapping_sub(1)) {
        Some(&middle) => Ok(Gf::new(bytes * 8, middle)),
        None => Err(ParameterError::SecretBytes(bytes).into()),
    }
}

/// The diffusion layer, or its inverse, on a big-endian secret. Below 64 bits there is none.
fn diffuse(secret: &mut [u8], forward: bool) {
    if secret.len() < 8 {
        return;
    }
    // ssss works on 16-bit words, the least significant first, each big-endian, and the odd byte at the end.
    let reorder = |bytes: &mut [u8]| bytes.chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1));
    secret.reverse();
    reorder(secret);
    let length = secret.len();
    let starts = (0..40 * length).step_by(2);
    let mut slice = |start: usize| {
        let mut block = [0u8; 8];
        for (at, byte) in block.iter_mut().enumerate() {
            *byte = secret[(start + at) % length];
        }
        let mut block = u64::from_be_bytes(block);
        block = if forward { encipher(block) } else { decipher(block) };
        for (at, byte) in block.to_be_bytes().into_iter().enumerate() {
            secret[(start + at) % length] = byte;
        }
    };
    if forward {
        starts.for_each(&mut slice);
    } else {
        starts.rev().for_each(&mut slice);
    }
    reorder(secret);
    secret.reverse();
}

const DELTA: u32 = 0x9e37_79b9;

fn mix(word: u32, sum: u32) -> u32 {
    ((word << 4) ^ (word >> 5)).wrapping_add(word) ^ sum
}

/// XTEA (Needham and Wheeler, 1997) with a key of zeros.
fn encipher(block: u64) -> u64 {
    let (mut a, mut b, mut sum) = ((block >> 32) as u32, block as u32, 0u32);
    for _ in 0..32 {
        a = a.wrapping_add(mix(b, sum));
        sum = sum.wrapping_add(DELTA);
        b = b.wrapping_add(mix(a, sum));
    }
    u64::from(a) << 32 | u64::from(b)
}

fn decipher(block: u64) -> u64 {
    let (mut a, mut b, mut sum) = ((block >> 32) as u32, block as u32, DELTA.wrapping_mul(32));
    for _ in 0..32 {
        b = b.wrapping_sub(mix(a, sum));
        sum = sum.wrapping_sub(DELTA);
        a = a.wrapping_sub(mix(b, sum));
    }
    u64::from(a) << 32 | u64::from(b)
}

#[cfg(test)]
mod tests {
    use super::MIDDLE;
    use crate::gf::Gf;

    #[test]
    fn every_polynomial_is_irreducible() {
        for (at, &middle) in MIDDLE.iter().enumerate() {
            assert!(Gf::new(8 * (at + 1), middle).is_irreducible(), "{} bits", 8 * (at + 1));
        }
    }

    #[test]
    fn the_test_of_irreducibility_can_fail() {
        assert!(!Gf::new(8, [4, 3, 2]).is_irreducible() || !Gf::new(8, [5, 4, 2]).is_irreducible());
        // x^16 + x^4 + x^3 + x + 1 and x^64 + x^5 + x^3 + x + 1 are not.
        assert!(!Gf::new(64, [5, 3, 1]).is_irreducible());
        assert!(!Gf::new(1024, [19, 6, 2]).is_irreducible());
    }
}

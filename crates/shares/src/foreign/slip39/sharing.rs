//! SLIP-39's sharing of a value among up to 16 members, with a digest.
//!
//! Members have the points 0 to 15, the digest is at 254 and the value at 255. All points are
//! shifted by 0x80, because `sealane::shamir` accepts no share at zero. The results are the same,
//! because interpolation depends only on differences of points.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::ops::combinations::next_combination;
use crate::random;
use sealane::RandomError;
use sealane::shamir::bytes::Combiner;

const DIGEST_POINT: u8 = 254;
const VALUE_POINT: u8 = 255;
const DIGEST_BYTES: usize = 4;
const SHIFT: u8 = 0x80;

type Value = Zeroizing<Vec<u8>>;

/// Returns the shares at the points from 0 to `count` - 1. The caller has checked the counts.
pub(crate) fn split(value: &[u8], threshold: usize, count: usize) -> Result<Vec<Value>, RandomError> {
    if threshold == 1 {
        return Ok(vec![Zeroizing::new(value.to_vec()); count]);
    }
    let mut shares = Vec::with_capacity(count);
    for _ in 0..threshold - 2 {
        let mut share = Zeroizing::new(vec![0; value.len()]);
        random::fill(&mut share)?;
        shares.push(share);
    }
    let mut digest = Zeroizing::new(vec![0; value.len()]);
    random::fill(&mut digest[DIGEST_BYTES..])?;
    let tag = tag(&digest[DIGEST_BYTES..], value);
    digest[..DIGEST_BYTES].copy_from_slice(&tag);

    let mut base: Vec<(u8, &[u8])> = (0u8..).zip(&shares).map(|(at, share)| (at, &share[..])).collect();
    base.push((DIGEST_POINT, &digest));
    base.push((VALUE_POINT, value));
    let rest: Vec<Value> = (threshold - 2..count).map(|at| interpolate(&base, at as u8)).collect();
    shares.extend(rest);
    Ok(shares)
}

/// Returns the value and the positions of shares that do not fit, or `None` if no choice of shares
/// fits the digest. The points must be distinct and the values equally long, and there must be at
/// least `threshold` shares.
pub(crate) fn combine(shares: &[(u8, &[u8])], threshold: usize) -> Option<(Value, Vec<usize>)> {
    // First all shares are tried together, then all but one, and so on.
    for left_out in 0..=shares.len() - threshold {
        let mut choice: Option<Vec<usize>> = Some((0..left_out).collect());
        while let Some(wrong) = choice {
            let kept = shares.iter().enumerate().filter(|(at, _)| !wrong.contains(at));
            let kept: Vec<(u8, &[u8])> = kept.map(|(_, share)| *share).collect();
            if let Some(value) = authentic(&kept, threshold) {
                return Some((value, wrong));
            }
            choice = next_combination(&wrong, shares.len());
        }
    }
    None
}

/// Returns the value if all shares agree and fit the digest.
fn authentic(shares: &[(u8, &[u8])], threshold: usize) -> Option<Value> {
    let (basis, extra) = shares.split_at(threshold);
    if !extra.iter().all(|&(at, share)| equal(&value_at(basis, at), share)) {
        return None;
    }
    let value = value_at(basis, VALUE_POINT);
    if threshold > 1 {
        let digest = value_at(basis, DIGEST_POINT);
        let (expected, random) = digest.split_at(DIGEST_BYTES);
        if !equal(&tag(random, &value), expected) {
            return None;
        }
    }
    Some(value)
}

fn value_at(basis: &[(u8, &[u8])], at: u8) -> Value {
    match basis {
        // With a threshold of 1, each share is the value.
        [(_, value)] => Zeroizing::new(value.to_vec()),
        _ => interpolate(basis, at),
    }
}

pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    a.ct_eq(b).into()
}

fn interpolate(shares: &[(u8, &[u8])], at: u8) -> Value {
    let points: Vec<u8> = shares.iter().map(|(point, _)| point ^ SHIFT).collect();
    let values: Vec<&[u8]> = shares.iter().map(|(_, value)| *value).collect();
    let mut out = Zeroizing::new(vec![0; values[0].len()]);
    let combiner = Combiner::at(&points, at ^ SHIFT).expect("distinct points that are not zero");
    combiner.combine(&values, &mut out).expect("values of equal length");
    out
}

fn tag(random: &[u8], value: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut hmac = Hmac::<Sha256>::new_from_slice(random).expect("HMAC takes keys of any length");
    hmac.update(value);
    let [a, b, c, d, ..] = <[u8; 32]>::from(hmac.finalize().into_bytes());
    [a, b, c, d]
}

//! SLIP-39's sharing of a value among up to 16 members, with a digest.
//!
//! Members have the points 0 to 15, the digest is at 254 and the value at 255. All points are
//! shifted by 0x80, because `sealane::shamir` accepts no share at zero. The results are the same,
//! because interpolation depends only on differences of points.

use hmac::digest::FixedOutput;
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

/// The reason why shares give no value.
pub(crate) enum Failure {
    /// No choice of shares fits the digest.
    Digest,
    /// There are two values. The positions are of one share of each.
    TwoValues([usize; 2]),
}

/// Returns the value and the positions of shares that do not fit. The points must be distinct and
/// the values equally long, and there must be at least `threshold` shares.
pub(crate) fn combine(shares: &[(u8, &[u8])], threshold: usize) -> Result<(Value, Vec<usize>), Failure> {
    if threshold == 1 {
        // Each share is the value, and there is no digest, so nothing shows which one is right.
        return match shares.iter().position(|(_, share)| !equal(share, shares[0].1)) {
            None => Ok((Zeroizing::new(shares[0].1.to_vec()), Vec::new())),
            Some(other) => Err(Failure::TwoValues([0, other])),
        };
    }
    let mut found: Option<(Value, Vec<usize>)> = None;
    let mut choice: Option<Vec<usize>> = Some((0..threshold).collect());
    while let Some(chosen) = choice {
        choice = next_combination(&chosen, shares.len());
        // Any choice of shares that fit gives the same value.
        if let Some((_, wrong)) = &found
            && !chosen.iter().any(|at| wrong.contains(at))
        {
            continue;
        }
        let basis: Vec<(u8, &[u8])> = chosen.iter().map(|&at| shares[at]).collect();
        let Some(value) = authentic(&basis) else { continue };
        match &found {
            None => {
                let is_wrong = |&at: &usize| !equal(&interpolate(&basis, shares[at].0), shares[at].1);
                let wrong: Vec<usize> = (0..shares.len()).filter(is_wrong).collect();
                found = Some((value, wrong));
            }
            Some((first, wrong)) if !equal(first, &value) => {
                let right = (0..shares.len()).find(|at| !wrong.contains(at)).unwrap_or_default();
                let other = chosen.iter().copied().find(|at| wrong.contains(at)).unwrap_or_default();
                return Err(Failure::TwoValues([right, other]));
            }
            Some(_) => {}
        }
    }
    found.ok_or(Failure::Digest)
}

/// Returns the value if the shares, as many as the threshold, fit the digest.
fn authentic(basis: &[(u8, &[u8])]) -> Option<Value> {
    let value = interpolate(basis, VALUE_POINT);
    let digest = interpolate(basis, DIGEST_POINT);
    let (expected, random) = digest.split_at(DIGEST_BYTES);
    equal(&tag(random, &value), expected).then_some(value)
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
    let mut tag = Zeroizing::new([0; 32]);
    hmac.finalize_into((&mut *tag).into());
    [tag[0], tag[1], tag[2], tag[3]]
}

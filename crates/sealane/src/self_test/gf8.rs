//! Arithmetic in GF(2^8): the known answers that a backend must give before it is used.

use sealane_simd::{Gf8Level, LevelList};

use super::absorb;
use crate::backend::{BackendOf, Family, Gf8Family};
use crate::gf8::{self, Field, MAX_TABLE_BYTES};
use crate::shamir::bytes::{Checker, Combiner, Refresher, Splitter, Verdict};

impl Family for Gf8Family {
    type Level = Gf8Level;
    const PRIMITIVES: &'static [&'static str] = &["shamir", "gf8"];

    fn gives_known_answers(level: Gf8Level, primitive: usize) -> bool {
        match primitive {
            // Portable code may have little memory, and has no kernels for longer secrets.
            0 if level.index() == 0 => {
                shamir_digest::<PORTABLE_SECRET_BYTES>(BackendOf::of(level)) == PORTABLE_SHAMIR_DIGEST
            }
            0 => shamir_digest::<SECRET_BYTES>(BackendOf::of(level)) == SHAMIR_DIGEST,
            _ => gf8_digest(BackendOf::of(level)) == GF8_DIGEST,
        }
    }

    caches!(Gf8Level);
}

/// Length of the secret in bytes: several blocks and part of one. With the thresholds below, it
/// uses both sizes of the buffer for coefficients.
const SECRET_BYTES: usize = 64 * 9 + 21;
/// Length in bytes of the secret for portable code: two blocks and part of one, for which the
/// smaller buffer has room.
const PORTABLE_SECRET_BYTES: usize = 64 * 2 + 21;
/// The thresholds 2 and 3, which have their own kernels, and others. The points take more than one
/// group of eight.
const THRESHOLDS: [usize; 4] = [1, 2, 3, 6];
const POINTS: [u8; 9] = [7, 1, 2, 4, 0x83, 0x1d, 0x80, 0xff, 0x84];
/// The point at which shares are combined.
const TARGET: u8 = 3;
/// The index of the share that is changed.
const WRONG: usize = 2;
const SEED: [u8; 32] = [0x5e; 32];

const SHAMIR_DIGEST: u64 = 14_246_243_332_024_258_073;
const PORTABLE_SHAMIR_DIGEST: u64 = 10_801_702_941_804_128_749;

/// Returns a digest of shares, of refreshed shares, of the combinations of one to all of them, and
/// of whether a wrong share was named.
// Not inlined: a microcontroller has no stack for the longer secret.
#[inline(never)]
fn shamir_digest<const BYTES: usize>(backend: BackendOf<Gf8Family>) -> u64 {
    let mut secret = [0; BYTES];
    for (i, byte) in secret.iter_mut().enumerate() {
        *byte = ((i * i) >> 3) as u8;
    }
    let mut digest = 0;
    for threshold in THRESHOLDS {
        let mut shares = [[0; BYTES]; POINTS.len()];
        let named = share_and_combine(backend, threshold, &secret, &mut shares, |out| digest = absorb(digest, out));
        digest = absorb(digest, &[u8::from(named == Ok(true))]);
    }
    digest
}

/// Splits, refreshes and combines a secret, and absorbs the results. Then changes a share, and
/// returns whether the wrong share was named.
fn share_and_combine<const BYTES: usize>(
    backend: BackendOf<Gf8Family>,
    threshold: usize,
    secret: &[u8; BYTES],
    shares: &mut [[u8; BYTES]; POINTS.len()],
    mut absorb: impl FnMut(&[u8]),
) -> Result<bool, crate::shamir::Error> {
    {
        let mut buffers = shares.each_mut().map(|share| &mut share[..]);
        Splitter::from_seed_with_backend(threshold, &POINTS, &SEED, backend)?.split(secret, &mut buffers)?;
        buffers.iter().for_each(|share| absorb(share));
        Refresher::from_seed_with_backend(threshold, &POINTS, &SEED, backend)?.refresh(&mut buffers)?;
        buffers.iter().for_each(|share| absorb(share));
    }
    for count in 1..=POINTS.len() {
        let mut out = [0; BYTES];
        let inputs = shares.each_ref().map(|share| &share[..]);
        Combiner::with_backend(&POINTS[..count], TARGET, backend)?.combine(&inputs[..count], &mut out)?;
        absorb(&out);
    }
    shares[WRONG][BYTES - 1] ^= 1;
    let mut checker = Checker::with_backend(threshold, &POINTS, backend)?;
    checker.check(&shares.each_ref().map(|share| &share[..]))?;
    Ok(matches!(checker.verdict(), Verdict::Wrong(points) if *points == [POINTS[WRONG]]))
}

/// Constants that have all bits among them. A slice has several vectors and part of one.
const CONSTANTS: [u8; 3] = [0x03, 0x5c, 0xa1];
const SLICE_BYTES: usize = 64 * 4 + 21;

const GF8_DIGEST: u64 = 1_958_414_158_874_946_989;

/// A matrix with several groups of rows.
const ROWS: usize = 7;
const COLUMNS: usize = 3;
const COEFFICIENTS: [u8; ROWS * COLUMNS] = {
    let mut coefficients = [0; ROWS * COLUMNS];
    let mut i = 0;
    while i < coefficients.len() {
        coefficients[i] = (i * 83 + 1) as u8;
        i += 1;
    }
    coefficients
};
/// For the widest backend: two vectors at once, one vector, and part of one.
const SHARD_BYTES: usize = 64 * 3 + 21;

/// Returns a digest of all bytes times each constant and of their sum, in both fields, and of the
/// products of a matrix and slices.
fn gf8_digest(backend: BackendOf<Gf8Family>) -> u64 {
    let mut source = [0; SLICE_BYTES];
    for (i, byte) in source.iter_mut().enumerate() {
        *byte = i as u8;
    }
    let (mut sum, mut digest) = ([0; SLICE_BYTES], 0);
    for field in [Field::Aes, Field::ReedSolomon] {
        for constant in CONSTANTS {
            let mut product = source;
            backend.multiply_slice_in(field, constant, &mut product);
            backend.multiply_add_slice_in(field, constant, &product, &mut sum);
            digest = absorb(absorb(digest, &product), &sum);
        }
    }
    let mut memory = [0; ROWS * COLUMNS * MAX_TABLE_BYTES];
    let memory = &mut memory[..ROWS * COLUMNS * gf8::table_bytes(backend.level())];
    gf8::set_up(backend.level(), Field::ReedSolomon, COLUMNS, &COEFFICIENTS, memory);
    let matrix = gf8::Maps { rows: ROWS, columns: COLUMNS, memory };
    let sources = [&source[..SHARD_BYTES], &source[1..][..SHARD_BYTES], &source[2..][..SHARD_BYTES]];
    let mut shards = [[0; SHARD_BYTES]; ROWS];
    for accumulate in [false, true] {
        let mut destinations = shards.each_mut().map(|shard| &mut shard[..]);
        let sources = if accumulate { [sources[1], sources[2], sources[0]] } else { sources };
        gf8::product(backend.level(), &matrix, &sources, &mut destinations, accumulate);
        digest = absorb(digest, shards.as_flattened());
    }
    digest
}

#[cfg(feature = "checks")]
pub(super) fn check_every_level() {
    for level in Gf8Level::available() {
        assert_eq!(shamir_digest::<SECRET_BYTES>(BackendOf::of(level)), SHAMIR_DIGEST, "{level:?}");
        let portable = shamir_digest::<PORTABLE_SECRET_BYTES>(BackendOf::of(level));
        assert_eq!(portable, PORTABLE_SHAMIR_DIGEST, "{level:?}");
        assert_eq!(gf8_digest(BackendOf::of(level)), GF8_DIGEST, "{level:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answer_of_products_is_that_of_the_reference() {
        use sealane_spec::erasure::{multiply, multiply_shards};
        let source: [u8; SLICE_BYTES] = core::array::from_fn(|i| i as u8);
        let (mut sum, mut digest) = ([0; SLICE_BYTES], 0);
        for polynomial in [0x11b, 0x11d] {
            for constant in CONSTANTS {
                let product = source.map(|byte| multiply(polynomial, constant, byte));
                sum.iter_mut().zip(product).for_each(|(sum, byte)| *sum ^= multiply(polynomial, constant, byte));
                digest = absorb(absorb(digest, &product), &sum);
            }
        }
        let matrix: [_; ROWS] = core::array::from_fn(|row| COEFFICIENTS[row * COLUMNS..][..COLUMNS].to_vec());
        let product = |starts: [usize; COLUMNS]| {
            let sources = starts.map(|start| source[start..][..SHARD_BYTES].to_vec());
            multiply_shards(0x11d, &matrix, &sources).concat()
        };
        let (first, second) = (product([0, 1, 2]), product([1, 2, 0]));
        digest = absorb(digest, &first);
        let both: std::vec::Vec<u8> = first.iter().zip(&second).map(|(a, b)| a ^ b).collect();
        digest = absorb(digest, &both);
        assert_eq!(digest, GF8_DIGEST);
    }

    #[test]
    fn the_known_answers_of_shares_are_those_of_the_reference() {
        use sealane_spec::shamir_bytes::{interpolate, split};
        let digest = |secret_bytes: usize| {
            let secret: std::vec::Vec<u8> = (0..secret_bytes).map(|i| ((i * i) >> 3) as u8).collect();
            let zeros = &[0; SECRET_BYTES][..secret_bytes];
            let mut digest = 0;
            for threshold in THRESHOLDS {
                let mut shares = split(threshold, &POINTS, &SEED, 0, &secret);
                digest = shares.iter().fold(digest, |digest, share| absorb(digest, share));
                let zeros = split(threshold, &POINTS, &SEED, 1, zeros);
                for (share, zero) in shares.iter_mut().zip(&zeros) {
                    share.iter_mut().zip(zero).for_each(|(a, b)| *a ^= b);
                }
                digest = shares.iter().fold(digest, |digest, share| absorb(digest, share));
                for count in 1..=POINTS.len() {
                    let mut inputs = [&[][..]; POINTS.len()];
                    inputs.iter_mut().zip(&shares).for_each(|(input, share)| *input = share);
                    digest = absorb(digest, &interpolate(&POINTS[..count], &inputs[..count], TARGET));
                }
                digest = absorb(digest, &[1]);
            }
            digest
        };
        assert_eq!(digest(SECRET_BYTES), SHAMIR_DIGEST);
        assert_eq!(digest(PORTABLE_SECRET_BYTES), PORTABLE_SHAMIR_DIGEST);
    }
}

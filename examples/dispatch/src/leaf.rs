//! The operations with a choice in each inner operation: what a library does that is put together from functions which each ask for
//! themselves. Between them, values are in memory or in integers.

use operations::{Combine, Hash, Packet, Product, Split, Stream, THRESHOLD};
use sealane::gf2n::{Degree, Gf128};
use sealane::internals;
use sealane::internals::leaf::{self, LeafLane};
use sealane_simd::{AesBlocks, AesToken, Block, ClmulLanes, Scalar, dispatch, dispatch_aes};

use crate::choices::{aes_level, vector_level};

/// A product of 64 bits is the inner operation.
pub(crate) fn multiply(product: &mut Product) {
    let limb = |limb: u64| LeafLane::load_low(Scalar::new(), |_| limb);
    limb(product.a).mul_low(limb(product.b)).store(0, &mut product.product);
}

/// Two rounds of AES on both blocks.
#[inline(always)]
fn two_rounds<T: AesToken>(token: T, keys: &[Block; 4], state: &mut [[u8; 16]; 2]) {
    if const { <T::Narrower as AesToken>::Blocks::BLOCKS < T::Blocks::BLOCKS } {
        return two_rounds(token.narrower(), keys, state);
    }
    let load = |n: usize| {
        T::Blocks::load(
            token,
            #[inline(always)]
            |_| &state[n],
        )
    };
    let mut vectors = [[load(0), load(1)]];
    let (keys, _) = keys.as_chunks();
    T::Blocks::two_rounds(&mut vectors, &keys[0], &keys[1]);
    for (vector, block) in vectors[0].into_iter().zip(state) {
        vector.store(
            #[inline(always)]
            |lane, bytes| {
                if lane == 0 {
                    *block = bytes;
                }
            },
        );
    }
}

/// Haraka v2, section 2.1.
pub(crate) fn haraka(hash: &mut Hash) {
    let mut state = [[0; 16]; 2];
    state.copy_from_slice(hash.input.as_chunks().0);
    for keys in leaf::haraka256_constants().as_chunks().0 {
        dispatch_aes!(aes_level(), token => two_rounds(token, keys, &mut state));
        // MIX.
        let columns = state;
        let column = |block: usize, column: usize| &columns[block].as_chunks::<4>().0[column];
        for (i, mixed) in state.as_flattened_mut().as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *mixed = *column(i % 2, i / 2);
        }
    }
    for ((output, input), mixed) in hash.output.iter_mut().zip(&hash.input).zip(state.as_flattened()) {
        *output = input ^ mixed;
    }
}

/// Each of the 20 rounds.
pub(crate) fn block(stream: &mut Stream) {
    let mut initial = stream.state;
    initial[12] = stream.counter;
    let mut rows = leaf::Rows::default();
    rows.as_flattened_mut().copy_from_slice(&initial);
    for _ in 0..10 {
        dispatch!(vector_level(), token => leaf::chacha_round::<_, false>(token, &mut rows));
        dispatch!(vector_level(), token => leaf::chacha_round::<_, true>(token, &mut rows));
    }
    let words = rows.as_flattened().iter().zip(&initial);
    for (bytes, (word, initial)) in stream.data.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *bytes = (u32::from_le_bytes(*bytes) ^ word.wrapping_add(*initial)).to_le_bytes();
    }
}

/// The one-time key, the encryption and the tag (RFC 8439, section 2.8).
pub(crate) fn seal(packet: &mut Packet) {
    let Packet { state, aad, message, tag } = packet;
    let mut key = [0; 64];
    dispatch!(vector_level(), token => internals::chacha20(token, state, 0, &mut key));
    dispatch!(vector_level(), token => internals::chacha20(token, state, 1, message));
    let mut authenticated = [0; 16 + 64 + 16];
    authenticated[..aad.len()].copy_from_slice(aad);
    authenticated[16..80].copy_from_slice(message);
    authenticated[80..88].copy_from_slice(&(aad.len() as u64).to_le_bytes());
    authenticated[88..].copy_from_slice(&(message.len() as u64).to_le_bytes());
    let key = key.first_chunk().expect("half of block 0");
    *tag = dispatch!(vector_level(), token => internals::poly1305(token, key, &authenticated));
}

/// Of which each product of 64 bits is an inner operation.
fn product(a: &Gf128, b: &Gf128) -> Gf128 {
    internals::gf2n_multiply::<Degree<128>, LeafLane>(Scalar::new(), a, b)
}

/// Horner's rule at each point.
pub(crate) fn split<const N: usize>(split: &mut Split<N>) {
    for (polynomial, shares) in split.polynomials.iter().zip(&mut split.shares) {
        for (share, point) in shares.iter_mut().zip(&split.points) {
            *share = polynomial.iter().rev().fold(Gf128::ZERO, |value, next| product(&value, point) + *next);
        }
    }
}

/// Lagrange interpolation at 0, with one inversion for the three weights.
pub(crate) fn combine<const N: usize>(combine: &mut Combine<N>) {
    let x = &combine.points;
    let all = product(&product(&x[0], &x[1]), &x[2]);
    let mut divisors = *x;
    for (i, divisor) in divisors.iter_mut().enumerate() {
        for (j, other) in x.iter().enumerate() {
            if i != j {
                *divisor = product(divisor, &(x[i] + *other));
            }
        }
    }
    let [a, b, c] = divisors;
    let ab = product(&a, &b);
    let inverse = internals::gf2n_invert::<Degree<128>, LeafLane>(Scalar::new(), &product(&ab, &c));
    let rest = product(&inverse, &c);
    let inverses: [Gf128; THRESHOLD] = [product(&rest, &b), product(&rest, &a), product(&inverse, &ab)];
    let weights = inverses.each_ref().map(|inverse| product(inverse, &all));
    for (shares, secret) in combine.shares.iter().zip(&mut combine.secret) {
        *secret = weights.iter().zip(shares).fold(Gf128::ZERO, |sum, (a, b)| sum + product(a, b));
    }
}

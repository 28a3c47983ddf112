//! The operations, for whoever has a token. They are inlined into the function that enters it.

use sealane::gf2n::Gf128;
use sealane::internals;
use sealane_simd::{AesToken, Clmul, ClmulLanes, Simd};

use crate::{Combine, Hash, Packet, Product, Split, Stream, THRESHOLD};

/// A 64-bit carry-less multiply.
#[inline(always)]
pub fn multiply_on<T: Clmul>(token: T, product: &mut Product) {
    let limb = |limb: u64| {
        T::One::load_low(
            token,
            #[inline(always)]
            |_| limb,
        )
    };
    limb(product.a).mul_low(limb(product.b)).store(0, &mut product.product);
}

/// Haraka-256 with 5 rounds.
#[inline(always)]
pub fn haraka_on<T: AesToken>(token: T, hash: &mut Hash) {
    hash.output = internals::haraka256(token, &hash.input);
}

/// One block of ChaCha20.
#[inline(always)]
pub fn block_on<S: Simd>(token: S, stream: &mut Stream) {
    internals::chacha20(token, &stream.state, stream.counter, &mut stream.data);
}

/// ChaCha20-Poly1305 of a message of 64 bytes.
#[inline(always)]
pub fn seal_on<S: Simd>(token: S, packet: &mut Packet) {
    packet.tag = internals::seal(token, &packet.state, &packet.aad, &mut packet.message);
}

/// Shamir's secret sharing, 3 of 5: the polynomials' values at all points.
#[inline(always)]
pub fn split_on<T: Clmul, const N: usize>(token: T, split: &mut Split<N>) {
    for (polynomial, shares) in split.polynomials.iter().zip(&mut split.shares) {
        internals::gf2n_evaluate(token, polynomial, &split.points, shares);
    }
}

/// The secret, from three shares.
#[inline(always)]
pub fn combine_on<T: Clmul, const N: usize>(token: T, combine: &mut Combine<N>) {
    let (mut weights, mut scratch) = ([Gf128::ZERO; THRESHOLD], [Gf128::ZERO; THRESHOLD]);
    internals::gf2n_lagrange_weights(token, &combine.points, &Gf128::ZERO, &mut weights, &mut scratch);
    for (shares, secret) in combine.shares.iter().zip(&mut combine.secret) {
        *secret = internals::gf2n_dot_product(token, &weights, shares);
    }
}

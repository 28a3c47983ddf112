//! Kernels on a token that the caller holds, for the benchmarks of dispatch (`sealane bench`,
//! `bench/`, `examples/dispatch`).
//!
//! No promise of stability: this is not part of the interface. `state` is the input of ChaCha20's
//! block function (RFC 8439, section 2.3), whose counter word is ignored.

pub mod leaf;

use sealane_simd::{AesToken, Clmul, ClmulLanes, Simd};

use crate::Tag;
use crate::aead::one_shot;
use crate::aead::payload::InPlace;
use crate::chacha20::kernel;
use crate::gf2n::{Element, Field, slices};
use crate::haraka;
use crate::poly1305::{Accumulator, padded};

/// Exclusive or of `data` with the ChaCha20 key stream from block `counter` on.
#[inline(always)]
pub fn chacha20<S: Simd>(token: S, state: &[u32; 16], counter: u32, data: &mut [u8]) {
    kernel::apply::<S, 20, false>(token, state, counter.into(), data);
}

/// The tag of `message`, filled with zeros to whole blocks.
#[inline(always)]
pub fn poly1305<S: Simd>(token: S, key: &[u8; 32], message: &[u8]) -> Tag {
    let mut mac = Accumulator::new(key);
    padded(token, &mut mac, message);
    mac.tag()
}

/// ChaCha20-Poly1305 (RFC 8439, section 2.8), in place.
#[inline(always)]
pub fn seal<S: Simd>(token: S, state: &[u32; 16], aad: &[u8], message: &mut [u8]) -> Tag {
    one_shot::seal(token, state, aad, InPlace(message))
}

/// a·b in a field GF(2^n), on one lane.
#[inline(always)]
pub fn gf2n_multiply<F: Field, V: ClmulLanes>(token: V::Token, a: &Element<F>, b: &Element<F>) -> Element<F> {
    Element(crate::gf2n::kernel::multiply_in_lane::<F, V>(token, &a.0, &b.0))
}

/// 1/a, and 0 for 0, on one lane.
#[inline(always)]
pub fn gf2n_invert<F: Field, V: ClmulLanes>(token: V::Token, a: &Element<F>) -> Element<F> {
    Element(crate::gf2n::kernel::invert_in_lane::<F, V>(token, &a.0))
}

/// See [`crate::gf2n::Backend::evaluate`].
#[inline(always)]
pub fn gf2n_evaluate<F: Field, T: Clmul>(
    token: T,
    coefficients: &[Element<F>],
    points: &[Element<F>],
    values: &mut [Element<F>],
) {
    slices::evaluate::<F, T>(token, coefficients, points, values);
}

/// See [`crate::gf2n::Backend::lagrange_weights`].
#[inline(always)]
pub fn gf2n_lagrange_weights<F: Field, T: Clmul>(
    token: T,
    points: &[Element<F>],
    at: &Element<F>,
    weights: &mut [Element<F>],
    scratch: &mut [Element<F>],
) {
    slices::products_of_differences::<F, T>(token, points, Some(at), weights);
    let all = slices::product_of_differences::<F, T>(token, points, at);
    slices::invert::<F, T>(token, weights, scratch);
    slices::scale::<F, T>(token, weights, &all);
}

/// See [`crate::gf2n::Backend::dot_product`].
#[inline(always)]
pub fn gf2n_dot_product<F: Field, T: Clmul>(token: T, a: &[Element<F>], b: &[Element<F>]) -> Element<F> {
    slices::dot_product::<F, T>(token, a, b)
}

/// Haraka-256 v2 with 5 rounds.
#[inline(always)]
pub fn haraka256<T: AesToken>(token: T, input: &[u8; 32]) -> [u8; 32] {
    haraka::kernel::one::<T, 32, 2, 5>(token, haraka::constants_of_5_rounds(), input)
}

/// Haraka-512 v2 with 5 rounds.
#[inline(always)]
pub fn haraka512<T: AesToken>(token: T, input: &[u8; 64]) -> [u8; 32] {
    haraka::kernel::one::<T, 64, 4, 5>(token, haraka::constants_of_5_rounds(), input)
}

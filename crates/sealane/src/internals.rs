//! Kernels on a token that the caller holds, for the benchmarks of dispatch (`sealane bench`, and `bench/`).
//!
//! No promise of stability: this is not part of the interface. `state` is the input of ChaCha20's block function
//! (RFC 8439, section 2.3), whose counter word is ignored.

use sealane_simd::{AesToken, ClmulLanes, Simd};

use crate::Tag;
use crate::aead::one_shot::{self, InPlace};
use crate::chacha20::kernel;
use crate::gf2n::{Element, Field};
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

//! Poly1305 in rows, with powers of r in vectors: for messages of up to a few kilobytes, or of any
//! length if the CPU multiplies numbers of 52 bits (AVX-512 IFMA).
//!
//! A row is one block for each of the N lanes. With R = r^N, K rows M(0) … M(K-1) turn the sum S
//! into S R^K + M(0) R^(K-1) + … + M(K-1), with one carry. The products of the rows come first and
//! the product of the sum last, so that the former do not wait for the previous carry. At the end,
//! the lanes are multiplied by r^N … r^1. One row may be incomplete: in limbs of 44 bits the last
//! one ([`powers`]), in limbs of 26 bits the first one ([`front_padded`]).

mod front_padded;
#[cfg(feature = "alloc")]
mod lane_sum;
mod lanes;
mod limbs;
mod limbs26;
mod limbs52;
mod mac;
mod powers;

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::BLOCK_BYTES;
use super::Tag;
use super::accumulator::Accumulator;
use super::field::Element;
use super::short::{Short, ended};
use front_padded::{LastRow, Powers};
pub(super) use front_padded::{PowersOfR, first_row, split_head};
#[cfg(feature = "alloc")]
pub(super) use lane_sum::LaneSum52;
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
pub(super) use lanes::splat;
pub(super) use limbs::Limbs;
pub(super) use limbs26::Limbs26;
pub(super) use limbs52::Limbs52;
pub(crate) use mac::{INTEGER_BYTES, OnIntegers, ROW_BYTES, RowsMac, RowsPowers};

/// Adds more than a row of blocks to `accumulator`. A short last block is the end of the message,
/// and gets a 1 bit after its last byte.
#[inline(always)]
pub(super) fn blocks<S: Simd>(token: S, accumulator: &mut Accumulator, data: &[u8]) {
    let mac = Short { h: accumulator.h.loaded(), r: accumulator.r.loaded(), s: 0 };
    accumulator.h = if S::MUL_ADD_52 { in_limbs_52(token, mac, data) } else { in_limbs_26(token, mac, data) };
}

/// Adds at least a row of data, filled with zeros to a whole block, and the lengths (RFC 8439,
/// section 2.8). Returns the tag. It works in limbs of 44 bits. All callers share one copy of this
/// function.
pub(crate) fn padded_and_lengths<S: Simd>(token: S, mac: Short, data: &[u8], lengths: &[u8; BLOCK_BYTES]) -> Tag {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let (rows, tail) = data.split_at(data.len() - data.len() % (S::U64Lanes::LANES * BLOCK_BYTES));
            Short { h: powers::add::<S::U64Lanes>(token, mac, rows, tail, Some(lengths)), ..mac }.tag()
        },
    )
}

/// Does the same as [`blocks`], in limbs of 44 bits. Returns the new accumulator.
#[inline(always)]
fn in_limbs_52<S: Simd>(token: S, mac: Short, data: &[u8]) -> Element {
    let row_bytes = S::U64Lanes::LANES * BLOCK_BYTES;
    let (rows, tail) = data.split_at((data.len() - 1) / row_bytes * row_bytes);
    powers::add::<S::U64Lanes>(token, mac, rows, tail, None)
}

/// Does the same as [`blocks`], in limbs of 26 bits. Returns the new accumulator.
#[inline(always)]
fn in_limbs_26<S: Simd>(token: S, Short { h, r, .. }: Short, data: &[u8]) -> Element {
    let powers = Powers::<Limbs26<S::U64Lanes>>::new(token, r);
    Limbs26::sum_of_lanes(with_powers(token, h, powers, data))
}

/// Returns the sums of all lanes, limb by limb, if all powers of r equal `power`.
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
pub(super) fn sums_in_limbs_26<S: Simd>(token: S, h: Element, power: Element, data: &[u8]) -> [u64; 5] {
    let powers = Powers::<Limbs26<S::U64Lanes>>::all(token, power);
    with_powers(token, h, powers, data).map(U64Lanes::sum_lanes)
}

/// Does the same as [`blocks`], with powers of r in limbs of 26 bits. Returns the accumulator, not
/// summed up.
#[inline(always)]
fn with_powers<S: Simd>(token: S, h: Element, powers: Powers<Limbs26<S::U64Lanes>>, data: &[u8]) -> [S::U64Lanes; 5] {
    let (whole, rest) = data.as_chunks::<BLOCK_BYTES>();
    let (blocks, last) = whole.split_at(whole.len() - S::U64Lanes::LANES + usize::from(!rest.is_empty()));
    let mut copy = [[0; BLOCK_BYTES]; MAX_U64_LANES];
    let last = if rest.is_empty() {
        LastRow { row: last.as_flattened(), ends_with_2_128: true }
    } else {
        copy[..last.len()].copy_from_slice(last);
        copy[last.len()] = ended(rest);
        LastRow { row: copy.as_flattened(), ends_with_2_128: false }
    };
    front_padded::add(token, h, powers, blocks.as_flattened(), &last)
}

// Factors in the tables of Arm have 32 bits.
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
mod tests;

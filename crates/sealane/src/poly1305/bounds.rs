//! Tests of the worst case for the limbs of every kernel. Each kernel's own code runs on upper
//! bounds, and panics if a limb could overflow for any message under any key.
//!
//! Kernels on vectors run on [`Bounds`], scalar code on [`Bound`]. The inputs are the largest
//! results of the steps before, and each test ends with the proof that its kernel's results are no
//! larger. The bounds therefore hold for messages of any length. ChaCha kernels in assembly do
//! scalar work between their rounds: the same sequence of operations as [`Element::multiply`],
//! written by hand.
//!
//! These tests are not compiled for Arm, where the factors in tables have 32 bits. The limit of 32
//! bits is checked on the other architectures.

use core::ops::{Add, BitAnd, Mul, Shl, Shr};
use std::vec;

use sealane_simd::{Bounds, MAX_U64_LANES, Simd, U64Lanes};

use super::accumulator::Accumulator;
use super::field::{Element, LIMB_44, Limb, Multiplier, arithmetic};
use super::short::Short;
use super::{many, rows, table};

/// The largest value of a limb of 64 bits.
#[derive(Clone, Copy, Debug)]
struct Bound(u64);

/// The largest value of 128 bits.
#[derive(Clone, Copy, Debug)]
struct DoubleBound(u128);

macro_rules! checked {
    ($($type:ident: $trait:ident $method:ident $checked:ident;)*) => {$(
        impl $trait for $type {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self(self.0.$checked(other.0).expect("a limb may overflow"))
            }
        }
    )*};
}

checked! {
    Bound: Add add checked_add;
    Bound: Mul mul checked_mul;
    DoubleBound: Add add checked_add;
}

macro_rules! bits {
    ($($type:ident)*) => {$(
        impl Shr<u32> for $type {
            type Output = Self;
            fn shr(self, bits: u32) -> Self {
                Self(self.0 >> bits)
            }
        }

        impl BitAnd for $type {
            type Output = Self;
            fn bitand(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }
        }
    )*};
}

bits!(Bound DoubleBound);

impl Shl<u32> for DoubleBound {
    type Output = Self;
    fn shl(self, bits: u32) -> Self {
        assert!(bits <= self.0.leading_zeros(), "a limb may overflow");
        Self(self.0 << bits)
    }
}

impl From<u64> for Bound {
    fn from(value: u64) -> Self {
        Self(value)
    }
}

impl From<Bound> for DoubleBound {
    fn from(bound: Bound) -> Self {
        Self(bound.0.into())
    }
}

impl Limb for Bound {
    type Double = DoubleBound;

    fn product(self, other: Self) -> DoubleBound {
        DoubleBound(u128::from(self.0) * u128::from(other.0))
    }
    fn low(double: DoubleBound) -> Self {
        Self(double.0.try_into().unwrap_or(u64::MAX))
    }
    fn narrow(double: DoubleBound) -> Self {
        Self(double.0.try_into().expect("a limb may overflow"))
    }
    fn add_with_carry(low: Self, high: Self, addend: Self) -> (Self, Self, Self) {
        let most = u128::from(low.0) + (u128::from(high.0) << 64);
        let carry = most.checked_add(addend.0.into()).is_none();
        (Self(u64::MAX), Self(u64::MAX), Self(carry.into()))
    }
}

/// [`Element`] of bounds.
#[derive(Clone, Copy, Debug)]
struct ElementBound([Bound; 3]);

/// [`Multiplier`] of bounds.
#[derive(Clone, Copy)]
struct MultiplierBound {
    r0: Bound,
    r1: Bound,
    s1: Bound,
}

arithmetic!(ElementBound, MultiplierBound, Bound);

/// The largest result of operations that end with a fold: the last limb is at most 4.
const FOLDED: [u64; 3] = [u64::MAX, u64::MAX, 4];
/// The largest input of [`Element::multiply_full`].
const FULL: [u64; 3] = [u64::MAX, u64::MAX, 7];
const BLOCK: [u64; 3] = [u64::MAX, u64::MAX, 1];

fn element(limbs: [u64; 3]) -> ElementBound {
    ElementBound(limbs.map(Bound))
}

fn assert_folded(element: ElementBound) {
    for (limb, most) in element.0.iter().zip(FOLDED) {
        assert!(limb.0 <= most, "{element:?}");
    }
}

/// Returns the largest r.
fn multiplier() -> MultiplierBound {
    let [r0, r1, s1] = Multiplier::clamp([u64::MAX; 2]).words().map(Bound);
    MultiplierBound { r0, r1, s1 }
}

#[test]
fn scalar_blocks() {
    // A block is added to the result for the block before it. Only the last block may have no
    // 2^128.
    assert_folded(element(FOLDED).add(element(BLOCK)).multiply(multiplier()));
    // The largest value that the documentation allows.
    assert_folded(element([u64::MAX, u64::MAX, 10]).multiply(multiplier()));
}

#[test]
fn scalar_powers_and_two_chains() {
    let limbs = Element(FULL).limbs_44();
    assert_eq!(limbs, [(1 << 44) - 1, (1 << 44) - 1, (1 << 43) - 1]);
    let limbs = limbs.map(Bound);
    assert_folded(ElementBound::multiply_limbs_44(limbs, limbs));
    // For rows in limbs of 44 bits. Neither carries nor sums of lanes give larger limbs.
    assert_folded(ElementBound::from_limbs_44([Bound(1 << 60); 3]));
    assert_folded(element(FOLDED).multiply(multiplier()));
    assert_folded(element(FOLDED).add_folded(element(FOLDED)));
}

#[test]
#[should_panic(expected = "a limb may overflow")]
fn a_scalar_limb_that_is_too_large_is_noticed() {
    let _ = element([u64::MAX, u64::MAX, 14]).multiply(multiplier());
}

/// Numbers of rows: every number that can be a separate group, and some larger ones, for tables of
/// every size.
fn counts() -> impl Iterator<Item = usize> {
    (2..=36).chain([64, 127, 128, 129, 143, 144, 145, 300])
}

/// Messages of many rows, on tables of every size, whole and in pieces.
#[test]
fn vectors_of_26_bit_limbs() {
    rows::<2>(Element(FOLDED));
    rows::<4>(Element(FOLDED));
    rows::<8>(Element(FOLDED));
}

#[test]
#[should_panic(expected = "32 bits")]
fn a_power_that_is_not_folded_is_noticed() {
    rows::<4>(Element([u64::MAX, u64::MAX, 1 << 8]));
}

fn rows<const LANES: usize>(power: Element) {
    let token = Bounds::<LANES, false>::new();
    let lanes = rows::splat(token, power);
    let data = vec![0; 16 * LANES * 300];
    let sums = |count: usize, table: &mut _| {
        let (head, rest) = rows::split_head::<<Bounds<LANES, false> as Simd>::U64Lanes>(&data[..16 * LANES * count]);
        let first = rows::first_row(token, Element(FOLDED), head);
        let sums = table::sums_of_rows(token, first, &lanes, &power, table, rest);
        assert_folded(ElementBound::from_limbs(sums.map(Bound)));
        sums
    };
    for count in counts() {
        let mut table = None;
        let whole = sums(count, &mut table);
        assert!(whole.iter().all(|sum| *sum > 1 << 53), "these are no bounds: {whole:?}");
        for next in [2, 13, 128] {
            sums(next, &mut table);
        }
    }
}

/// Limbs of 44 bits with products of 52 bits. The powers come from one key, and stand for the
/// powers of all keys: see [`Bounds`].
#[test]
fn vectors_of_44_bit_limbs() {
    on_rows::<2>();
    on_rows::<4>();
    on_rows::<8>();
}

/// Limbs of 26 bits without a table.
#[test]
fn vectors_of_26_bit_limbs_without_a_table() {
    without_a_table::<2>(Element(FOLDED));
    without_a_table::<4>(Element(FOLDED));
    without_a_table::<8>(Element(FOLDED));
}

#[test]
#[should_panic(expected = "32 bits")]
fn a_power_that_is_not_folded_is_noticed_without_a_table() {
    without_a_table::<4>(Element([u64::MAX, u64::MAX, 1 << 8]));
}

fn without_a_table<const LANES: usize>(power: Element) {
    let token = Bounds::<LANES, false>::new();
    let data = vec![0; 16 * LANES * 300];
    for bytes in lengths_in_rows::<LANES>() {
        let sums = rows::sums_in_limbs_26(token, Element(FOLDED), power, &data[..bytes]);
        assert!(sums.iter().all(|sum| *sum > 1 << 53), "these are no bounds: {sums:?}");
        assert_folded(ElementBound::from_limbs(sums.map(Bound)));
    }
}

/// Returns lengths in bytes with every number of blocks in the incomplete row, and with one, two
/// and four rows between two carries.
fn lengths_in_rows<const LANES: usize>() -> impl Iterator<Item = usize> {
    let blocks = (LANES + 1..=36 * LANES).chain([300 * LANES]);
    blocks.flat_map(|blocks| [16 * blocks, 16 * blocks - 1])
}

fn on_rows<const LANES: usize>() {
    let token = Bounds::<LANES, true>::new();
    let data = vec![0; 16 * LANES * 300];
    for bytes in lengths_in_rows::<LANES>() {
        let mut accumulator = Accumulator::new(&[0xff; 32]);
        accumulator.h = Element(FOLDED);
        rows::blocks(token, &mut accumulator, &data[..bytes]);
        let mut short = Short::new(&[0xff; 32]);
        short.h = Element(FOLDED);
        let _ = rows::padded_and_lengths(token, short, &data[..bytes], &[0xff; 16]);
    }
}

/// A message in pieces whose sum stays in lanes, with every number of rows at its end.
#[cfg(feature = "alloc")]
#[test]
fn vectors_between_pieces() {
    use super::lane_sum::LaneSum as _;

    fn pieces<const LANES: usize>() {
        let token = Bounds::<LANES, false>::new();
        let lanes = rows::splat(token, Element(FOLDED));
        let data = vec![0; 4096];
        let mut sum = table::LaneSum26::new();
        sum.begin(token, &lanes, rows::first_row(token, Element(FOLDED), &data[..16 * LANES]));
        sum.add_rows(token, &data[..16 * LANES]);
        for _ in 0..3 {
            sum.add_rows(token, &data);
            for end in (0..1024).step_by(16 * LANES) {
                let sums = sum.sum_with(token, &lanes, &data[..end]);
                assert!(sums.iter().all(|sum| *sum > 1 << 53), "these are no bounds: {sums:?}");
                assert_folded(ElementBound::from_limbs(sums.map(Bound)));
            }
        }
    }
    pieces::<2>();
    pieces::<4>();
    pieces::<8>();
}

/// One message in each lane, after scalar code has processed the first blocks of the longer
/// messages.
#[test]
fn vectors_of_many_messages() {
    fn messages<const LANES: usize>() {
        let (token, token_52) = (Bounds::<LANES, false>::new(), Bounds::<LANES, true>::new());
        let keys = [&[0xff; 64]; LANES];
        let ciphertext = vec![0; 16 * 100];
        for rows in 0..=100 {
            let start =
                Element(FOLDED).limbs().map(|limb| <Bounds<LANES, false> as Simd>::U64Lanes::splat(token, limb));
            let start_52 = rows::splat(token_52, Element(FOLDED));
            let lengths = [[0; 16]; MAX_U64_LANES];
            let (mut tile, mut tags) = (many::rows::Tile::new(), [[0; 16]; LANES]);
            // Ciphertext that is loaded directly from the messages, associated data that is copied
            // to a tile, and ciphertext with a short last block.
            let data = &ciphertext[..16 * rows];
            for (aad, ciphertext) in [(&[][..], data), (data, &[]), (&[], &data[..data.len().saturating_sub(1)])] {
                let inputs = [many::Input { aad, ciphertext }; LANES];
                many::tags_after(token, start, &keys, &mut inputs.clone(), (rows, &lengths), &mut tile, &mut tags);
                let mut groups = [many::limbs52::Group::empty(token_52)];
                groups[0].begin(token_52, &keys, start_52, rows, &lengths);
                let inputs = &mut inputs.clone();
                many::limbs52::tags_after(token_52, &mut groups, &keys, inputs, &mut tile, &mut tags);
            }
        }
    }
    messages::<2>();
    messages::<4>();
    messages::<8>();
}

//! 128-bit vectors of WebAssembly.

use core::arch::wasm32::*;

use crate::kernels::ChaCha20Rounds;
use crate::pair::Pair;
use crate::sealed::{Assume, Sealed};
use crate::simd::{MAX_U64_LANES, Simd, U64Lanes, serves_itself};
use crate::token::Token;
use crate::tuning::{self, Tuning};
use crate::words::{MAX_WORDS_LANES, Words};

/// Proof of the fixed-width vectors of WebAssembly.
#[derive(Clone, Copy, Debug)]
pub struct Simd128(());

impl Simd128 {
    /// Returns the token. The target has the feature, or this module would not be compiled: there
    /// is nothing to detect.
    #[must_use]
    pub fn detect() -> Option<Self> {
        Some(Self(()))
    }
}

impl Sealed for Simd128 {}

impl Assume for Simd128 {
    unsafe fn assume() -> Self {
        Self(())
    }
}

impl Token for Simd128 {
    #[inline(always)]
    fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        // A separate function, as on the other levels.
        #[inline(never)]
        fn entry<R>(token: Simd128, kernel: impl FnOnce(Simd128) -> R) -> R {
            kernel(token)
        }
        entry(self, kernel)
    }
}

impl Simd for Simd128 {
    type Words = Simd128Words;
    type U64Lanes = Simd128U64Lanes;
    const TUNING: Tuning = tuning::OTHER_VECTORS_OF_128_BITS;

    serves_itself!();
}

/// Writes the methods of a vector type that differ in nothing but the instruction.
macro_rules! operations {
    ($($method:ident = |$a:ident $(, $b:ident)?| $body:expr;)*) => {$(
        #[inline(always)]
        fn $method(self $(, $b: Self)?) -> Self {
            let $a = self.0;
            $(let $b = $b.0;)?
            Self($body)
        }
    )*};
}
pub(super) use operations;

/// Loads the bytes as a vector.
#[inline(always)]
pub(super) fn load(bytes: &[u8; 16]) -> v128 {
    // SAFETY: the reference is valid for reading 16 bytes, and the load needs no alignment.
    unsafe { v128_load(bytes.as_ptr().cast()) }
}

/// Writes the vector to `bytes`.
#[inline(always)]
pub(super) fn store(vector: v128, bytes: &mut [u8; 16]) {
    // SAFETY: the exclusive reference is valid for writing 16 bytes, and the store needs no
    // alignment.
    unsafe { v128_store(bytes.as_mut_ptr().cast(), vector) }
}

#[inline(always)]
fn rotate_left<const BITS: u32>(a: v128) -> v128 {
    v128_or(u32x4_shl(a, BITS), u32x4_shr(a, 32 - BITS))
}

/// Four 32-bit words: one row.
#[derive(Clone, Copy)]
pub struct Simd128Words(v128);

impl Words for Simd128Words {
    type Token = Simd128;
    type Blocks = [u8; 64];
    const ZERO_BLOCKS: Self::Blocks = [0; 64];
    const ROWS: usize = 1;

    #[inline(always)]
    fn splat(_: Simd128, word: u32) -> Self {
        Self(u32x4_splat(word))
    }
    #[inline(always)]
    fn splat_row(_: Simd128, row: [u32; 4]) -> Self {
        Self(u32x4(row[0], row[1], row[2], row[3]))
    }
    #[inline(always)]
    fn from_lanes(token: Simd128, words: &[u32; MAX_WORDS_LANES]) -> Self {
        Self::splat_row(token, [words[0], words[1], words[2], words[3]])
    }
    #[inline(always)]
    fn first(self) -> u32 {
        u32x4_extract_lane::<0>(self.0)
    }

    operations! {
        add = |a, b| u32x4_add(a, b);
        xor = |a, b| v128_xor(a, b);
        and = |a, b| v128_and(a, b);
        rotate_left_16 = |a| i8x16_shuffle::<2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13>(a, a);
        rotate_left_12 = |a| rotate_left::<12>(a);
        rotate_left_8 = |a| i8x16_shuffle::<3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14>(a, a);
        rotate_left_7 = |a| rotate_left::<7>(a);
        rotate_columns_1 = |a| i32x4_shuffle::<1, 2, 3, 0>(a, a);
        rotate_columns_2 = |a| i32x4_shuffle::<2, 3, 0, 1>(a, a);
        rotate_columns_3 = |a| i32x4_shuffle::<3, 0, 1, 2>(a, a);
    }

    #[inline(always)]
    fn transpose(a: Self, b: Self, c: Self, d: Self) -> (Self, Self, Self, Self) {
        let (ab_low, ab_high) = (i32x4_shuffle::<0, 4, 1, 5>(a.0, b.0), i32x4_shuffle::<2, 6, 3, 7>(a.0, b.0));
        let (cd_low, cd_high) = (i32x4_shuffle::<0, 4, 1, 5>(c.0, d.0), i32x4_shuffle::<2, 6, 3, 7>(c.0, d.0));
        (
            Self(i64x2_shuffle::<0, 2>(ab_low, cd_low)),
            Self(i64x2_shuffle::<1, 3>(ab_low, cd_low)),
            Self(i64x2_shuffle::<0, 2>(ab_high, cd_high)),
            Self(i64x2_shuffle::<1, 3>(ab_high, cd_high)),
        )
    }

    #[inline(always)]
    fn xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        let (rows, _) = data[..64].as_chunks_mut::<16>();
        let rows: &mut [[u8; 16]; 4] = rows.first_chunk_mut().expect("64 bytes are four rows");
        store(v128_xor(load(&rows[0]), a.0), &mut rows[0]);
        store(v128_xor(load(&rows[1]), b.0), &mut rows[1]);
        store(v128_xor(load(&rows[2]), c.0), &mut rows[2]);
        store(v128_xor(load(&rows[3]), d.0), &mut rows[3]);
    }
}

impl ChaCha20Rounds for Simd128Words {}

/// Two 64-bit lanes.
#[derive(Clone, Copy)]
pub struct Simd128U64Lanes(v128);

impl U64Lanes for Simd128U64Lanes {
    type Token = Simd128;
    const LANES: usize = 2;
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn splat(_: Simd128, value: u64) -> Self {
        Self(u64x2_splat(value))
    }
    #[inline(always)]
    fn splat_low(_: Simd128, value: u32) -> Self {
        Self(u64x2_splat(value.into()))
    }
    #[inline(always)]
    fn from_lanes(_: Simd128, lanes: &[u64; MAX_U64_LANES]) -> Self {
        Self(u64x2(lanes[0], lanes[1]))
    }
    #[inline(always)]
    fn to_lanes(self) -> [u64; MAX_U64_LANES] {
        [u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0), 0, 0, 0, 0, 0, 0]
    }
    #[inline(always)]
    fn splat_pair(_: Simd128, pair: &Pair) -> Self {
        Self(u64x2(pair.0[0], pair.0[1]))
    }
    #[inline(always)]
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES] {
        let (even, odd) = (even.to_lanes(), odd.to_lanes());
        let mut pairs = [Pair::default(); MAX_U64_LANES];
        pairs[0] = Pair([even[0], odd[0]]);
        pairs[1] = Pair([even[1], odd[1]]);
        pairs
    }
    #[inline(always)]
    fn load(_: Simd128, blocks: &[u8]) -> (Self, Self) {
        let (blocks, _) = blocks.as_chunks::<16>();
        (Self(load(&blocks[0])), Self(load(&blocks[1])))
    }
    #[inline(always)]
    fn unpack(self, other: Self) -> (Self, Self) {
        (Self(i64x2_shuffle::<0, 2>(self.0, other.0)), Self(i64x2_shuffle::<1, 3>(self.0, other.0)))
    }

    operations! {
        add = |a, b| u64x2_add(a, b);
        and = |a, b| v128_and(a, b);
        or = |a, b| v128_or(a, b);
        // The low halves side by side, for an instruction that multiplies 32-bit lanes.
        mul_low = |a, b| u64x2_extmul_low_u32x4(i32x4_shuffle::<0, 2, 0, 2>(a, a), i32x4_shuffle::<0, 2, 0, 2>(b, b));
    }

    #[inline(always)]
    fn shl<const BITS: u32>(self) -> Self {
        Self(u64x2_shl(self.0, BITS))
    }
    #[inline(always)]
    fn shr<const BITS: u32>(self) -> Self {
        Self(u64x2_shr(self.0, BITS))
    }
}

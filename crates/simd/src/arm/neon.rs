//! 128-bit vectors of Arm (Advanced SIMD).

use super::intrinsics::*;

use crate::kernels::ChaCha20Rounds;
#[cfg(all(target_arch = "aarch64", target_pointer_width = "64"))]
use crate::map_array::map_array;
use crate::pair::Pair;
#[cfg(all(target_arch = "aarch64", target_pointer_width = "64"))]
use crate::pending_poly1305::PendingPoly1305;
use crate::simd::{MAX_U64_LANES, Simd, U64Lanes, serves_itself};
use crate::tuning::{self, Tuning};
use crate::words::{MAX_WORDS_LANES, Words};

/// Proof of Advanced SIMD.
#[derive(Clone, Copy, Debug)]
pub struct Neon(());

impl Neon {
    /// Returns the token, if the CPU has these vectors. This module is not compiled for AArch64
    /// targets without them.
    #[must_use]
    pub fn detect() -> Option<Self> {
        detected!("neon").then_some(Self(()))
    }
}

token! { Neon: "neon", "v7" }

impl Simd for Neon {
    type Words = NeonWords;
    type U64Lanes = NeonU64Lanes;
    const TUNING: Tuning = tuning::NEON;

    serves_itself!();
}

macro_rules! neon {
    ($proof:expr, $($rest:tt)*) => { with_features!(Neon: "neon", "v7", $proof, $($rest)*) };
}
pub(super) use neon;

/// Writes the methods of a vector type that differ in nothing but the intrinsic.
macro_rules! binary {
    ($vector:ty: $($method:ident = |$a:ident, $b:ident| $body:expr;)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Self(neon!(self.1, ($a: $vector = self.0, $b: $vector = other.0) -> $vector { $body }), self.1)
        }
    )*};
}

/// Writes the methods of a vector type that map one vector to one.
macro_rules! unary {
    ($vector:ty: $($method:ident = |$a:ident| $body:expr;)*) => {$(
        #[inline(always)]
        fn $method(self) -> Self {
            Self(neon!(self.1, ($a: $vector = self.0) -> $vector { $body }), self.1)
        }
    )*};
}

/// Four 32-bit words: one row.
#[derive(Clone, Copy)]
pub struct NeonWords(uint32x4_t, Neon);

impl Words for NeonWords {
    type Token = Neon;
    type Blocks = [u8; 64];
    const ZERO_BLOCKS: Self::Blocks = [0; 64];
    const ROWS: usize = 1;

    #[inline(always)]
    fn splat(token: Neon, word: u32) -> Self {
        Self(neon!(token, (word: u32 = word) -> uint32x4_t { vdupq_n_u32(word) }), token)
    }
    #[inline(always)]
    fn splat_row(token: Neon, row: [u32; 4]) -> Self {
        let vector = neon!(token, (row: &[u32; 4] = &row) -> uint32x4_t {
            // SAFETY: the array is valid for reading 16 bytes, and the load needs no more than its
            // alignment.
            unsafe { vld1q_u32(row.as_ptr()) }
        });
        Self(vector, token)
    }
    #[inline(always)]
    fn from_lanes(token: Neon, words: &[u32; MAX_WORDS_LANES]) -> Self {
        Self::splat_row(token, [words[0], words[1], words[2], words[3]])
    }
    #[inline(always)]
    fn first(self) -> u32 {
        neon!(self.1, (a: uint32x4_t = self.0) -> u32 { vgetq_lane_u32::<0>(a) })
    }

    binary! { uint32x4_t:
        add = |a, b| vaddq_u32(a, b);
        xor = |a, b| veorq_u32(a, b);
        and = |a, b| vandq_u32(a, b);
    }

    unary! { uint32x4_t:
        rotate_left_16 = |a| vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(a)));
        rotate_left_12 = |a| vsriq_n_u32::<20>(vshlq_n_u32::<12>(a), a);
        rotate_left_8 = |a| vsriq_n_u32::<24>(vshlq_n_u32::<8>(a), a);
        rotate_left_7 = |a| vsriq_n_u32::<25>(vshlq_n_u32::<7>(a), a);
        rotate_columns_1 = |a| vextq_u32::<1>(a, a);
        rotate_columns_2 = |a| vextq_u32::<2>(a, a);
        rotate_columns_3 = |a| vextq_u32::<3>(a, a);
    }

    #[inline(always)]
    fn transpose(a: Self, b: Self, c: Self, d: Self) -> (Self, Self, Self, Self) {
        type Vectors = (uint32x4_t, uint32x4_t, uint32x4_t, uint32x4_t);
        let token = a.1;
        let (a, b, c, d) = neon!(token, (v: Vectors = (a.0, b.0, c.0, d.0)) -> Vectors {
            let pair = |x| vreinterpretq_u64_u32(x);
            let (ab_even, ab_odd) = (pair(vtrn1q_u32(v.0, v.1)), pair(vtrn2q_u32(v.0, v.1)));
            let (cd_even, cd_odd) = (pair(vtrn1q_u32(v.2, v.3)), pair(vtrn2q_u32(v.2, v.3)));
            let words = |x| vreinterpretq_u32_u64(x);
            (
                words(vtrn1q_u64(ab_even, cd_even)),
                words(vtrn1q_u64(ab_odd, cd_odd)),
                words(vtrn2q_u64(ab_even, cd_even)),
                words(vtrn2q_u64(ab_odd, cd_odd)),
            )
        });
        (Self(a, token), Self(b, token), Self(c, token), Self(d, token))
    }

    #[inline(always)]
    fn xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        type Rows = [[u8; 16]; 4];
        let (rows, _) = data[..64].as_chunks_mut::<16>();
        let rows: &mut Rows = rows.first_chunk_mut().expect("64 bytes are four rows");
        neon!(a.1, (v: [uint32x4_t; 4] = [a.0, b.0, c.0, d.0], rows: &mut Rows = rows) -> () {
            xor_row(v[0], &mut rows[0]);
            xor_row(v[1], &mut rows[1]);
            xor_row(v[2], &mut rows[2]);
            xor_row(v[3], &mut rows[3]);
        });
    }
}

impl ChaCha20Rounds for NeonWords {
    #[cfg(all(target_arch = "aarch64", target_pointer_width = "64"))]
    #[inline(always)]
    fn double_rounds(v: &mut [Self; 16], count: u8, pending: &mut PendingPoly1305<'_>) -> bool {
        // Without blocks, the compiler's code has as many instructions.
        if pending.blocks.is_empty() {
            return false;
        }
        let token = v[0].1;
        let mut vectors = map_array(
            *v,
            #[inline(always)]
            |words| words.0,
        );
        neon!(token, (
            vectors: &mut [uint32x4_t; 16] = &mut vectors,
            count: u8 = count,
            pending: &mut PendingPoly1305<'_> = pending
        ) -> () { crate::kernels::rounds::neon::double_rounds(vectors, count, pending); });
        *v = map_array(
            vectors,
            #[inline(always)]
            |vector| Self(vector, token),
        );
        true
    }
}

#[inline]
#[target_feature(enable = "neon")]
#[cfg_attr(target_arch = "arm", target_feature(enable = "v7"))]
fn xor_row(key: uint32x4_t, row: &mut [u8; 16]) {
    let key = vreinterpretq_u8_u32(key);
    // SAFETY: the reference is valid for 16 bytes; bytes need no alignment.
    let data = unsafe { vld1q_u8(row.as_ptr()) };
    let data = veorq_u8(data, key);
    // SAFETY: the exclusive reference is valid for writing 16 bytes.
    unsafe { vst1q_u8(row.as_mut_ptr(), data) };
}

/// Writes a pair of factors.
#[inline]
#[target_feature(enable = "neon")]
#[cfg_attr(target_arch = "arm", target_feature(enable = "v7"))]
fn store_pair(factors: uint32x2_t, pair: &mut Pair) {
    // SAFETY: the exclusive reference is valid for writing 8 bytes and aligned for their elements.
    unsafe { vst1_u32(pair.0.as_mut_ptr(), factors) };
}

/// Two 64-bit lanes.
#[derive(Clone, Copy)]
pub struct NeonU64Lanes(uint64x2_t, Neon);

impl U64Lanes for NeonU64Lanes {
    type Token = Neon;
    const LANES: usize = 2;
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn splat(token: Neon, value: u64) -> Self {
        Self(neon!(token, (value: u64 = value) -> uint64x2_t { vdupq_n_u64(value) }), token)
    }
    #[inline(always)]
    fn splat_low(token: Neon, value: u32) -> Self {
        let vector = neon!(token, (value: u32 = value) -> uint64x2_t { vreinterpretq_u64_u32(vdupq_n_u32(value)) });
        Self(vector, token)
    }
    #[inline(always)]
    fn from_lanes(token: Neon, lanes: &[u64; MAX_U64_LANES]) -> Self {
        let vector = neon!(token, (lanes: &[u64; MAX_U64_LANES] = lanes) -> uint64x2_t {
            // SAFETY: the array is valid for reading 16 bytes and aligned for its element.
            unsafe { vld1q_u64(lanes.as_ptr()) }
        });
        Self(vector, token)
    }
    #[inline(always)]
    fn to_lanes(self) -> [u64; MAX_U64_LANES] {
        neon!(self.1, (a: uint64x2_t = self.0) -> [u64; MAX_U64_LANES] {
            [vgetq_lane_u64::<0>(a), vgetq_lane_u64::<1>(a), 0, 0, 0, 0, 0, 0]
        })
    }
    #[inline(always)]
    fn splat_pair(token: Neon, pair: &Pair) -> Self {
        let vector = neon!(token, (pair: &Pair = pair) -> uint64x2_t {
            // SAFETY: the reference is valid for reading 8 bytes and aligned for their elements.
            vmovl_u32(unsafe { vld1_u32(pair.0.as_ptr()) })
        });
        Self(vector, token)
    }
    #[inline(always)]
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES] {
        neon!(even.1, (even: uint64x2_t = even.0, odd: uint64x2_t = odd.0) -> [Pair; MAX_U64_LANES] {
            let mut pairs = [Pair::default(); MAX_U64_LANES];
            store_pair(vmovn_u64(vzip1q_u64(even, odd)), &mut pairs[0]);
            store_pair(vmovn_u64(vzip2q_u64(even, odd)), &mut pairs[1]);
            pairs
        })
    }
    #[inline(always)]
    fn load(token: Neon, blocks: &[u8]) -> (Self, Self) {
        let blocks: &[u8; 32] = blocks.first_chunk().expect("two blocks");
        let (first, second) = neon!(token, (blocks: &[u8; 32] = blocks) -> (uint64x2_t, uint64x2_t) {
            let (first, second) = blocks.split_at(16);
            // SAFETY: the slice is 16 bytes long; bytes need no alignment.
            let first = vreinterpretq_u64_u8(unsafe { vld1q_u8(first.as_ptr()) });
            // SAFETY: as above.
            let second = vreinterpretq_u64_u8(unsafe { vld1q_u8(second.as_ptr()) });
            (first, second)
        });
        (Self(first, token), Self(second, token))
    }
    #[inline(always)]
    fn unpack(self, other: Self) -> (Self, Self) {
        let (even, odd) = neon!(self.1, (a: uint64x2_t = self.0, b: uint64x2_t = other.0) -> (uint64x2_t, uint64x2_t) {
            (vzip1q_u64(a, b), vzip2q_u64(a, b))
        });
        (Self(even, self.1), Self(odd, self.1))
    }

    binary! { uint64x2_t:
        add = |a, b| vaddq_u64(a, b);
        and = |a, b| vandq_u64(a, b);
        or = |a, b| vorrq_u64(a, b);
        mul_low = |a, b| vmull_u32(vmovn_u64(a), vmovn_u64(b));
    }

    #[inline(always)]
    fn shl<const BITS: u32>(self) -> Self {
        let shifted = neon!(self.1, (a: uint64x2_t = self.0, bits: u32 = BITS) -> uint64x2_t {
            vshlq_u64(a, vdupq_n_s64(i64::from(bits)))
        });
        Self(shifted, self.1)
    }
    #[inline(always)]
    fn shr<const BITS: u32>(self) -> Self {
        let shifted = neon!(self.1, (a: uint64x2_t = self.0, bits: u32 = BITS) -> uint64x2_t {
            // A negative count shifts to the right.
            vshlq_u64(a, vdupq_n_s64(-i64::from(bits)))
        });
        Self(shifted, self.1)
    }
}

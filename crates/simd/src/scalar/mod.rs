//! The portable backend: arrays of lanes, which the compiler turns into vectors where the target
//! always has them.

mod aes;
mod clmul;
mod gf8;

use crate::kernels::ChaCha20Rounds;
use crate::pair::Pair;
use crate::sealed::{Assume, Sealed};
use crate::simd::{MAX_U64_LANES, Simd, U64Lanes, serves_itself};
use crate::token::Token;
use crate::tuning::{self, Tuning};
use crate::words::{MAX_WORDS_LANES, Words};
pub use aes::SlicedBlocks;
pub use clmul::ScalarLane;
pub use gf8::ScalarBytes;

/// The token of the portable backend, which every CPU has.
///
/// ```
/// use sealane_simd::{AesBlocks, ClmulLanes, Gf8Bytes, Scalar, ScalarBytes, ScalarLane, Simd, SlicedBlocks, U64Lanes};
///
/// let sum = <Scalar as Simd>::U64Lanes::splat(Scalar::new(), 7).sum_lanes();
/// assert_eq!(sum, 7 * <Scalar as Simd>::U64Lanes::LANES as u64);
///
/// // Vectors of blocks, of polynomials and of bytes.
/// assert_eq!([SlicedBlocks::BLOCKS, ScalarLane::LANES], [8, 1]);
/// assert_eq!(64 % ScalarBytes::BYTES, 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scalar(());

impl Scalar {
    /// Returns the token.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }

    /// Returns the token; never `None`. For symmetry with the other backends.
    #[must_use]
    pub const fn detect() -> Option<Self> {
        Some(Self(()))
    }
}

impl Default for Scalar {
    fn default() -> Self {
        Self::new()
    }
}

impl Sealed for Scalar {}

impl Assume for Scalar {
    unsafe fn assume() -> Self {
        Self(())
    }
}

impl Token for Scalar {
    #[inline(always)]
    fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        // A separate function, as on the other levels. If it were inlined where the level is
        // chosen, all levels would save its registers and set up its stack. A target with only this
        // level does not choose.
        #[cfg_attr(
            all(
                feature = "simd",
                any(
                    all(target_feature = "sse2", not(target_env = "sgx")),
                    all(target_arch = "wasm32", target_feature = "simd128"),
                    all(
                        target_endian = "little",
                        any(
                            all(target_arch = "aarch64", target_feature = "neon"),
                            all(target_arch = "arm", feature = "armv7")
                        )
                    )
                )
            ),
            inline(never)
        )]
        fn entry<R>(token: Scalar, kernel: impl FnOnce(Scalar) -> R) -> R {
            kernel(token)
        }
        entry(self, kernel)
    }
}

impl Simd for Scalar {
    type Words = ScalarWords;
    type U64Lanes = ScalarU64Lanes;
    const TUNING: Tuning = tuning::SCALAR;
    const VECTORS: bool = false;

    serves_itself!();
}

/// Four 32-bit words: one row.
#[derive(Clone, Copy)]
pub struct ScalarWords([u32; 4]);

impl ScalarWords {
    #[inline(always)]
    fn rotate_left<const BITS: u32>(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([a.rotate_left(BITS), b.rotate_left(BITS), c.rotate_left(BITS), d.rotate_left(BITS)])
    }
}

impl Words for ScalarWords {
    type Token = Scalar;
    type Blocks = [u8; 64];
    const ZERO_BLOCKS: Self::Blocks = [0; 64];
    const ROWS: usize = 1;

    #[inline(always)]
    fn splat(_: Scalar, word: u32) -> Self {
        Self([word; 4])
    }
    #[inline(always)]
    fn splat_row(_: Scalar, row: [u32; 4]) -> Self {
        Self(row)
    }
    #[inline(always)]
    fn from_lanes(_: Scalar, words: &[u32; MAX_WORDS_LANES]) -> Self {
        Self([words[0], words[1], words[2], words[3]])
    }
    #[inline(always)]
    fn first(self) -> u32 {
        self.0[0]
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a.wrapping_add(e), b.wrapping_add(f), c.wrapping_add(g), d.wrapping_add(h)])
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a ^ e, b ^ f, c ^ g, d ^ h])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & e, b & f, c & g, d & h])
    }
    #[inline(always)]
    fn rotate_left_16(self) -> Self {
        self.rotate_left::<16>()
    }
    #[inline(always)]
    fn rotate_left_12(self) -> Self {
        self.rotate_left::<12>()
    }
    #[inline(always)]
    fn rotate_left_8(self) -> Self {
        self.rotate_left::<8>()
    }
    #[inline(always)]
    fn rotate_left_7(self) -> Self {
        self.rotate_left::<7>()
    }
    #[inline(always)]
    fn rotate_columns_1(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([b, c, d, a])
    }
    #[inline(always)]
    fn rotate_columns_2(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([c, d, a, b])
    }
    #[inline(always)]
    fn rotate_columns_3(self) -> Self {
        let [a, b, c, d] = self.0;
        Self([d, a, b, c])
    }
    #[inline(always)]
    fn transpose(a: Self, b: Self, c: Self, d: Self) -> (Self, Self, Self, Self) {
        let (a, b, c, d) = (a.0, b.0, c.0, d.0);
        (
            Self([a[0], b[0], c[0], d[0]]),
            Self([a[1], b[1], c[1], d[1]]),
            Self([a[2], b[2], c[2], d[2]]),
            Self([a[3], b[3], c[3], d[3]]),
        )
    }
    #[inline(always)]
    fn xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        let (words, _) = data[..64].as_chunks_mut::<4>();
        for (word, key) in words.iter_mut().zip(a.0.into_iter().chain(b.0).chain(c.0).chain(d.0)) {
            *word = (u32::from_le_bytes(*word) ^ key).to_le_bytes();
        }
    }
}

impl ChaCha20Rounds for ScalarWords {}

/// Two 64-bit lanes.
#[derive(Clone, Copy)]
pub struct ScalarU64Lanes([u64; 2]);

impl U64Lanes for ScalarU64Lanes {
    type Token = Scalar;
    const LANES: usize = 2;
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES] = [0, 1, 2, 3, 4, 5, 6, 7];

    #[inline(always)]
    fn splat(_: Scalar, value: u64) -> Self {
        Self([value; 2])
    }
    #[inline(always)]
    fn splat_low(_: Scalar, value: u32) -> Self {
        Self([u64::from(value); 2])
    }
    #[inline(always)]
    fn from_lanes(_: Scalar, lanes: &[u64; MAX_U64_LANES]) -> Self {
        Self([lanes[0], lanes[1]])
    }
    #[inline(always)]
    fn to_lanes(self) -> [u64; MAX_U64_LANES] {
        [self.0[0], self.0[1], 0, 0, 0, 0, 0, 0]
    }
    #[inline(always)]
    fn splat_pair(_: Scalar, pair: &Pair) -> Self {
        Self(pair.0.map(Into::into))
    }
    #[inline(always)]
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES] {
        let mut pairs = [Pair::default(); MAX_U64_LANES];
        pairs[0] = Pair::new(even.0[0], odd.0[0]);
        pairs[1] = Pair::new(even.0[1], odd.0[1]);
        pairs
    }
    #[inline(always)]
    fn load(_: Scalar, blocks: &[u8]) -> (Self, Self) {
        let (words, _) = blocks[..32].as_chunks::<8>();
        let word = |i: usize| u64::from_le_bytes(words[i]);
        (Self([word(0), word(1)]), Self([word(2), word(3)]))
    }
    #[inline(always)]
    fn unpack(self, other: Self) -> (Self, Self) {
        (Self([self.0[0], other.0[0]]), Self([self.0[1], other.0[1]]))
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0].wrapping_add(other.0[0]), self.0[1].wrapping_add(other.0[1])])
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
    #[inline(always)]
    fn shl<const BITS: u32>(self) -> Self {
        Self([self.0[0] << BITS, self.0[1] << BITS])
    }
    #[inline(always)]
    fn shr<const BITS: u32>(self) -> Self {
        Self([self.0[0] >> BITS, self.0[1] >> BITS])
    }
    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        let low = |x: u64| x & 0xffff_ffff;
        Self([low(self.0[0]) * low(other.0[0]), low(self.0[1]) * low(other.0[1])])
    }
}

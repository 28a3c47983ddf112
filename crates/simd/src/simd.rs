//! The capabilities that ChaCha and Poly1305 need together: vectors of 32-bit words, and a
//! 32×32→64 multiply in 64-bit lanes.

use crate::class::CpuClass;
use crate::pair::Pair;
use crate::token::Token;
use crate::tuning::Tuning;
use crate::words::Words;

/// A token together with its vector types for 32-bit and 64-bit arithmetic. The kernels of ChaCha
/// and Poly1305 are generic over it.
pub trait Simd: Token {
    /// Vectors of 32-bit words.
    type Words: Words<Token = Self>;
    /// Vectors of 64-bit lanes with a widening multiply.
    type U64Lanes: U64Lanes<Token = Self>;
    /// A token with narrower vectors, or the same ones, and the same or fewer features, for short
    /// inputs: see [`Tuning::one_set_on_narrower_vectors`] and [`Tuning::narrower_max_bytes`].
    type Narrower: Simd;
    /// A token with the same vectors of words, and the same or fewer features. Its kernels of
    /// ChaCha serve this token too, so that a program contains them once.
    type Cipher: Simd;

    /// The measured thresholds.
    const TUNING: Tuning;

    /// Whether [`Simd::Words`] and [`Simd::U64Lanes`] are vectors of the CPU. If they are not, a
    /// kernel may be faster with plain integers.
    const VECTORS: bool = true;

    /// Whether [`Simd::add_low_52`] and [`Simd::add_high_52`] are instructions of the CPU.
    const MUL_ADD_52: bool = false;

    /// Multiplies the low 52 bits of `a` and `b` in each lane. Returns `sum` plus the low 52 bits
    /// of the products, modulo 2^64.
    #[must_use]
    #[inline(always)]
    fn add_low_52(self, sum: Self::U64Lanes, a: Self::U64Lanes, b: Self::U64Lanes) -> Self::U64Lanes {
        let (low, _) = product_52(a, b);
        sum.add(low)
    }

    /// Multiplies the low 52 bits of `a` and `b` in each lane. Returns `sum` plus the high 52 bits
    /// of the products, modulo 2^64.
    #[must_use]
    #[inline(always)]
    fn add_high_52(self, sum: Self::U64Lanes, a: Self::U64Lanes, b: Self::U64Lanes) -> Self::U64Lanes {
        let (_, high) = product_52(a, b);
        sum.add(high)
    }

    /// Returns the class of this CPU for tokens whose kernels have a variant for each class, and
    /// [`CpuClass::OneCycle`] for all others. To look up a single value of a table for this CPU,
    /// use `ByClass::here`.
    #[inline(always)]
    fn cpu_class(self) -> CpuClass {
        CpuClass::OneCycle
    }

    /// Returns the token of [`Simd::Narrower`].
    fn for_narrower(self) -> Self::Narrower;

    /// Returns the token of [`Simd::Cipher`].
    fn for_cipher(self) -> Self::Cipher;
}

/// Implements [`Simd::Narrower`] and [`Simd::Cipher`] as the token itself.
macro_rules! serves_itself {
    () => {
        type Narrower = Self;
        type Cipher = Self;

        #[inline(always)]
        fn for_narrower(self) -> Self {
            self
        }

        #[inline(always)]
        fn for_cipher(self) -> Self {
            self
        }
    };
}
pub(crate) use serves_itself;

/// The largest number of lanes of any implementation of [`U64Lanes`].
pub const MAX_U64_LANES: usize = 8;

/// A vector of 64-bit lanes.
///
/// ```
/// use sealane_simd::{Level, LevelList, Simd, U64Lanes, dispatch};
///
/// /// Multiplies in all lanes, and adds the products.
/// #[inline(always)]
/// fn sum_of_products<S: Simd>(token: S, a: u64, b: u64) -> u64 {
///     S::U64Lanes::splat(token, a).mul_low(S::U64Lanes::splat(token, b)).sum_lanes() / S::U64Lanes::LANES as u64
/// }
///
/// for level in Level::available() {
///     assert_eq!(dispatch!(level, token => sum_of_products(token, 6, 7)), 42);
/// }
/// ```
pub trait U64Lanes: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Simd<U64Lanes = Self>;

    /// Number of lanes.
    const LANES: usize;
    /// The order in which [`U64Lanes::load_blocks`] deals blocks to lanes: lane `i` holds block
    /// `BLOCK_OF_LANE[i]`.
    const BLOCK_OF_LANE: [usize; MAX_U64_LANES];

    /// Returns a vector whose lanes all equal `value`.
    fn splat(token: Self::Token, value: u64) -> Self;
    /// Returns a vector with `value` in the low half of each lane. The high half is unspecified.
    /// Use it for operands of [`U64Lanes::mul_low`].
    fn splat_low(token: Self::Token, value: u32) -> Self;
    /// Loads the first [`U64Lanes::LANES`] values, and ignores the rest.
    fn from_lanes(token: Self::Token, lanes: &[u64; MAX_U64_LANES]) -> Self;
    /// Returns the lanes in the first [`U64Lanes::LANES`] elements of the array. The other elements
    /// are 0.
    fn to_lanes(self) -> [u64; MAX_U64_LANES];

    /// Returns a vector with the pair's even factor in the low halves of even lanes, and its odd
    /// factor in the low halves of odd lanes. The high halves are unspecified. Use it for operands
    /// of [`U64Lanes::mul_low`].
    fn splat_pair(token: Self::Token, pair: &Pair) -> Self;
    /// Returns lane `i` of both vectors as pair `i`, in the first [`U64Lanes::LANES`] pairs of the
    /// array. The other pairs are 0. The lanes must be below 2^32, or below 2^52 if the token has
    /// [`Simd::MUL_ADD_52`].
    fn to_pairs(even: Self, odd: Self) -> [Pair; MAX_U64_LANES];

    /// Loads [`U64Lanes::LANES`] blocks of 16 bytes as they are, half of them into each vector: an
    /// even lane holds the low 8 bytes of a block, and the odd lane after it the high 8 bytes, both
    /// little-endian.
    ///
    /// # Panics
    /// If `blocks` is shorter than `16 * LANES` bytes.
    fn load(token: Self::Token, blocks: &[u8]) -> (Self, Self);
    /// Returns the even lanes of both vectors in one vector, and the odd lanes in another. If the
    /// vectors come from [`U64Lanes::load`], the blocks are then in the order of
    /// [`U64Lanes::BLOCK_OF_LANE`].
    fn unpack(self, other: Self) -> (Self, Self);

    /// Loads [`U64Lanes::LANES`] blocks of 16 bytes: the lanes of the first vector hold the low 8
    /// bytes of a block, those of the second the high 8 bytes, both little-endian, in the order of
    /// [`U64Lanes::BLOCK_OF_LANE`].
    ///
    /// # Panics
    /// If `blocks` is shorter than `16 * LANES` bytes.
    #[inline(always)]
    fn load_blocks(token: Self::Token, blocks: &[u8]) -> (Self, Self) {
        let (first, second) = Self::load(token, blocks);
        first.unpack(second)
    }

    /// Does the same as [`U64Lanes::load_blocks`] for up to `16 * LANES` bytes, as if zeros
    /// followed.
    ///
    /// # Panics
    /// May panic if `bytes` is longer than that.
    #[inline(always)]
    fn load_padded(token: Self::Token, bytes: &[u8]) -> (Self, Self) {
        let mut blocks = [0; 16 * MAX_U64_LANES];
        blocks[..bytes.len()].copy_from_slice(bytes);
        Self::load_blocks(token, &blocks)
    }

    /// Loads four blocks of 16 bytes from each of [`U64Lanes::LANES`] messages. Pair `i` is what
    /// [`U64Lanes::load_blocks`] returns for block `i` of all messages.
    #[inline(always)]
    fn load_messages(token: Self::Token, messages: &[&[u8; 64]; MAX_U64_LANES]) -> [(Self, Self); 4] {
        let zero = Self::splat(token, 0);
        let mut rows = [(zero, zero); 4];
        for (i, row) in rows.iter_mut().enumerate() {
            let mut blocks = [[0; 16]; MAX_U64_LANES];
            for (block, message) in blocks.iter_mut().zip(messages) {
                *block = message.as_chunks().0[i];
            }
            *row = Self::load_blocks(token, blocks.as_flattened());
        }
        rows
    }

    /// Selects lanes of both vectors: lane `i` of the result is the lane numbered `indices[i]`. The
    /// lanes of `other` are numbered from `LANES` on.
    #[must_use]
    #[inline(always)]
    fn select_lanes(self, token: Self::Token, other: Self, indices: &[u64; MAX_U64_LANES]) -> Self {
        let (a, b) = (self.to_lanes(), other.to_lanes());
        let mut lanes = [0; MAX_U64_LANES];
        for (lane, &index) in lanes.iter_mut().zip(indices).take(Self::LANES) {
            let index = index as usize;
            *lane = if index < Self::LANES { a[index] } else { b[index - Self::LANES] };
        }
        Self::from_lanes(token, &lanes)
    }

    /// Returns the sum of all lanes modulo 2^64.
    #[must_use]
    #[inline(always)]
    fn sum_lanes(self) -> u64 {
        let lanes = self.to_lanes();
        let mut sum = lanes[0];
        for lane in &lanes[1..Self::LANES] {
            sum = sum.wrapping_add(*lane);
        }
        sum
    }
    /// Returns the lane-wise sum modulo 2^64.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Returns the lane-wise conjunction.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Returns the lane-wise disjunction.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Returns the lane-wise shift to the left by `BITS` bits; zeros come in.
    #[must_use]
    fn shl<const BITS: u32>(self) -> Self;
    /// Returns the lane-wise shift to the right by `BITS` bits; zeros come in.
    #[must_use]
    fn shr<const BITS: u32>(self) -> Self;
    /// Returns the lane-wise product of the low 32 bits of both operands.
    #[must_use]
    fn mul_low(self, other: Self) -> Self;

    /// Returns the value, hidden from the compiler.
    ///
    /// Use it for an operand of [`U64Lanes::mul_low`] that is carried around a loop. Otherwise the
    /// compiler may infer that the operand's high half is 0, and drop the instructions that clear
    /// it. Later, when it selects an instruction for the multiplication, it no longer knows this
    /// and emulates a 64-bit multiplication.
    #[must_use]
    #[inline(always)]
    fn opaque(self) -> Self {
        self
    }
}

/// Multiplies the low 52 bits of `a` and `b` in each lane. Returns the low and the high 52 bits of
/// the products.
#[inline(always)]
pub(crate) fn product_52<W: U64Lanes>(a: W, b: W) -> (W, W) {
    let halves = |x: W| (x.shl::<38>().shr::<38>(), x.shl::<12>().shr::<38>());
    let ((a0, a1), (b0, b1)) = (halves(a), halves(b));
    // 2^26 times the middle products: below 2^79, in two parts.
    let middle = a0.mul_low(b1).add(a1.mul_low(b0));
    let low = a0.mul_low(b0).add(middle.shl::<38>().shr::<12>());
    let high = a1.mul_low(b1).add(middle.shr::<26>()).add(low.shr::<52>());
    (low.shl::<12>().shr::<12>(), high)
}

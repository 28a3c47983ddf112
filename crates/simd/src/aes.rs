//! The capability that Haraka needs: rounds of AES on vectors of 128-bit blocks.

use crate::token::Token;

/// A state or a round key of AES (FIPS 197, section 3.4): byte `4 c + r` is in row r and column c.
///
/// It is aligned, so that it can be a memory operand of an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Block(pub [u8; 16]);

impl Block {
    /// Returns the block of the 16 bytes of `word`, the least significant first.
    #[must_use]
    pub const fn new(word: u128) -> Self {
        Self(word.to_le_bytes())
    }
}

/// A token together with its vectors of blocks. Kernels that consist of rounds of AES are generic
/// over it.
///
/// ```
/// use sealane_simd::{AesBlocks, AesLevel, AesToken, Block, Columns, LevelList, dispatch_aes};
///
/// /// Computes two rounds of AES on a block, and duplicates its first two columns.
/// #[inline(always)]
/// fn two_rounds<T: AesToken>(token: T, input: [u8; 16], keys: &[Block; 2]) -> [u8; 16] {
///     let block = T::Blocks::load(
///         token,
///         #[inline(always)]
///         |_| &input,
///     );
///     let mut state = [[block]];
///     T::Blocks::two_rounds(&mut state, &[keys[0]], &[keys[1]]);
///     T::Blocks::columns(
///         &mut state[0],
///         #[inline(always)]
///         |[columns]| [columns.interleave_low(columns)],
///     );
///     let mut output = [0; 16];
///     state[0][0].store(
///         #[inline(always)]
///         |lane, block| {
///             if lane == 0 {
///                 output = block;
///             }
///         },
///     );
///     output
/// }
///
/// let (input, keys) = ([7; 16], [Block::new(1), Block::new(2)]);
/// let level = AesLevel::detect();
/// let output = dispatch_aes!(level, token => two_rounds(token, input, &keys));
/// for level in AesLevel::available() {
///     assert_eq!(dispatch_aes!(level, token => two_rounds(token, input, &keys)), output);
/// }
/// ```
pub trait AesToken: Token {
    /// Vectors of blocks.
    type Blocks: AesBlocks<Token = Self>;
    /// The token with the next narrower vectors, for inputs that do not fill a vector of this
    /// token. It is this token itself if no token has narrower vectors.
    type Narrower: AesToken;

    /// Returns the token of [`AesToken::Narrower`].
    fn narrower(self) -> Self::Narrower;
}

/// Implements the operations of [`AesBlocks`] that are the same on all instruction sets with an
/// instruction for a round on whole blocks, `aes_round`.
#[allow(unused_macros, reason = "some targets have portable code only")]
macro_rules! whole_blocks {
    () => {
        // The vectors take turns, because the second round of each waits for its first.
        #[inline(always)]
        fn two_rounds<const N: usize, const G: usize>(
            state: &mut [[Self; N]; G],
            first: &[Block; N],
            second: &[Block; N],
        ) {
            for keys in [first, second] {
                for n in 0..N {
                    for state in &mut *state {
                        state[n] = state[n].aes_round(&keys[n]);
                    }
                }
            }
        }

        #[inline(always)]
        fn columns<const N: usize>(vectors: &mut [Self; N], change: impl Fn([Self; N]) -> [Self; N]) {
            *vectors = change(*vectors);
        }
    };
}
#[allow(unused_imports, reason = "as above")]
pub(crate) use whole_blocks;

/// Several 128-bit blocks. Operations work on each block separately.
pub trait AesBlocks: Copy {
    /// The token that proves that the operations may be used.
    type Token: AesToken<Blocks = Self>;

    /// The form of these vectors in which columns can be moved.
    type Columns: Columns;

    /// The number of blocks.
    const BLOCKS: usize;

    /// The number of vectors to work on at a time, so that the CPU does not wait for the end of a
    /// round before it begins another.
    const IN_FLIGHT: usize;

    /// Whether to store a result and add the input blocks to it in memory, because loading blocks
    /// into a vector is slow.
    const SUMS_IN_MEMORY: bool = false;

    /// Returns zeros.
    fn zeros(token: Self::Token) -> Self;

    /// Returns the vector of `block(0)`, `block(1)`, …
    fn load<'a>(token: Self::Token, block: impl Fn(usize) -> &'a [u8; 16]) -> Self;

    /// Passes each block to `store`, with its position.
    fn store(self, store: impl FnMut(usize, [u8; 16]));

    /// Computes two rounds of AES on each block: SubBytes, ShiftRows, MixColumns, and the same
    /// round key in all lanes (FIPS 197, section 5.1). In each of the `G` groups, vector n uses
    /// `first[n]` and then `second[n]`.
    fn two_rounds<const N: usize, const G: usize>(state: &mut [[Self; N]; G], first: &[Block; N], second: &[Block; N]);

    /// Returns the XOR of both.
    fn xor(self, other: Self) -> Self;

    /// Applies `change` to the columns of these vectors. `change` must not depend on the bytes,
    /// because it may run once for each of their bits.
    fn columns<const N: usize>(vectors: &mut [Self; N], change: impl Fn([Self::Columns; N]) -> [Self::Columns; N]);
}

/// Vectors of blocks, or of some bits of the blocks, in which columns can be moved.
pub trait Columns: Copy {
    /// Returns (a0, b0, a1, b1), in columns, for each pair of blocks (a0, a1, a2, a3) and (b0, b1,
    /// b2, b3).
    fn interleave_low(self, other: Self) -> Self;
    /// Returns (a2, b2, a3, b3) for each pair of blocks.
    fn interleave_high(self, other: Self) -> Self;
    /// Returns (a0, a1, b0, b1) for each pair of blocks.
    fn low_halves(self, other: Self) -> Self;
    /// Returns (a2, a3, b2, b3) for each pair of blocks.
    fn high_halves(self, other: Self) -> Self;
}

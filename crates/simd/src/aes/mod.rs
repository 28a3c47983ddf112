//! Rounds of AES on vectors of 128-bit blocks, and the instruction sets that have them.

#[cfg(target_feature = "sse2")]
mod plane_sse2;
#[cfg(not(target_feature = "sse2"))]
mod plane_words;
mod sbox;
mod sliced;

// Vectors that the target always has need no detection. The compiler does not find them by itself in this code.
#[cfg(target_feature = "sse2")]
use plane_sse2::Plane;
#[cfg(not(target_feature = "sse2"))]
use plane_words::Plane;

pub use sliced::SlicedBlocks;

use crate::Token;

/// A state or a round key of AES (FIPS 197, section 3.4): byte `4 c + r` is in row r and column c.
///
/// Aligned, so that an instruction can take it from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Block(pub [u8; 16]);

impl Block {
    /// The block of the 16 bytes of `word`, the least significant first.
    #[must_use]
    pub const fn new(word: u128) -> Self {
        Self(word.to_le_bytes())
    }
}

/// A token together with its vectors of blocks: what kernels that are made of rounds of AES are generic over.
pub trait AesToken: Token {
    /// Vectors of blocks.
    type Blocks: AesBlocks<Token = Self>;
    /// The token, with the same or fewer features, for fewer blocks than a vector has. Where there is none it is this one.
    type Narrower: AesToken;

    /// The token of [`AesToken::Narrower`].
    fn narrower(self) -> Self::Narrower;
}

/// Several 128-bit blocks, each worked on alone.
pub trait AesBlocks: Copy {
    /// What proves that the operations may be used.
    type Token: AesToken<Blocks = Self>;

    /// How many blocks.
    const BLOCKS: usize;

    /// How many vectors to work on at a time, so that the CPU need not wait for a round to end before it begins another.
    const IN_FLIGHT: usize;

    /// The vector of `block(0)`, `block(1)`, …
    fn load<'a>(token: Self::Token, block: impl Fn(usize) -> &'a [u8; 16]) -> Self;

    /// Gives each block to `store`, with its position.
    fn store(self, store: impl FnMut(usize, [u8; 16]));

    /// A round of AES on each block: SubBytes, ShiftRows, MixColumns, and the same round key for all (FIPS 197, section 5.1).
    fn aes_round(self, key: &Block) -> Self;

    /// The sum of both.
    fn xor(self, other: Self) -> Self;

    /// Of each pair of blocks (a0, a1, a2, a3) and (b0, b1, b2, b3), in columns: (a0, b0, a1, b1).
    fn interleave_low(self, other: Self) -> Self;
    /// Of each pair of blocks: (a2, b2, a3, b3).
    fn interleave_high(self, other: Self) -> Self;
    /// Of each pair of blocks: (a0, a1, b0, b1).
    fn low_halves(self, other: Self) -> Self;
    /// Of each pair of blocks: (a2, a3, b2, b3).
    fn high_halves(self, other: Self) -> Self;
}

levels! { $
    /// An instruction set for rounds of AES ([`AesToken`]) that this CPU was found to have, as a token.
    ///
    /// Variants differ by architecture; use [`dispatch_aes!`](crate::dispatch_aes) rather than a `match`.
    pub enum AesLevel;
    /// Runs a kernel on the instruction set of an [`AesLevel`]: `dispatch_aes!(level, token => kernel(token, …))`.
    ///
    /// As [`dispatch!`](crate::dispatch), for this list.
    macro dispatch_aes;
    Scalar(Scalar) "scalar" "Portable code: eight blocks bit by bit, in constant time.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    AesNi(x86::AesNi) "aesni" "AES instructions on one block.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Vaes(x86::Vaes) "vaes" "AES instructions on two blocks.";
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    Vaes512(x86::Vaes512) "vaes512" "AES instructions on four blocks.";
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    NeonAes(aarch64::NeonAes) "neon-aes" "AES instructions of AArch64, on one block.";
}

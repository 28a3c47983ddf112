//! AES instructions of Arm (the Cryptographic Extension).

use super::intrinsics::*;

use super::has_aes_and_pmull;
use crate::aes::whole_blocks;
use crate::aes::{AesBlocks, AesToken, Block, Columns};

/// Proof of Advanced SIMD, the AES instructions and PMULL.
#[derive(Clone, Copy, Debug)]
pub struct NeonAes(());

impl NeonAes {
    /// Returns the token, if the CPU has the instructions.
    #[must_use]
    pub fn detect() -> Option<Self> {
        has_aes_and_pmull().then_some(Self(()))
    }
}

token! { NeonAes: "neon,aes", "v8" }

impl AesToken for NeonAes {
    type Blocks = NeonAesBlocks;
    type Narrower = Self;

    #[inline(always)]
    fn narrower(self) -> Self {
        self
    }
}

macro_rules! neon_aes {
    ($proof:expr, $($rest:tt)*) => { with_features!(NeonAes: "neon,aes", "v8", $proof, $($rest)*) };
}

/// Writes the methods that map two vectors to one.
macro_rules! operations {
    ($($method:ident = |$a:ident, $b:ident| $body:expr;)*) => {$(
        #[inline(always)]
        fn $method(self, other: Self) -> Self {
            Self(neon_aes!(self.1, ($a: uint8x16_t = self.0, $b: uint8x16_t = other.0) -> uint8x16_t { $body }), self.1)
        }
    )*};
}

/// One block.
#[derive(Clone, Copy)]
pub struct NeonAesBlocks(uint8x16_t, NeonAes);

impl NeonAesBlocks {
    /// Computes a round of AES.
    #[inline(always)]
    fn aes_round(self, key: &Block) -> Self {
        let vector = neon_aes!(self.1, (a: uint8x16_t = self.0, key: &Block = key) -> uint8x16_t {
            // The instructions add a key before SubBytes, where the standard does it after
            // MixColumns.
            let mixed = vaesmcq_u8(vaeseq_u8(a, vdupq_n_u8(0)));
            // SAFETY: the block is valid for reading 16 bytes, and the load needs no more than its
            // alignment.
            veorq_u8(mixed, unsafe { vld1q_u8(key.0.as_ptr()) })
        });
        Self(vector, self.1)
    }
}

impl AesBlocks for NeonAesBlocks {
    type Token = NeonAes;
    type Columns = Self;
    const BLOCKS: usize = 1;
    const IN_FLIGHT: usize = 8;

    #[inline(always)]
    fn zeros(token: NeonAes) -> Self {
        Self(neon_aes!(token, () -> uint8x16_t { vdupq_n_u8(0) }), token)
    }

    #[inline(always)]
    fn load<'a>(token: NeonAes, block: impl Fn(usize) -> &'a [u8; 16]) -> Self {
        let vector = neon_aes!(token, (block: &[u8; 16] = block(0)) -> uint8x16_t {
            // SAFETY: the array is valid for reading 16 bytes, and the load needs no more than its
            // alignment.
            unsafe { vld1q_u8(block.as_ptr()) }
        });
        Self(vector, token)
    }

    #[inline(always)]
    fn store(self, mut store: impl FnMut(usize, [u8; 16])) {
        let mut block = [0; 16];
        neon_aes!(self.1, (a: uint8x16_t = self.0, block: &mut [u8; 16] = &mut block) -> () {
            // SAFETY: the array is valid for writing 16 bytes, and the store needs no more than its
            // alignment.
            unsafe { vst1q_u8(block.as_mut_ptr(), a) }
        });
        store(0, block);
    }

    whole_blocks! {}

    operations! {
        xor = |a, b| veorq_u8(a, b);
    }
}

impl Columns for NeonAesBlocks {
    operations! {
        interleave_low = |a, b| vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
        interleave_high = |a, b| vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
        low_halves = |a, b| vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
        high_halves = |a, b| vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
    }
}

//! Carry-less multiplication on Arm: PMULL.

use super::intrinsics::*;

use super::has_aes_and_pmull;
use crate::clmul::{Clmul, ClmulLanes};

/// Proof of Advanced SIMD, PMULL on 64-bit operands and the AES instructions.
#[derive(Clone, Copy, Debug)]
pub struct Pmull(());

impl Pmull {
    /// Returns the token, if the CPU has the instruction.
    #[must_use]
    pub fn detect() -> Option<Self> {
        has_aes_and_pmull().then_some(Self(()))
    }
}

token! { Pmull: "neon,aes", "v8" }

impl Clmul for Pmull {
    type One = PmullLane;
    type Many = PmullLane;
}

macro_rules! pmull {
    ($proof:expr, $($rest:tt)*) => { with_features!(Pmull: "neon,aes", "v8", $proof, $($rest)*) };
}

/// Writes the methods that map one or two vectors to one.
macro_rules! operations {
    ($($method:ident = |$a:ident| $body:expr;)* ; $($method2:ident = |$a2:ident, $b2:ident| $body2:expr;)*) => {
        $(
            #[inline(always)]
            fn $method(self) -> Self {
                Self(pmull!(self.1, ($a: uint64x2_t = self.0) -> uint64x2_t { $body }), self.1)
            }
        )*
        $(
            #[inline(always)]
            fn $method2(self, other: Self) -> Self {
                Self(pmull!(self.1, ($a2: uint64x2_t = self.0, $b2: uint64x2_t = other.0) -> uint64x2_t { $body2 }), self.1)
            }
        )*
    };
}

/// One lane.
#[derive(Clone, Copy)]
pub struct PmullLane(uint64x2_t, Pmull);

impl ClmulLanes for PmullLane {
    type Token = Pmull;
    const LANES: usize = 1;
    const FAST_PRODUCTS: bool = true;

    #[inline(always)]
    fn token(self) -> Pmull {
        self.1
    }
    #[inline(always)]
    fn zero(token: Pmull) -> Self {
        Self(pmull!(token, () -> uint64x2_t { vdupq_n_u64(0) }), token)
    }
    #[inline(always)]
    fn load<'a>(token: Pmull, lane: impl Fn(usize) -> &'a [u64; 2]) -> Self {
        let vector = pmull!(token, (limbs: &[u64; 2] = lane(0)) -> uint64x2_t {
            // SAFETY: the array is valid for reading 16 bytes.
            unsafe { vld1q_u64(limbs.as_ptr()) }
        });
        Self(vector, token)
    }
    #[inline(always)]
    fn load_low(token: Pmull, limb: impl Fn(usize) -> u64) -> Self {
        let vector = pmull!(token, (limb: u64 = limb(0)) -> uint64x2_t {
            vcombine_u64(vcreate_u64(limb), vcreate_u64(0))
        });
        Self(vector, token)
    }
    #[inline(always)]
    fn store(self, lane: usize, limbs: &mut [u64; 2]) {
        debug_assert_eq!(lane, 0);
        pmull!(self.1, (a: uint64x2_t = self.0, limbs: &mut [u64; 2] = limbs) -> () {
            // SAFETY: the array is valid for writing 16 bytes.
            unsafe { vst1q_u64(limbs.as_mut_ptr(), a) }
        });
    }
    #[inline(always)]
    fn low(self, lane: usize) -> u64 {
        debug_assert_eq!(lane, 0);
        pmull!(self.1, (a: uint64x2_t = self.0) -> u64 { vgetq_lane_u64::<0>(a) })
    }
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        let shifted = pmull!(self.1, (a: uint64x2_t = self.0, bits: u32 = bits) -> uint64x2_t {
            vshlq_u64(a, vdupq_n_s64(bits.into()))
        });
        Self(shifted, self.1)
    }
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        let shifted = pmull!(self.1, (a: uint64x2_t = self.0, bits: u32 = bits) -> uint64x2_t {
            vshlq_u64(a, vdupq_n_s64(-i64::from(bits)))
        });
        Self(shifted, self.1)
    }
    // Two products are two instructions.
    #[inline(always)]
    fn square(self) -> (Self, Self) {
        (self.mul_low(self), self.mul_high(self))
    }

    operations! {
        swap = |a| vextq_u64::<1>(a, a);
        low_to_high = |a| vextq_u64::<1>(vdupq_n_u64(0), a);
        high_to_low = |a| vextq_u64::<1>(a, vdupq_n_u64(0));
        ;
        xor = |a, b| veorq_u64(a, b);
        above = |a, b| vextq_u64::<1>(b, a);
        mul_low = |a, b| multiply_low(a, b);
        mul_high = |a, b| multiply_high(a, b);
    }
}

/// Returns the product of the low limbs.
#[cfg(target_arch = "aarch64")]
#[inline]
#[target_feature(enable = "neon,aes")]
fn multiply_low(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_p64(vgetq_lane_u64::<0>(a), vgetq_lane_u64::<0>(b)))
}

/// Returns the product of the high limbs.
#[cfg(target_arch = "aarch64")]
#[inline]
#[target_feature(enable = "neon,aes")]
fn multiply_high(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    vreinterpretq_u64_p128(vmull_high_p64(vreinterpretq_p64_u64(a), vreinterpretq_p64_u64(b)))
}

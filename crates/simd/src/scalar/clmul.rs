//! Carry-less multiplication with integer multiplications.

use super::Scalar;
use crate::clmul::{Clmul, ClmulLanes};

impl Clmul for Scalar {
    type One = ScalarLane;
    type Many = ScalarLane;
}

/// One lane in two integers.
#[derive(Clone, Copy)]
pub struct ScalarLane([u64; 2]);

/// Multiplies two polynomials of degree below 64 with 16 integer products. Each factor has every
/// fourth bit of an operand, so the products have a column at every fourth bit, and at most 15 bits
/// meet in a column. Their sum is at most 15: it fits into four bits and does not reach the next
/// column.
///
/// The method is Pornin's (BearSSL, "constant-time multiplication":
/// <https://www.bearssl.org/constanttime.html>), here with whole products of 128 bits. It runs in
/// constant time where integer multiplication does.
#[inline(never)]
fn multiply(a: u64, b: u64) -> [u64; 2] {
    const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
    // With sixteen bits in each factor, the middle column could reach 16. So the four highest bits
    // of `a` are multiplied separately.
    const LOW: u64 = (1 << 60) - 1;
    let (a0, a1) = (a & LOW & EVERY_FOURTH, a & LOW & EVERY_FOURTH << 1);
    let (a2, a3) = (a & LOW & EVERY_FOURTH << 2, a & LOW & EVERY_FOURTH << 3);
    let (b0, b1) = (b & EVERY_FOURTH, b & EVERY_FOURTH << 1);
    let (b2, b3) = (b & EVERY_FOURTH << 2, b & EVERY_FOURTH << 3);
    let times = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let columns_0 = times(a0, b0) ^ times(a1, b3) ^ times(a2, b2) ^ times(a3, b1);
    let columns_1 = times(a0, b1) ^ times(a1, b0) ^ times(a2, b3) ^ times(a3, b2);
    let columns_2 = times(a0, b2) ^ times(a1, b1) ^ times(a2, b0) ^ times(a3, b3);
    let columns_3 = times(a0, b3) ^ times(a1, b2) ^ times(a2, b1) ^ times(a3, b0);
    let mask = u128::from(EVERY_FOURTH) << 64 | u128::from(EVERY_FOURTH);
    let mut product = columns_0 & mask | columns_1 & mask << 1 | columns_2 & mask << 2 | columns_3 & mask << 3;
    product ^= u128::from(b & (a >> 60 & 1).wrapping_neg()) << 60;
    product ^= u128::from(b & (a >> 61 & 1).wrapping_neg()) << 61;
    product ^= u128::from(b & (a >> 62 & 1).wrapping_neg()) << 62;
    product ^= u128::from(b & (a >> 63 & 1).wrapping_neg()) << 63;
    [product as u64, (product >> 64) as u64]
}

/// Returns the square of a polynomial of degree below 32: puts a zero above each bit.
#[inline(always)]
fn spread(half: u64) -> u64 {
    let mut x = half & 0xffff_ffff;
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    x = (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    x = (x | x << 2) & 0x3333_3333_3333_3333;
    (x | x << 1) & 0x5555_5555_5555_5555
}

impl ClmulLanes for ScalarLane {
    type Token = Scalar;
    const LANES: usize = 1;
    const FAST_PRODUCTS: bool = false;

    #[inline(always)]
    fn token(self) -> Scalar {
        Scalar::new()
    }
    #[inline(always)]
    fn zero(_: Scalar) -> Self {
        Self([0; 2])
    }
    #[inline(always)]
    fn load<'a>(_: Scalar, lane: impl Fn(usize) -> &'a [u64; 2]) -> Self {
        Self(*lane(0))
    }
    #[inline(always)]
    fn load_low(_: Scalar, limb: impl Fn(usize) -> u64) -> Self {
        Self([limb(0), 0])
    }
    #[inline(always)]
    fn store(self, lane: usize, limbs: &mut [u64; 2]) {
        debug_assert_eq!(lane, 0);
        *limbs = self.0;
    }
    #[inline(always)]
    fn low(self, lane: usize) -> u64 {
        debug_assert_eq!(lane, 0);
        self.0[0]
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        Self([self.0[0] << bits, self.0[1] << bits])
    }
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        Self([self.0[0] >> bits, self.0[1] >> bits])
    }
    #[inline(always)]
    fn swap(self) -> Self {
        Self([self.0[1], self.0[0]])
    }
    #[inline(always)]
    fn low_to_high(self) -> Self {
        Self([0, self.0[0]])
    }
    #[inline(always)]
    fn high_to_low(self) -> Self {
        Self([self.0[1], 0])
    }
    #[inline(always)]
    fn above(self, below: Self) -> Self {
        Self([below.0[1], self.0[0]])
    }
    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        Self(multiply(self.0[0], other.0[0]))
    }
    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        Self(multiply(self.0[1], other.0[1]))
    }
    #[inline(always)]
    fn square(self) -> (Self, Self) {
        let [low, high] = self.0;
        (Self([spread(low), spread(low >> 32)]), Self([spread(high), spread(high >> 32)]))
    }
}

//! Carry-less multiplication, the capability for arithmetic over GF(2)[x].

use crate::token::Token;

/// A token together with its vectors for carry-less multiplication. The kernels of GF(2^n) are
/// generic over it.
///
/// ```
/// use sealane_simd::{Clmul, ClmulLanes, ClmulLevel, LevelList, dispatch_clmul};
///
/// /// Squares a polynomial over GF(2) of degree below 64.
/// #[inline(always)]
/// fn square<T: Clmul>(token: T, polynomial: u64) -> [u64; 2] {
///     let mut limbs = [0; 2];
///     let x = T::One::load_low(
///         token,
///         #[inline(always)]
///         |_| polynomial,
///     );
///     x.mul_low(x).store(0, &mut limbs);
///     limbs
/// }
///
/// // (x + 1)^2 = x^2 + 1
/// let level = ClmulLevel::detect();
/// assert_eq!(dispatch_clmul!(level, token => square(token, 0b11)), [0b101, 0]);
/// ```
pub trait Clmul: Token {
    /// One 128-bit lane, for computations in which each step waits for the previous one.
    type One: ClmulLanes<Token = Self>;
    /// The largest number of lanes, for many elements side by side.
    type Many: ClmulLanes<Token = Self>;
}

/// The largest number of lanes of any implementation of [`ClmulLanes`].
pub const MAX_CLMUL_LANES: usize = 4;

/// Polynomials over GF(2) of degree below 128, one in each 128-bit lane of a vector. Bit i of a
/// lane is the coefficient of x^i.
///
/// A lane is two limbs of 64 bits, the low one first. Operations work on each lane by itself.
pub trait ClmulLanes: Copy {
    /// The proof that the CPU has the instructions.
    type Token: Token;

    /// The number of lanes.
    const LANES: usize;
    /// Whether a product takes about as long as a few shifts and sums, as an instruction does.
    const FAST_PRODUCTS: bool;

    /// Returns the proof that the CPU has the instructions, which every vector holds.
    fn token(self) -> Self::Token;
    /// Returns zero.
    fn zero(token: Self::Token) -> Self;
    /// Loads lanes: lane i is `lane(i)`.
    fn load<'a>(token: Self::Token, lane: impl Fn(usize) -> &'a [u64; 2]) -> Self;
    /// Loads low limbs: the low limb of lane i is `limb(i)`, and the high one is zero.
    fn load_low(token: Self::Token, limb: impl Fn(usize) -> u64) -> Self;
    /// Stores one lane.
    fn store(self, lane: usize, limbs: &mut [u64; 2]);
    /// Returns the low limb of one lane.
    fn low(self, lane: usize) -> u64;

    /// Returns the sum.
    fn xor(self, other: Self) -> Self;
    /// Returns the limb-wise shift towards higher degrees by `bits`, which is below 64.
    fn shl(self, bits: u32) -> Self;
    /// Returns the limb-wise shift towards lower degrees by `bits`, which is below 64.
    fn shr(self, bits: u32) -> Self;
    /// Exchanges the limbs.
    fn swap(self) -> Self;
    /// Moves the low limb to the high one and clears the low one: multiplies by x^64, modulo x^128.
    fn low_to_high(self) -> Self;
    /// Moves the high limb to the low one and clears the high one: divides by x^64.
    fn high_to_low(self) -> Self;
    /// Returns lanes whose high limb is the low limb of `self`, and whose low limb is the high limb
    /// of `below`.
    fn above(self, below: Self) -> Self;
    /// Returns the product of the low limbs.
    fn mul_low(self, other: Self) -> Self;
    /// Returns the product of the high limbs.
    fn mul_high(self, other: Self) -> Self;
    /// Returns the squares of the low limb and of the high one.
    fn square(self) -> (Self, Self);
}

#[cfg(test)]
mod tests;

//! Shows how to write your own kernels on `sealane-simd`. They are written once, in safe code,
//! compiled for every instruction set, and chosen at run time.
//!
//! - [`Kernels::dot_product`] works on the vectors of [`Simd`], with [`dispatch!`].
//! - [`Kernels::multiply_polynomials`] works on carry-less products ([`Clmul`]), with
//!   [`dispatch_clmul!`]. It has a separate list of instruction sets, because a CPU may have only
//!   one of the two.
//!
//! The rule: every function from `dispatch!` to the vectors' operations is `#[inline(always)]`, and
//! so are closures. Otherwise a function is compiled without the features, and each operation in it
//! is a call.
//!
//! Only `sealane-simd` can define instruction sets, because kernels rely on a token's proof that
//! the CPU has them.
//!
//! ```
//! use user_kernel::Kernels;
//!
//! let kernels = Kernels::new(); // asks the CPU; keep it
//! assert_eq!(kernels.dot_product(&[1, 2, 3], &[4, 5, 6]), 32);
//!
//! // (x + 1)·(x + 1) = x^2 + 1
//! let mut product = [0; 2];
//! kernels.multiply_polynomials(&[0b11], &[0b11], &mut product);
//! assert_eq!(product, [0b101, 0]);
//! ```
#![forbid(unsafe_code)]

use sealane_simd::{
    Clmul, ClmulLanes, ClmulLevel, Level, LevelList, MAX_U64_LANES, Simd, U64Lanes, dispatch, dispatch_clmul,
};

/// The kernels, on instruction sets that this CPU has.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    level: Level,
    clmul: ClmulLevel,
}

impl Kernels {
    /// Chooses the widest instruction sets.
    #[must_use]
    pub fn new() -> Self {
        Self::on(Level::detect(), ClmulLevel::detect())
    }

    /// Uses the given instruction sets, such as those of [`LevelList::available`], for tests and
    /// measurements.
    #[must_use]
    pub fn on(level: Level, clmul: ClmulLevel) -> Self {
        Self { level, clmul }
    }

    /// Returns the sum of a(i)·b(i), modulo 2^64.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[must_use]
    pub fn dot_product(&self, a: &[u32], b: &[u32]) -> u64 {
        assert_eq!(a.len(), b.len(), "slices of different lengths");
        // The one branch on the CPU.
        dispatch!(self.level, token => dot_product(token, a, b))
    }

    /// Returns the product of two polynomials over GF(2). Bit i of limb j is the coefficient of
    /// x^(64 j + i).
    ///
    /// # Panics
    /// If `product` does not have as many limbs as `a` and `b` together.
    pub fn multiply_polynomials(&self, a: &[u64], b: &[u64], product: &mut [u64]) {
        assert_eq!(product.len(), a.len() + b.len(), "a product of another length");
        dispatch_clmul!(self.clmul, token => multiply_polynomials(token, a, b, product));
    }
}

impl Default for Kernels {
    fn default() -> Self {
        Self::new()
    }
}

/// Computes the dot product. The type of the token, `S`, determines the vectors, and its value
/// proves that the CPU has them.
#[inline(always)]
fn dot_product<S: Simd>(token: S, a: &[u32], b: &[u32]) -> u64 {
    let lanes = S::U64Lanes::LANES;
    let (a_chunks, b_chunks) = (a.chunks_exact(lanes), b.chunks_exact(lanes));
    let rest: u64 = products(a_chunks.remainder(), b_chunks.remainder());
    let mut sums = S::U64Lanes::splat(token, 0);
    for (a, b) in a_chunks.zip(b_chunks) {
        sums = sums.add(load(token, a).mul_low(load(token, b)));
    }
    sums.sum_lanes().wrapping_add(rest)
}

/// Loads one word into each lane.
#[inline(always)]
fn load<S: Simd>(token: S, words: &[u32]) -> S::U64Lanes {
    let mut lanes = [0; MAX_U64_LANES];
    for (lane, word) in lanes[..S::U64Lanes::LANES].iter_mut().zip(words) {
        *lane = u64::from(*word);
    }
    S::U64Lanes::from_lanes(token, &lanes)
}

/// Adds the products of the remaining elements, which do not fill a vector.
#[inline(always)]
fn products(a: &[u32], b: &[u32]) -> u64 {
    let mut sum = 0_u64;
    for (a, b) in a.iter().zip(b) {
        sum = sum.wrapping_add(u64::from(*a) * u64::from(*b));
    }
    sum
}

/// Multiplies each limb of `a` by each limb of `b`.
#[inline(always)]
fn multiply_polynomials<T: Clmul>(token: T, a: &[u64], b: &[u64], product: &mut [u64]) {
    let limb = |limb: u64| {
        T::One::load_low(
            token,
            #[inline(always)]
            |_| limb,
        )
    };
    product.fill(0);
    for (i, a) in a.iter().enumerate() {
        let a = limb(*a);
        for (j, b) in b.iter().enumerate() {
            let mut limbs = [0; 2];
            a.mul_low(limb(*b)).store(0, &mut limbs);
            product[i + j] ^= limbs[0];
            product[i + j + 1] ^= limbs[1];
        }
    }
}

//! The operations that all polynomials have, and the folds of a reduction.

use sealane_simd::ClmulLanes;

/// The a, b and c of x^n + x^a + x^b + x^c + 1. In a [`Poly`], all are below 32.
pub(in crate::gf2n) type Exponents = [u32; 3];

/// Elements of a field in vectors, one element in each lane.
pub trait Poly<V: ClmulLanes>: Copy {
    /// A product that has not been reduced.
    type Product: Copy;
    /// The number of 64-bit limbs that an element has in memory.
    const LIMBS: usize;

    /// Returns zero.
    fn zero(token: V::Token) -> Self;
    /// Loads each lane i from `lane(i)`, starting at limb `at`.
    fn load<'a>(token: V::Token, lane: impl Fn(usize) -> &'a [u64] + Copy, at: usize) -> Self;
    /// Stores a lane to `limbs`, starting at limb `at`.
    fn store(self, lane: usize, limbs: &mut [u64], at: usize);
    /// Returns the sum.
    fn xor(self, other: Self) -> Self;
    /// Returns the product.
    fn multiply(self, other: Self) -> Self::Product;
    /// Returns the square, which has no cross terms.
    fn square(self) -> Self::Product;
    /// Returns the sum of two products.
    fn xor_products(a: Self::Product, b: Self::Product) -> Self::Product;
    /// Reduces a product modulo x^BITS + x^a + x^b + x^c + 1.
    fn reduce<const BITS: u32>(product: Self::Product, exponents: Exponents) -> Self;
    /// Returns the reduced product. It may take more instructions than [`Poly::multiply`] and
    /// [`Poly::reduce`] if that makes a chain of products faster, in which each product is the
    /// `self` of the next.
    #[inline(always)]
    fn multiply_reduced<const BITS: u32>(self, other: Self, exponents: Exponents) -> Self {
        Self::reduce::<BITS>(self.multiply(other), exponents)
    }
}

/// Multiplies each limb of `x` by 1 + x^a + x^b + x^c. Bits shifted out of a limb are lost.
#[inline(always)]
pub(super) fn fold_limbs<V: ClmulLanes>(x: V, [a, b, c]: Exponents) -> V {
    x.xor(x.shl(a)).xor(x.shl(b).xor(x.shl(c)))
}

/// Returns the bits that [`fold_limbs`] shifts out of each limb.
#[inline(always)]
pub(super) fn carries<V: ClmulLanes>(x: V, [a, b, c]: Exponents) -> V {
    x.shr(64 - a).xor(x.shr(64 - b)).xor(x.shr(64 - c))
}

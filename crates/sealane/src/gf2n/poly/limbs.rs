//! Polynomials of one limb or three limbs, which do not fill whole blocks.

use sealane_simd::ClmulLanes;

use super::blocks::Block;
use super::reduction::{Exponents, Poly, carries, fold_limbs};

/// At most 64 coefficients, in the low limb. The high limb is ignored.
#[derive(Clone, Copy)]
pub struct Small<V>(V);

impl<V: ClmulLanes> Poly<V> for Small<V> {
    type Product = V;
    const LIMBS: usize = 1;

    #[inline(always)]
    fn zero(token: V::Token) -> Self {
        Self(V::zero(token))
    }
    #[inline(always)]
    fn load<'a>(token: V::Token, lane: impl Fn(usize) -> &'a [u64] + Copy, at: usize) -> Self {
        Self(V::load_low(
            token,
            #[inline(always)]
            |i| lane(i)[at],
        ))
    }
    #[inline(always)]
    fn store(self, lane: usize, limbs: &mut [u64], at: usize) {
        limbs[at] = self.0.low(lane);
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }
    #[inline(always)]
    fn multiply(self, other: Self) -> V {
        self.0.mul_low(other.0)
    }
    #[inline(always)]
    fn square(self) -> V {
        self.0.square().0
    }
    #[inline(always)]
    fn xor_products(a: V, b: V) -> V {
        a.xor(b)
    }
    #[inline(always)]
    fn reduce<const BITS: u32>(product: V, exponents: Exponents) -> Self {
        if BITS == 64 {
            let high = product.high_to_low();
            let high = high.xor(carries(high, exponents));
            return Self(product.xor(fold_limbs(high, exponents)));
        }
        // The whole product is in the low limb. The first fold leaves fewer than 7 bits from x^BITS
        // on, and the second leaves none.
        let mut x = product;
        for _ in 0..2 {
            let high = x.shr(BITS);
            x = x.xor(high.shl(BITS)).xor(fold_limbs(high, exponents));
        }
        Self(x)
    }
}

/// A polynomial with 192 coefficients, in three limbs. The high limb of the second vector is
/// ignored.
#[derive(Clone, Copy)]
pub struct Trio<V>(V, V);

impl<V: ClmulLanes> Poly<V> for Trio<V> {
    type Product = [V; 3];
    const LIMBS: usize = 3;

    #[inline(always)]
    fn zero(token: V::Token) -> Self {
        Self(V::zero(token), V::zero(token))
    }
    #[inline(always)]
    fn load<'a>(token: V::Token, lane: impl Fn(usize) -> &'a [u64] + Copy, at: usize) -> Self {
        Self(
            Block::load(token, lane, at).0,
            V::load_low(
                token,
                #[inline(always)]
                |i| lane(i)[at + 2],
            ),
        )
    }
    #[inline(always)]
    fn store(self, lane: usize, limbs: &mut [u64], at: usize) {
        Block(self.0).store(lane, limbs, at);
        limbs[at + 2] = self.1.low(lane);
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0), self.1.xor(other.1))
    }
    /// Multiplies limbs by Karatsuba's method.
    #[inline(always)]
    fn multiply(self, other: Self) -> [V; 3] {
        let (a, b) = (self, other);
        let (p0, p1, p2) = (a.0.mul_low(b.0), a.0.mul_high(b.0), a.1.mul_low(b.1));
        let (a_swapped, b_swapped) = (a.0.swap(), b.0.swap());
        let p01 = p0.xor(p1);
        let c1 = a.0.xor(a_swapped).mul_low(b.0.xor(b_swapped)).xor(p01);
        let c2 = a.0.xor(a.1).mul_low(b.0.xor(b.1)).xor(p01).xor(p2);
        let c3 = a_swapped.xor(a.1).mul_low(b_swapped.xor(b.1)).xor(p1.xor(p2));
        [p0.xor(c1.low_to_high()), c2.xor(c3.above(c1)), p2.xor(c3.high_to_low())]
    }
    #[inline(always)]
    fn square(self) -> [V; 3] {
        let (a, b) = self.0.square();
        [a, b, self.1.square().0]
    }
    #[inline(always)]
    fn xor_products(a: [V; 3], b: [V; 3]) -> [V; 3] {
        [a[0].xor(b[0]), a[1].xor(b[1]), a[2].xor(b[2])]
    }
    #[inline(always)]
    fn reduce<const BITS: u32>([p0, p1, p2]: [V; 3], exponents: Exponents) -> Self {
        let (x0, x1) = (p2.above(p1), p2.high_to_low());
        let (c0, c1) = (carries(x0, exponents), carries(x1, exponents));
        let x0 = x0.xor(c1);
        let low = p0.xor(fold_limbs(x0, exponents)).xor(c0.low_to_high());
        let high = p1.xor(fold_limbs(x1, exponents)).xor(c0.high_to_low());
        Self(low, high)
    }
}

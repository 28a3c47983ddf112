//! Polynomials of whole blocks of 128 bits.

use sealane_simd::{ClmulLanes, Token};

use super::reduction::{Exponents, Poly, carries, fold_limbs};

/// A polynomial of whole blocks.
pub trait Blocks<V: ClmulLanes>: Poly<V, Product = Double<Self>> {
    /// Returns the highest block.
    fn top(self) -> V;
    /// Does the same as [`Blocks::fold`] for a polynomial with no blocks below it, after adding
    /// `overflow`. `overflow` is too small to change the bits that leave a limb, so those bits are
    /// computed without waiting for it.
    fn fold_bottom(self, exponents: Exponents, overflow: V) -> (Self, V);
    /// Multiplies by 1 + x^a + x^b + x^c. `below` holds the bits that left the next lower block.
    /// Returns the product and the bits that leave the highest block.
    fn fold(self, exponents: Exponents, below: V) -> (Self, V);
}

/// A polynomial of two parts, such as the low and the high part of a product.
#[derive(Clone, Copy)]
pub struct Double<T>(T, T);

/// Reduces Lo + x^n·Hi ≡ Lo + (1 + x^a + x^b + x^c)·Hi. Fewer than 32 bits of the second term are
/// above x^n. Adding them to Hi first folds them in.
#[inline(always)]
fn reduce_blocks<V: ClmulLanes, T: Blocks<V>>(Double(low, high): Double<T>, exponents: Exponents) -> T {
    let overflow = carries(high.top(), exponents).high_to_low();
    low.xor(high.fold_bottom(exponents, overflow).0)
}

/// Implements the operations that work on each part by itself.
macro_rules! part_by_part {
    ($parts:literal: $($part:tt),*) => {
        const LIMBS: usize = $parts * T::LIMBS;

        #[inline(always)]
        fn zero(token: V::Token) -> Self {
            Self($({ let _ = $part; T::zero(token) }),*)
        }
        #[inline(always)]
        fn load<'a>(token: V::Token, lane: impl Fn(usize) -> &'a [u64] + Copy, at: usize) -> Self {
            Self($(T::load(token, lane, at + $part * T::LIMBS)),*)
        }
        #[inline(always)]
        fn store(self, lane: usize, limbs: &mut [u64], at: usize) {
            $(self.$part.store(lane, limbs, at + $part * T::LIMBS);)*
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            Self($(self.$part.xor(other.$part)),*)
        }
        #[inline(always)]
        fn xor_products(a: Double<Self>, b: Double<Self>) -> Double<Self> {
            xor_double::<V, Self>(a, b)
        }
        #[inline(always)]
        fn reduce<const BITS: u32>(product: Double<Self>, exponents: Exponents) -> Self {
            reduce_blocks(product, exponents)
        }
    };
}

#[inline(always)]
fn xor_double<V: ClmulLanes, T: Poly<V>>(a: Double<T>, b: Double<T>) -> Double<T> {
    Double(a.0.xor(b.0), a.1.xor(b.1))
}

/// A polynomial with 128 coefficients.
#[derive(Clone, Copy)]
pub struct Block<V>(pub(super) V);

impl<V: ClmulLanes> Poly<V> for Block<V> {
    type Product = Double<Self>;
    const LIMBS: usize = 2;

    #[inline(always)]
    fn zero(token: V::Token) -> Self {
        Self(V::zero(token))
    }
    #[inline(always)]
    fn load<'a>(token: V::Token, lane: impl Fn(usize) -> &'a [u64] + Copy, at: usize) -> Self {
        Self(V::load(
            token,
            #[inline(always)]
            |i| lane(i)[at..].first_chunk().expect("a block"),
        ))
    }
    #[inline(always)]
    fn store(self, lane: usize, limbs: &mut [u64], at: usize) {
        self.0.store(lane, limbs[at..].first_chunk_mut().expect("a block"));
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(self.0.xor(other.0))
    }
    #[inline(always)]
    fn multiply(self, other: Self) -> Double<Self> {
        let (a, b) = (self.0, other.0);
        let (low, high) = (a.mul_low(b), a.mul_high(b));
        let middle = a.xor(a.swap()).mul_low(b.xor(b.swap())).xor(low.xor(high));
        Double(Self(low.xor(middle.low_to_high())), Self(high.xor(middle.high_to_low())))
    }
    #[inline(always)]
    fn square(self) -> Double<Self> {
        let (low, high) = self.0.square();
        Double(Self(low), Self(high))
    }
    #[inline(always)]
    fn xor_products(a: Double<Self>, b: Double<Self>) -> Double<Self> {
        xor_double(a, b)
    }
    #[inline(always)]
    fn reduce<const BITS: u32>(product: Double<Self>, exponents: Exponents) -> Self {
        reduce_blocks(product, exponents)
    }
    /// If products are fast, multiplies the high limb of `self` by b·x^64, where b is `other`.
    /// b·x^64 is reduced without waiting for `self`. Only 64 bits of the sum of products are then
    /// above x^128, and one more product folds them in. From `self` to the result, the chain is two
    /// products and a few sums long, instead of a product and ten shifts and sums.
    #[inline(always)]
    fn multiply_reduced<const BITS: u32>(self, other: Self, exponents: Exponents) -> Self {
        if !V::FAST_PRODUCTS {
            return reduce_blocks(self.multiply(other), exponents);
        }
        let (a, b) = (self.0, other.0);
        // x^128, reduced.
        let fold = [exponents.iter().fold(1, |sum, exponent| sum | 1 << exponent); 2];
        let fold = V::load(
            a.token(),
            #[inline(always)]
            |_| &fold,
        );
        let raised = b.low_to_high().xor(b.mul_high(fold));
        let low = a.mul_low(b).xor(a.mul_high(raised.swap()));
        let middle = a.mul_low(b.swap()).xor(a.mul_high(raised));
        Self(low.xor(middle.low_to_high()).xor(middle.mul_high(fold)))
    }
}

impl<V: ClmulLanes> Blocks<V> for Block<V> {
    #[inline(always)]
    fn top(self) -> V {
        self.0
    }
    #[inline(always)]
    fn fold_bottom(self, exponents: Exponents, overflow: V) -> (Self, V) {
        let carries = carries(self.0, exponents);
        (Self(fold_limbs(self.0.xor(overflow), exponents).xor(carries.low_to_high())), carries)
    }
    #[inline(always)]
    fn fold(self, exponents: Exponents, below: V) -> (Self, V) {
        let carries = carries(self.0, exponents);
        (Self(fold_limbs(self.0, exponents).xor(carries.above(below))), carries)
    }
}

/// Products of halves with at least this many limbs are function calls. This limits the size of the
/// code: inlining them would give hundreds of multiply instructions in a row.
const OUTLINED_LIMBS: usize = 8;

#[inline(always)]
fn product_of_halves<V: ClmulLanes, T: Blocks<V>>(a: T, b: T) -> Double<T> {
    if T::LIMBS < OUTLINED_LIMBS { a.multiply(b) } else { outlined_product(a.top().token(), &a, &b) }
}

#[inline(never)]
fn outlined_product<V: ClmulLanes, T: Blocks<V>>(token: V::Token, a: &T, b: &T) -> Double<T> {
    token.enter(
        #[inline(always)]
        |_| a.multiply(*b),
    )
}

impl<V: ClmulLanes, T: Blocks<V>> Poly<V> for Double<T> {
    type Product = Double<Self>;

    part_by_part! { 2: 0, 1 }

    #[inline(always)]
    fn multiply(self, other: Self) -> Double<Self> {
        let Double(low0, low1) = product_of_halves(self.0, other.0);
        let Double(high0, high1) = product_of_halves(self.1, other.1);
        let Double(middle0, middle1) = product_of_halves(self.0.xor(self.1), other.0.xor(other.1));
        let inner = low1.xor(high0);
        Double(Double(low0, inner.xor(low0).xor(middle0)), Double(inner.xor(high1).xor(middle1), high1))
    }
    #[inline(always)]
    fn square(self) -> Double<Self> {
        Double(self.0.square(), self.1.square())
    }
}

impl<V: ClmulLanes, T: Blocks<V>> Blocks<V> for Double<T> {
    #[inline(always)]
    fn top(self) -> V {
        self.1.top()
    }
    #[inline(always)]
    fn fold_bottom(self, exponents: Exponents, overflow: V) -> (Self, V) {
        let (low, below) = self.0.fold_bottom(exponents, overflow);
        let (high, below) = self.1.fold(exponents, below);
        (Self(low, high), below)
    }
    #[inline(always)]
    fn fold(self, exponents: Exponents, below: V) -> (Self, V) {
        let (low, below) = self.0.fold(exponents, below);
        let (high, below) = self.1.fold(exponents, below);
        (Self(low, high), below)
    }
}

/// A polynomial of three parts.
#[derive(Clone, Copy)]
pub struct Triple<T>(T, T, T);

impl<V: ClmulLanes, T: Blocks<V>> Poly<V> for Triple<T> {
    type Product = Double<Self>;

    part_by_part! { 3: 0, 1, 2 }

    #[inline(always)]
    fn multiply(self, other: Self) -> Double<Self> {
        let (a, b) = (self, other);
        let (p0, p1, p2) = (a.0.multiply(b.0), a.1.multiply(b.1), a.2.multiply(b.2));
        let sums = |x: T, y: T, z: T, w: T| x.xor(y).multiply(z.xor(w));
        let p01 = xor_double(p0, p1);
        let c1 = xor_double(sums(a.0, a.1, b.0, b.1), p01);
        let c2 = xor_double(sums(a.0, a.2, b.0, b.2), xor_double(p01, p2));
        let c3 = xor_double(sums(a.1, a.2, b.1, b.2), xor_double(p1, p2));
        Double(Self(p0.0, p0.1.xor(c1.0), c1.1.xor(c2.0)), Self(c2.1.xor(c3.0), c3.1.xor(p2.0), p2.1))
    }
    #[inline(always)]
    fn square(self) -> Double<Self> {
        let (Double(a, b), Double(c, d), Double(e, f)) = (self.0.square(), self.1.square(), self.2.square());
        Double(Self(a, b, c), Self(d, e, f))
    }
}

impl<V: ClmulLanes, T: Blocks<V>> Blocks<V> for Triple<T> {
    #[inline(always)]
    fn top(self) -> V {
        self.2.top()
    }
    #[inline(always)]
    fn fold_bottom(self, exponents: Exponents, overflow: V) -> (Self, V) {
        let (low, below) = self.0.fold_bottom(exponents, overflow);
        let (middle, below) = self.1.fold(exponents, below);
        let (high, below) = self.2.fold(exponents, below);
        (Self(low, middle, high), below)
    }
    #[inline(always)]
    fn fold(self, exponents: Exponents, below: V) -> (Self, V) {
        let (low, below) = self.0.fold(exponents, below);
        let (middle, below) = self.1.fold(exponents, below);
        let (high, below) = self.2.fold(exponents, below);
        (Self(low, middle, high), below)
    }
}

//! Polynomials over GF(2) in registers: products by Karatsuba's method, and reduction.
//!
//! A polynomial is a structure of 128-bit blocks: halves of halves, or thirds. The algorithm has
//! the same recursion as the structure. All of it is straight-line code, and small polynomials
//! never leave the registers. Each lane of a vector holds a separate element.
//!
//! Schoolbook multiplication was not faster at any size (docs/performance.md).

use sealane_simd::{ClmulLanes, Token};

/// The a, b and c of x^n + x^a + x^b + x^c + 1. All are below 32.
pub(super) type Exponents = [u32; 3];

/// Elements of a field as vectors, reduced or not.
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
    /// Returns the square, which has no mixed terms.
    fn square(self) -> Self::Product;
    /// Returns the sum of two products.
    fn xor_products(a: Self::Product, b: Self::Product) -> Self::Product;
    /// Reduces a product modulo x^BITS + x^a + x^b + x^c + 1.
    fn reduce<const BITS: u32>(product: Self::Product, exponents: Exponents) -> Self;
}

/// Returns x + x·x^a + x·x^b + x·x^c, limb by limb. Bits shifted out of a limb are lost.
#[inline(always)]
fn fold_limbs<V: ClmulLanes>(x: V, [a, b, c]: Exponents) -> V {
    x.xor(x.shl(a)).xor(x.shl(b).xor(x.shl(c)))
}

/// Returns the bits that [`fold_limbs`] shifts out of each limb.
#[inline(always)]
fn carries<V: ClmulLanes>(x: V, [a, b, c]: Exponents) -> V {
    x.shr(64 - a).xor(x.shr(64 - b)).xor(x.shr(64 - c))
}

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
        // The whole product is in the low limb. The first fold can leave bits above x^BITS, fewer
        // than 7. The second one leaves none.
        let mut x = product;
        for _ in 0..2 {
            let high = x.shr(BITS);
            x = x.xor(high.shl(BITS)).xor(fold_limbs(high, exponents));
        }
        Self(x)
    }
}

/// A polynomial of whole blocks.
pub trait Blocks<V: ClmulLanes>: Poly<V, Product = Double<Self>> {
    /// Returns the highest block.
    fn top(self) -> V;
    /// Folds the lowest blocks as [`Blocks::fold`] does, and adds `overflow` first. `overflow` is
    /// too small to change the bits that leave a limb, so these are computed without waiting for
    /// it.
    fn fold_bottom(self, exponents: Exponents, overflow: V) -> (Self, V);
    /// Multiplies by 1 + x^a + x^b + x^c. `below` are the bits that left the next lower block.
    /// Returns the product and the bits that leave the highest block.
    fn fold(self, exponents: Exponents, below: V) -> (Self, V);
}

/// A polynomial of two parts, such as the low and the high part of a product.
#[derive(Clone, Copy)]
pub struct Double<T>(T, T);

/// Reduces Lo + x^n·Hi ≡ Lo + (1 + x^a + x^b + x^c)·Hi. The part of the result above x^n is shorter
/// than 32 bits. Adding it to Hi folds it in.
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

/// 128 coefficients.
#[derive(Clone, Copy)]
pub struct Block<V>(V);

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

/// Products of halves with at least this many limbs are calls. Inlining them would give hundreds of
/// products in a row.
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

/// 192 coefficients: three limbs. The high limb of the second vector is ignored.
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

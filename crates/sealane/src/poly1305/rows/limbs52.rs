//! Elements in three limbs of 44, 44 and 42 bits plus small carries, for instructions that multiply
//! numbers of 52 bits and add one half of the product to a sum (AVX-512 IFMA).
//!
//! A product of limbs has a low and a high half of 52 bits, which are summed separately. The high
//! half is worth 2^52 = 2^8 · 2^44, so it belongs to the next limb, shifted by 8.
//!
//! Sums stay below 2^64: limbs of a factor are below 2^45, 20 times them below 2^50, and limbs of a
//! row or sum below 2^46. Four rows of three products each have low halves below 12 · 2^52 < 2^56,
//! and high halves below 12 · 2^44 < 2^48.

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::limbs::Limbs;
use crate::poly1305::field::{Element, LIMB_44};

/// Elements in three limbs of 44, 44 and 42 bits: see the module's comment.
#[derive(Clone, Copy)]
pub(in crate::poly1305) struct Limbs52<W>(pub(in crate::poly1305) [W; 3]);

/// A factor in three limbs below 2^45, and 20 times the limbs that wrap around, because 2^132 = 4 ·
/// 2^130 = 20 modulo p.
#[derive(Clone, Copy)]
pub(in crate::poly1305) struct Factor<W> {
    limbs: [W; 3],
    /// 20 times limbs 1 and 2.
    times_20: [W; 2],
}

/// Sums of the low and of the high halves of products, by limb.
pub(in crate::poly1305) struct Products<W> {
    low: [W; 3],
    high: [W; 3],
}

impl<W: U64Lanes> Factor<W> {
    /// Returns the factor 0.
    #[inline(always)]
    pub(in crate::poly1305) fn zero(zero: W) -> Self {
        Self { limbs: [zero; 3], times_20: [zero; 2] }
    }

    /// Returns all vectors in memory.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(super) fn to_lanes(self) -> [[u64; MAX_U64_LANES]; 5] {
        let ([a, b, c], [d, e]) = (self.limbs, self.times_20);
        [a.to_lanes(), b.to_lanes(), c.to_lanes(), d.to_lanes(), e.to_lanes()]
    }

    /// Reads what [`Self::to_lanes`] returned.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(super) fn from_lanes(token: W::Token, lanes: &[[u64; MAX_U64_LANES]; 5]) -> Self {
        let vector = |i: usize| W::from_lanes(token, &lanes[i]);
        Self { limbs: [vector(0), vector(1), vector(2)], times_20: [vector(3), vector(4)] }
    }
}

impl<W: U64Lanes> Limbs52<W> {
    /// Selects lanes: see [`U64Lanes::select_lanes`].
    #[inline(always)]
    pub(super) fn select_lanes(
        self,
        token: W::Token,
        Self([h0, h1, h2]): Self,
        indices: &[u64; MAX_U64_LANES],
    ) -> Self {
        let select = |a: W, b| a.select_lanes(token, b, indices);
        Self([select(self.0[0], h0), select(self.0[1], h1), select(self.0[2], h2)])
    }
}

impl<W: U64Lanes> Limbs for Limbs52<W> {
    type Lanes = W;
    type Factor = Factor<W>;
    type Products = Products<W>;
    const BIT_128: u32 = 40;

    #[inline(always)]
    fn zero(token: W::Token) -> Self {
        Self([W::splat(token, 0); 3])
    }

    #[inline(always)]
    fn of_elements<const N: usize>(_: W::Token, elements: &[Element; N], place: impl Fn([u64; N]) -> W) -> Self {
        // Split on integers: the multiplications there wait for each other, which leaves time for
        // this.
        let limbs = elements.map(
            #[inline(always)]
            |element| element.limbs_44(),
        );
        let limb = |k: usize| place(limbs.map(|limbs| limbs[k]));
        Self([limb(0), limb(1), limb(2)])
    }

    #[inline(always)]
    fn of_words(token: W::Token, low: W, high: W, top: W) -> Self {
        Self::of_blocks(token, low, high, top.shl::<40>())
    }

    #[inline(always)]
    fn of_blocks(token: W::Token, low: W, high: W, top: W) -> Self {
        let limb = W::splat(token, LIMB_44);
        Self([low.and(limb), low.shr::<44>().or(high.shl::<20>()).and(limb), high.shr::<24>().or(top)])
    }

    #[inline(always)]
    fn add(self, Self([h0, h1, h2]): Self) -> Self {
        Self([self.0[0].add(h0), self.0[1].add(h1), self.0[2].add(h2)])
    }

    #[inline(always)]
    fn masked_or_one(self, mask: W, ones: W) -> Self {
        let [h0, h1, h2] = self.0;
        Self([h0.and(mask).or(ones), h1.and(mask), h2.and(mask)])
    }

    #[inline(always)]
    fn factor(self) -> Factor<W> {
        // Opaque, because compilers combine both shifts into one multiplication, which takes 15
        // cycles on Intel's CPUs.
        let times_20 = |limb: W| limb.shl::<4>().opaque().add(limb.shl::<2>());
        Factor { limbs: self.0, times_20: [times_20(self.0[1]), times_20(self.0[2])] }
    }

    #[inline(always)]
    fn no_products(token: W::Token) -> Products<W> {
        let zero = W::splat(token, 0);
        Products { low: [zero; 3], high: [zero; 3] }
    }

    #[inline(always)]
    fn add_product(self, token: W::Token, mut products: Products<W>, factor: &Factor<W>) -> Products<W> {
        for (i, h) in self.0.iter().enumerate() {
            for j in 0..3 {
                let (k, factor) =
                    if i + j < 3 { (i + j, factor.limbs[j]) } else { (i + j - 3, factor.times_20[j - 1]) };
                products.low[k] = token.add_low_52(products.low[k], *h, factor);
                products.high[k] = token.add_high_52(products.high[k], *h, factor);
            }
        }
        products
    }

    /// Carries to limbs of at most 44, 44 and 42 bits plus a carry of up to 2^16.
    #[inline(always)]
    fn carry(token: W::Token, Products { low, high }: Products<W>) -> Self {
        let (limb, top) = (W::splat(token, LIMB_44), W::splat(token, (1 << 42) - 1));
        let (l0, l1, l2) = (low[0], low[1].add(high[0].shl::<8>()), low[2].add(high[1].shl::<8>()));
        // All limbs are carried at once; bits above 2^130 = 2^88 2^42 count five times.
        let above = l2.shr::<42>().add(high[2].shl::<10>());
        let h0 = l0.and(limb).add(above.shl::<2>()).add(above);
        let h1 = l1.and(limb).add(l0.shr::<44>());
        let h2 = l2.and(top).add(l1.shr::<44>());
        Self([h0.and(limb), h1.add(h0.shr::<44>()), h2])
    }

    /// Adds up all lanes, without carries: the sums stay below 2^60.
    #[inline(always)]
    fn sum_of_lanes(Products { low, high }: Products<W>) -> Element {
        let l0 = low[0].add(high[2].shl::<10>()).add(high[2].shl::<12>());
        let l1 = low[1].add(high[0].shl::<8>());
        let l2 = low[2].add(high[1].shl::<8>());
        Element::from_limbs_44([l0.sum_lanes(), l1.sum_lanes(), l2.sum_lanes()])
    }
}

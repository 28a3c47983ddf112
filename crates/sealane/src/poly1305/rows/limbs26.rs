//! Elements in five limbs of 26 bits plus small carries, for instructions that multiply numbers of
//! 32 bits.
//!
//! Sums stay below 2^64: limbs of a factor are below 2^26 + 2^17, five times them below 2^28.4, and
//! limbs of a row or sum below 2^27.1. Two rows of five products each are below 10 · 2^55.5 <
//! 2^58.9, and the sum of eight lanes with one row each is below 40 · 2^55.5 < 2^60.9.

use sealane_simd::U64Lanes;

use super::limbs::Limbs;
use crate::poly1305::field::Element;
use crate::poly1305::limbs26::{carry, limbs};

/// Elements in five limbs of 26 bits: see the module's comment.
#[derive(Clone, Copy)]
pub(in crate::poly1305) struct Limbs26<W>(pub(in crate::poly1305) [W; 5]);

/// A factor, and five times its limbs, because 2^130 = 5 modulo p.
#[derive(Clone, Copy)]
pub(in crate::poly1305) struct Factor<W> {
    limbs: [W; 5],
    /// Five times limbs 1 to 4.
    times_5: [W; 4],
}

/// Adds the product of limb i of `$h` and limb j of a factor to limb k of `$sum`, for each pair of
/// i and k. This is not a loop, because compilers do not unroll larger loops, and then keep all
/// limbs in memory.
macro_rules! add_products {
    ($sum:ident, $h:ident, $factors:ident[$j:literal]: $($i:literal $k:literal),*) => {
        // Opaque here: see `U64Lanes::opaque`.
        let factor = $factors[$j].opaque();
        $($sum[$k] = $sum[$k].add($h[$i].mul_low(factor));)*
    };
}

impl<W: U64Lanes> Limbs for Limbs26<W> {
    type Lanes = W;
    type Factor = Factor<W>;
    type Products = [W; 5];
    const BIT_128: u32 = 24;

    #[inline(always)]
    fn zero(token: W::Token) -> Self {
        Self([W::splat(token, 0); 5])
    }

    #[inline(always)]
    fn of_elements<const N: usize>(token: W::Token, elements: &[Element; N], place: impl Fn([u64; N]) -> W) -> Self {
        let word = |k: usize| place(elements.map(|element| element.0[k]));
        Self::of_words(token, word(0), word(1), word(2))
    }

    #[inline(always)]
    fn of_words(token: W::Token, low: W, high: W, top: W) -> Self {
        Self::of_blocks(token, low, high, top.shl::<24>())
    }

    #[inline(always)]
    fn of_blocks(token: W::Token, low: W, high: W, top: W) -> Self {
        let [h0, h1, h2, h3, h4] = limbs(token, low, high);
        Self([h0, h1, h2, h3, h4.or(top)])
    }

    #[inline(always)]
    fn add(self, Self([h0, h1, h2, h3, h4]): Self) -> Self {
        let [g0, g1, g2, g3, g4] = self.0;
        Self([g0.add(h0), g1.add(h1), g2.add(h2), g3.add(h3), g4.add(h4)])
    }

    #[inline(always)]
    fn masked_or_one(self, mask: W, ones: W) -> Self {
        let [h0, h1, h2, h3, h4] = self.0;
        Self([h0.and(mask).or(ones), h1.and(mask), h2.and(mask), h3.and(mask), h4.and(mask)])
    }

    #[inline(always)]
    fn factor(self) -> Factor<W> {
        // Opaque, because the compiler would turn the shifts into multiplications.
        let [_, h1, h2, h3, h4] = self.0;
        let times_5 = |limb: W| limb.add(limb.shl::<2>()).opaque();
        Factor { limbs: self.0, times_5: [times_5(h1), times_5(h2), times_5(h3), times_5(h4)] }
    }

    #[inline(always)]
    fn no_products(token: W::Token) -> [W; 5] {
        [W::splat(token, 0); 5]
    }

    #[inline(always)]
    fn add_product(self, _: W::Token, mut sum: [W; 5], factor: &Factor<W>) -> [W; 5] {
        let [h0, h1, h2, h3, h4] = self.0;
        let h = [h0.opaque(), h1.opaque(), h2.opaque(), h3.opaque(), h4.opaque()];
        let Factor { limbs: f, times_5: f_5 } = factor;
        // Factor by factor, so that not all of them are in registers at once.
        add_products!(sum, h, f[0]: 0 0, 1 1, 2 2, 3 3, 4 4);
        add_products!(sum, h, f[1]: 0 1, 1 2, 2 3, 3 4);
        add_products!(sum, h, f_5[0]: 4 0);
        add_products!(sum, h, f[2]: 0 2, 1 3, 2 4);
        add_products!(sum, h, f_5[1]: 3 0, 4 1);
        add_products!(sum, h, f[3]: 0 3, 1 4);
        add_products!(sum, h, f_5[2]: 2 0, 3 1, 4 2);
        add_products!(sum, h, f[4]: 0 4);
        add_products!(sum, h, f_5[3]: 1 0, 2 1, 3 2, 4 3);
        sum
    }

    #[inline(always)]
    fn carry(token: W::Token, products: [W; 5]) -> Self {
        Self(carry(token, products))
    }

    #[inline(always)]
    fn sum_of_lanes([h0, h1, h2, h3, h4]: [W; 5]) -> Element {
        Element::from_limbs([h0.sum_lanes(), h1.sum_lanes(), h2.sum_lanes(), h3.sum_lanes(), h4.sum_lanes()])
    }
}

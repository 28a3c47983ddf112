//! Numbers modulo p = 2^130 - 5 in 64-bit limbs, partly reduced, and their conversion to limbs of
//! 26 and 44 bits for vectors.
//!
//! The arithmetic is a macro over the type of a [`Limb`], so that the tests in `bounds` can run it
//! on the largest values of all limbs. A generic implementation takes up to 2 % more instructions
//! to seal short messages.

use sealane_simd::Word;

/// The low 26 bits.
pub(super) const LIMB: u64 = (1 << 26) - 1;

/// The low 44 bits.
pub(super) const LIMB_44: u64 = (1 << 44) - 1;

/// A limb of 64 bits: a `u64`, or in tests the upper bound of a `u64`. No sum, product or shift to
/// the left may overflow.
pub(super) trait Limb: Sized {
    /// A number of 128 bits.
    type Double;

    /// Returns `self * other` in 128 bits.
    fn product(self, other: Self) -> Self::Double;
    /// Returns the low 64 bits.
    fn low(double: Self::Double) -> Self;
    /// Converts a number that has at most 64 bits.
    fn narrow(double: Self::Double) -> Self;
    /// Returns `low + 2^64 high + addend` modulo 2^128, in two halves, and the carry.
    fn add_with_carry(low: Self, high: Self, addend: Self) -> (Self, Self, Self);
}

impl Limb for u64 {
    type Double = u128;

    #[inline(always)]
    fn product(self, other: Self) -> u128 {
        u128::from(self) * u128::from(other)
    }
    #[inline(always)]
    fn low(double: u128) -> Self {
        double as Self
    }
    #[inline(always)]
    fn narrow(double: u128) -> Self {
        double as Self
    }
    #[inline(always)]
    fn add_with_carry(low: Self, high: Self, addend: Self) -> (Self, Self, Self) {
        // Computed in 128 bits, which compilers turn into one chain of carries.
        let (sum, carry) = (u128::from(low) | u128::from(high) << 64).overflowing_add(u128::from(addend));
        (sum as Self, (sum >> 64) as Self, Self::from(carry))
    }
}

/// `limbs[0] + 2^64 limbs[1] + 2^128 limbs[2]`, below 2^131: the last limb is less than 8.
#[derive(Clone, Copy, Default)]
pub(crate) struct Element(pub(super) [u64; 3]);

/// The multiplier r: clamped (RFC 8439, section 2.5), so that sums of products with it do not
/// overflow.
#[derive(Clone, Copy, Default)]
pub(crate) struct Multiplier {
    r0: u64,
    r1: u64,
    /// `5 r1 / 4`, which replaces `r1` in products that are worth 2^128 or more, because 2^130 = 5
    /// modulo p. `r1` is divisible by 4.
    s1: u64,
}

impl Multiplier {
    /// Clamps the first 16 bytes of a key, as two words.
    pub(super) fn clamp([r0, r1]: [u64; 2]) -> Self {
        let (r0, r1) = (r0 & 0x0fff_fffc_0fff_ffff, r1 & 0x0fff_fffc_0fff_fffc);
        Self { r0, r1, s1: r1 + (r1 >> 2) }
    }

    /// Returns r0, r1 and s1.
    #[inline(always)]
    pub(super) fn words(self) -> [u64; 3] {
        [self.r0, self.r1, self.s1]
    }

    /// Returns r, loaded word by word. If words were just stored one by one, a vector load of them
    /// would have to wait for the stores.
    #[inline(always)]
    pub(super) fn loaded(&self) -> Self {
        Self { r0: self.r0.opaque(), r1: self.r1.opaque(), s1: self.s1.opaque() }
    }

    /// Returns r as an element.
    pub(super) fn element(self) -> Element {
        Element([self.r0, self.r1, 0])
    }

    /// Returns r^exponent, for an exponent that is not secret and not 0.
    #[inline(always)]
    pub(super) fn power(self, exponent: usize) -> Element {
        let mut power = self.element();
        // For each bit below the highest one, from the left.
        for bit in (0..exponent.ilog2()).rev() {
            power = power.multiply_full(power);
            if exponent >> bit & 1 == 1 {
                power = power.multiply(self);
            }
        }
        power
    }

    pub(super) fn wipe(&mut self) {
        crate::wipe::wipe(core::slice::from_mut(self));
    }
}

impl Multiplier {
    /// Returns the multiplier with these [`Multiplier::words`].
    #[inline(always)]
    pub(super) fn from_words([r0, r1, s1]: [u64; 3]) -> Self {
        Self { r0, r1, s1 }
    }
}

impl Element {
    /// Returns `self + block + 2^128 high_bit`. The last limb grows by at most 2.
    #[inline(always)]
    pub(super) fn add_block(self, block: &[u8; 16], high_bit: u64) -> Self {
        let block = u128::from_le_bytes(*block);
        self.add(Self([block as u64, (block >> 64) as u64, high_bit]))
    }

    /// Returns `-self` modulo p. The last limb of `self` must be at most 4. The last limb of the
    /// result is at most 7.
    pub(super) fn negate(self) -> Self {
        // 2p - self, where 2p = 2^131 - 10 and self is below 5 · 2^128.
        let [h0, h1, h2] = self.0;
        let low = u128::MAX - 9;
        let (low, borrow) = low.overflowing_sub(u128::from(h0) | u128::from(h1) << 64);
        Self([low as u64, (low >> 64) as u64, 7 - h2 - u64::from(borrow)])
    }

    /// Returns the element, loaded word by word like [`Multiplier::loaded`].
    #[inline(always)]
    pub(super) fn loaded(&self) -> Self {
        Self([self.0[0].opaque(), self.0[1].opaque(), self.0[2].opaque()])
    }

    /// Returns three limbs: two of 44 bits, and a last one of up to 43 bits.
    #[inline(always)]
    pub(super) fn limbs_44(self) -> [u64; 3] {
        let [h0, h1, h2] = self.0;
        [h0 & LIMB_44, ((h0 >> 44) | (h1 << 20)) & LIMB_44, (h1 >> 24) | (h2 << 40)]
    }

    /// Returns five limbs: four of 26 bits, and a last one of up to 27 bits.
    #[inline(always)]
    pub(super) fn limbs(self) -> [u64; 5] {
        let [h0, h1, h2] = self.0;
        [h0 & LIMB, (h0 >> 26) & LIMB, ((h0 >> 52) | (h1 << 12)) & LIMB, (h1 >> 14) & LIMB, (h1 >> 40) | (h2 << 24)]
    }

    /// Returns the product of two elements, partly reduced as by [`Element::fold`]. It is for the
    /// few products that prepare powers of r, which, unlike r, are not clamped. Both last limbs
    /// must be below 8.
    #[inline(always)]
    pub(super) fn multiply_full(self, other: Self) -> Self {
        Self::multiply_limbs_44(self.limbs_44(), other.limbs_44())
    }

    /// Returns `(self mod p) + s` modulo 2^128.
    pub(super) fn finish(self, s: u128) -> [u8; 16] {
        let [h0, h1, h2] = Self::fold(self.0[0], self.0[1], self.0[2]).0;
        // self is below 2p now. It is at least p if adding 5 carries out of bit 130. In that case,
        // the sum without the carry is `self mod p`.
        let (g0, carry) = h0.overflowing_add(5);
        let (g1, carry) = h1.overflowing_add(u64::from(carry));
        let g2 = h2 + u64::from(carry);
        let mask = (g2 >> 2).wrapping_neg();
        let low = (h0 & !mask) | (g0 & mask);
        let high = (h1 & !mask) | (g1 & mask);
        (u128::from(low) | (u128::from(high) << 64)).wrapping_add(s).to_le_bytes()
    }
}

/// Arithmetic modulo p for one type of limbs, elements and multipliers.
macro_rules! arithmetic {
    ($element:ident, $multiplier:ident, $limb:ty) => {
        impl $element {
            /// Returns the sum, not reduced: the last limb is the sum of both last limbs and a
            /// carry.
            #[inline(always)]
            pub(super) fn add(self, other: Self) -> Self {
                let double = <$limb as Limb>::Double::from;
                let sum0 = double(self.0[0]) + double(other.0[0]);
                let sum1 = double(self.0[1]) + double(other.0[1]) + (sum0 >> 64);
                Self([<$limb>::low(sum0), <$limb>::low(sum1), self.0[2] + other.0[2] + <$limb>::narrow(sum1 >> 64)])
            }

            /// Returns the sum, partly reduced as by [`Element::fold`].
            #[inline(always)]
            pub(super) fn add_folded(self, other: Self) -> Self {
                let [h0, h1, h2] = self.add(other).0;
                Self::fold(h0, h1, h2)
            }

            /// Returns the product with r, partly reduced: the last limb is at most 4. `self`'s
            /// last limb must be at most 10.
            #[inline(always)]
            pub(super) fn multiply(self, r: $multiplier) -> Self {
                let double = <$limb as Limb>::Double::from;
                let [h0, h1, h2] = self.0;
                // 2^128 r1 = 2^130 (r1 / 4) = 5 r1 / 4 modulo p. No sum overflows: r0 and r1 are
                // below 2^60, s1 below 5/4 of that, and h2 at most 10.
                let d0 = h0.product(r.r0) + h1.product(r.s1);
                let carry = <$limb>::narrow(d0 >> 64) + h2 * r.s1;
                let d1 = h0.product(r.r1) + h1.product(r.r0) + double(carry);
                let d2 = h2 * r.r0 + <$limb>::narrow(d1 >> 64);
                Self::fold(<$limb>::low(d0), <$limb>::low(d1), d2)
            }

            /// Returns the product of two numbers in limbs of 44, 44 and 43 bits, partly reduced as
            /// by [`Element::fold`].
            #[inline(always)]
            pub(super) fn multiply_limbs_44([a0, a1, a2]: [$limb; 3], [b0, b1, b2]: [$limb; 3]) -> Self {
                // 2^132 = 20 modulo p. The sums are below 3 · 2^(45 + 50) and do not overflow.
                let double = <$limb as Limb>::Double::from;
                let (twenty, mask, top) =
                    (<$limb>::from(20_u64), <$limb>::from(LIMB_44), <$limb>::from((1_u64 << 40) - 1));
                let d0 = a0.product(b0) + a1.product(twenty * b2) + a2.product(twenty * b1);
                let d1 = a0.product(b1) + a1.product(b0) + a2.product(twenty * b2) + (d0 >> 44);
                let d2 = a0.product(b2) + a1.product(b1) + a2.product(b0) + (d1 >> 44);
                let (l0, l1) = (<$limb>::low(d0) & mask, <$limb>::low(d1) & mask);
                let low = double(l0) + (double(l1) << 44) + ((d2 & double(top)) << 88);
                Self::fold(<$limb>::low(low), <$limb>::narrow(low >> 64), <$limb>::narrow(d2 >> 40))
            }

            /// Folds the bits above bit 130 once. `h2` must be below 2^63.6. The last limb becomes
            /// at most 4, and 4 only beside a middle limb of 0.
            #[inline(always)]
            fn fold(h0: $limb, h1: $limb, h2: $limb) -> Self {
                let above = (h2 >> 2) + (h2 & <$limb>::from(!3_u64)); // 5 (h2 / 4)
                let (low, high, carry) = <$limb>::add_with_carry(h0, h1, above);
                Self([low, high, (h2 & <$limb>::from(3_u64)) + carry])
            }

            /// Returns the element with five limbs of up to 61 bits, where limb i has the weight
            /// 2^(26i).
            pub(super) fn from_limbs(limbs: [$limb; 5]) -> Self {
                let double = <$limb as Limb>::Double::from;
                let low = double(limbs[0]) + (double(limbs[1]) << 26) + (double(limbs[2]) << 52);
                let high = (low >> 64) + (double(limbs[3]) << 14) + (double(limbs[4]) << 40);
                Self::fold(<$limb>::low(low), <$limb>::low(high), <$limb>::narrow(high >> 64))
            }

            /// Returns the element with three limbs of up to 60 bits, where limb i has the weight
            /// 2^(44i).
            pub(super) fn from_limbs_44(limbs: [$limb; 3]) -> Self {
                let double = <$limb as Limb>::Double::from;
                let low = double(limbs[0]) + (double(limbs[1]) << 44);
                let high = (low >> 64) + (double(limbs[2]) << 24);
                Self::fold(<$limb>::low(low), <$limb>::low(high), <$limb>::narrow(high >> 64))
            }
        }
    };
}
#[cfg(all(test, not(any(target_arch = "aarch64", target_arch = "arm"))))]
pub(super) use arithmetic;

arithmetic!(Element, Multiplier, u64);

//! Numbers modulo p = 2^130 - 5 in 64-bit limbs, partly reduced, and their 26-bit limbs for vectors.

/// The low 26 bits.
pub(super) const LIMB: u64 = (1 << 26) - 1;

/// The low 44 bits.
pub(super) const LIMB_44: u64 = (1 << 44) - 1;

/// `limbs[0] + 2^64 limbs[1] + 2^128 limbs[2]`, below 2^131: the last limb is less than 8.
#[derive(Clone, Copy, Default)]
pub(crate) struct Element(pub(super) [u64; 3]);

/// The multiplier r: clamped (RFC 8439, section 2.5), so that both products below fit.
#[derive(Clone, Copy, Default)]
pub(crate) struct Multiplier {
    r0: u64,
    r1: u64,
    /// `5 r1 / 4`: what a carry out of bit 130 multiplies `r1` with. `r1` is divisible by 4.
    s1: u64,
}

impl Multiplier {
    /// Clamps the first 16 bytes of a key.
    pub(super) fn clamp(bytes: &[u8; 16]) -> Self {
        let r = u128::from_le_bytes(*bytes) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
        let (r0, r1) = (r as u64, (r >> 64) as u64);
        Self { r0, r1, s1: r1 + (r1 >> 2) }
    }

    /// r0, r1 and s1.
    #[inline(always)]
    pub(super) fn words(self) -> [u64; 3] {
        [self.r0, self.r1, self.s1]
    }

    /// The multiplier of these [`Multiplier::words`].
    #[inline(always)]
    pub(super) fn from_words([r0, r1, s1]: [u64; 3]) -> Self {
        Self { r0, r1, s1 }
    }

    /// r as an element.
    pub(super) fn element(self) -> Element {
        Element([self.r0, self.r1, 0])
    }

    /// r^exponent, for an exponent that is no secret and not 0.
    #[inline(always)]
    pub(super) fn power(self, exponent: usize) -> Element {
        let mut power = self.element();
        // The bits below the highest, from the left.
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

/// `a * b` in 128 bits.
#[inline(always)]
fn product(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

impl Element {
    /// `self + block + 2^128 high_bit`. The last limb grows by at most 2.
    #[inline(always)]
    pub(super) fn add_block(self, block: &[u8; 16], high_bit: u64) -> Self {
        let block = u128::from_le_bytes(*block);
        self.add(Self([block as u64, (block >> 64) as u64, high_bit]))
    }

    /// The sum, not reduced: the last limb is the sum of both last limbs and a carry.
    #[inline(always)]
    pub(super) fn add(self, other: Self) -> Self {
        let sum0 = u128::from(self.0[0]) + u128::from(other.0[0]);
        let sum1 = u128::from(self.0[1]) + u128::from(other.0[1]) + (sum0 >> 64);
        Self([sum0 as u64, sum1 as u64, self.0[2] + other.0[2] + (sum1 >> 64) as u64])
    }

    /// The sum, partly reduced as by [`Element::fold`].
    #[inline(always)]
    pub(super) fn add_folded(self, other: Self) -> Self {
        let [h0, h1, h2] = self.add(other).0;
        Self::fold(h0, h1, h2)
    }

    /// The product with r, partly reduced: the last limb is at most 4. `self`'s last limb must be at most 10.
    #[inline(always)]
    pub(super) fn multiply(self, r: Multiplier) -> Self {
        let [h0, h1, h2] = self.0;
        // 2^128 r1 = 2^130 (r1 / 4) = 5 r1 / 4 modulo p. No sum overflows: r0 and r1 are below 2^60, s1 below 5/4 of that, and
        // h2 at most 10.
        let d0 = product(h0, r.r0) + product(h1, r.s1);
        let carry = (d0 >> 64) as u64 + h2 * r.s1;
        let d1 = product(h0, r.r1) + product(h1, r.r0) + u128::from(carry);
        let d2 = h2 * r.r0 + (d1 >> 64) as u64;
        Self::fold(d0 as u64, d1 as u64, d2)
    }

    /// The product of two elements, partly reduced as by [`Element::fold`]: for the few that prepare powers of r, which are
    /// not clamped. Both last limbs must be below 8.
    #[inline(always)]
    pub(super) fn multiply_full(self, other: Self) -> Self {
        // Limbs of 44, 44 and 43 bits; 2^132 = 20. The sums are below 3 · 2^(45 + 50) and do not overflow.
        let ([a0, a1, a2], [b0, b1, b2]) = (self.limbs_44(), other.limbs_44());
        let d0 = product(a0, b0) + product(a1, 20 * b2) + product(a2, 20 * b1);
        let d1 = product(a0, b1) + product(a1, b0) + product(a2, 20 * b2) + (d0 >> 44);
        let d2 = product(a0, b2) + product(a1, b1) + product(a2, b0) + (d1 >> 44);
        let (l0, l1) = (d0 as u64 & LIMB_44, d1 as u64 & LIMB_44);
        let low = u128::from(l0) + (u128::from(l1) << 44) + ((d2 & ((1 << 40) - 1)) << 88);
        Self::fold(low as u64, (low >> 64) as u64, (d2 >> 40) as u64)
    }

    /// Three limbs of 44 bits, the last of up to 43.
    #[inline(always)]
    pub(super) fn limbs_44(self) -> [u64; 3] {
        let [h0, h1, h2] = self.0;
        [h0 & LIMB_44, ((h0 >> 44) | (h1 << 20)) & LIMB_44, (h1 >> 24) | (h2 << 40)]
    }

    /// Folds what is above bit 130 once. `h2` must be below 2^63.6. The last limb becomes at most 4, and 4 only beside a
    /// middle limb of 0.
    #[inline(always)]
    fn fold(h0: u64, h1: u64, h2: u64) -> Self {
        let above = (h2 >> 2) + (h2 & !3); // 5 (h2 / 4)
        // In 128 bits: compilers make one chain of carries of it.
        let (low, carry) = (u128::from(h0) | u128::from(h1) << 64).overflowing_add(u128::from(above));
        Self([low as u64, (low >> 64) as u64, (h2 & 3) + u64::from(carry)])
    }

    /// Five limbs of 26 bits, the last of up to 27.
    #[inline(always)]
    pub(super) fn limbs(self) -> [u64; 5] {
        let [h0, h1, h2] = self.0;
        [h0 & LIMB, (h0 >> 26) & LIMB, ((h0 >> 52) | (h1 << 12)) & LIMB, (h1 >> 14) & LIMB, (h1 >> 40) | (h2 << 24)]
    }

    /// The element of five limbs of up to 61 bits, at 26 bits' distance.
    pub(super) fn from_limbs(limbs: [u64; 5]) -> Self {
        let low = u128::from(limbs[0]) + (u128::from(limbs[1]) << 26) + (u128::from(limbs[2]) << 52);
        let high = (low >> 64) + (u128::from(limbs[3]) << 14) + (u128::from(limbs[4]) << 40);
        Self::fold(low as u64, high as u64, (high >> 64) as u64)
    }

    /// The element of three limbs of up to 60 bits, at 44 bits' distance.
    pub(super) fn from_limbs_44(limbs: [u64; 3]) -> Self {
        let low = u128::from(limbs[0]) + (u128::from(limbs[1]) << 44);
        let high = (low >> 64) + (u128::from(limbs[2]) << 24);
        Self::fold(low as u64, high as u64, (high >> 64) as u64)
    }

    /// `(self mod p) + s` modulo 2^128.
    pub(super) fn finish(self, s: u128) -> [u8; 16] {
        let [h0, h1, h2] = Self::fold(self.0[0], self.0[1], self.0[2]).0;
        // self is below 2p now. It is at least p if adding 5 carries out of bit 130; then that sum, without the carry, is it.
        let (g0, carry) = h0.overflowing_add(5);
        let (g1, carry) = h1.overflowing_add(u64::from(carry));
        let g2 = h2 + u64::from(carry);
        let mask = (g2 >> 2).wrapping_neg();
        let low = (h0 & !mask) | (g0 & mask);
        let high = (h1 & !mask) | (g1 & mask);
        (u128::from(low) | (u128::from(high) << 64)).wrapping_add(s).to_le_bytes()
    }
}

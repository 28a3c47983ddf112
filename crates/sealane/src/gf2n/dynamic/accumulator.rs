//! Sums of products of elements.

use sealane_simd::dispatch_clmul;
use zeroize::Zeroizing;

use super::limbs::add_product;
use super::{DynamicElement, DynamicField};
use crate::wipe::wipe;

/// The number of limbs in an element of the largest field.
const MAX_LIMBS: usize = DynamicField::MAX_BITS / 64;

/// A sum of products of elements that is reduced at the end. It is wiped when it is dropped.
pub(super) struct Accumulator<'a> {
    field: &'a DynamicField,
    sum: [u64; 2 * MAX_LIMBS],
    /// The coefficients from x^n on, during the reduction.
    high: [u64; MAX_LIMBS],
}

impl<'a> Accumulator<'a> {
    pub(super) fn new(field: &'a DynamicField) -> Self {
        Self { field, sum: [0; 2 * MAX_LIMBS], high: [0; MAX_LIMBS] }
    }

    /// Sets the sum to zero.
    pub(super) fn clear(&mut self) {
        self.sum[..2 * self.field.limbs()].fill(0);
    }

    /// Adds a·b.
    ///
    /// # Panics
    /// If an element belongs to a field with another number of limbs.
    pub(super) fn add_product(&mut self, a: &DynamicElement, b: &DynamicElement) {
        let limbs = self.field.limbs();
        assert!(a.0.len() == limbs && b.0.len() == limbs, "elements of another field");
        let sum = &mut self.sum[..2 * limbs];
        dispatch_clmul!(self.field.level, token => add_product(token, &a.0, &b.0, sum));
    }

    /// Reduces the sum modulo the field's polynomial, x^n ≡ x^a + x^b + x^c + 1, and returns it.
    ///
    /// The first step leaves a degree below n + a. The second step leaves one below n: the terms
    /// that it adds have degrees below 2a, which is at most n. As a is below 64, it has one limb of
    /// coefficients from x^n on.
    pub(super) fn reduce(&mut self) -> &[u64] {
        let limbs = self.field.limbs();
        let (limb, bit) = (self.field.bits / 64, self.field.bits % 64);
        let sum = &mut self.sum[..2 * limbs];
        for count in [limbs, 1] {
            let high = &mut self.high[..count];
            // Moves the coefficients from x^n on to `high`.
            for (i, high) in high.iter_mut().enumerate() {
                let above = sum.get(limb + i + 1).map_or(0, |above| above << 1 << (63 - bit));
                *high = sum.get(limb + i).map_or(0, |limb| limb >> bit) | above;
            }
            sum[limb] &= (1 << bit) - 1;
            sum[limb + 1..].fill(0);
            for (i, high) in high.iter().enumerate() {
                let [a, b, c] = self.field.exponents;
                sum[i] ^= high ^ high << a ^ high << b ^ high << c;
                sum[i + 1] ^= high >> (64 - a) ^ high >> (64 - b) ^ high >> (64 - c);
            }
        }
        &sum[..limbs]
    }

    /// Reduces the sum, and returns it as an element.
    pub(super) fn reduced(&mut self) -> DynamicElement {
        DynamicElement(Zeroizing::new(self.reduce().to_vec()))
    }
}

impl Drop for Accumulator<'_> {
    fn drop(&mut self) {
        let limbs = self.field.limbs();
        wipe(&mut self.sum[..2 * limbs]);
        wipe(&mut self.high[..limbs]);
    }
}

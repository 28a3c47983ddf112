//! Polynomials over GF(2) as slices of limbs, the lowest limb first.

use sealane_simd::{Clmul, ClmulLanes};

/// Adds the product of two polynomials to `sum`, limb by limb. `sum` has as many limbs as `a` and
/// `b` together.
#[inline(always)]
pub(super) fn add_product<T: Clmul>(token: T, a: &[u64], b: &[u64], sum: &mut [u64]) {
    for (i, x) in a.iter().enumerate() {
        let x = T::One::load_low(
            token,
            #[inline(always)]
            |_| *x,
        );
        for (j, y) in b.iter().enumerate() {
            let y = T::One::load_low(
                token,
                #[inline(always)]
                |_| *y,
            );
            let mut limbs = [0; 2];
            x.mul_low(y).store(0, &mut limbs);
            sum[i + j] ^= limbs[0];
            sum[i + j + 1] ^= limbs[1];
        }
    }
}

/// Adds b·x^shift to a. Coefficients for which a has no limb are dropped.
pub(super) fn add_shifted(a: &mut [u64], b: &[u64], shift: usize) {
    let (limbs, bits) = (shift / 64, shift % 64);
    for (i, limb) in b.iter().enumerate() {
        if let Some(low) = a.get_mut(i + limbs) {
            *low ^= limb << bits;
        }
        if let Some(high) = a.get_mut(i + limbs + 1) {
            *high ^= limb >> 1 >> (63 - bits);
        }
    }
}

/// Returns the degree of a public polynomial, or `None` for zero.
pub(super) fn degree(a: &[u64]) -> Option<usize> {
    let limb = a.iter().rposition(|&limb| limb != 0)?;
    Some(limb * 64 + 63 - a[limb].leading_zeros() as usize)
}

//! Inversion by division steps, for backends whose carry-less multiplication is fast.
//!
//! Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019), section
//! 5: the algorithm starts with f = P, the field's polynomial, and g = a. Each step makes the
//! constant term of g zero by adding f if necessary, and divides g by x; f may become the old g.
//! After 2n - 1 steps f is 1, so the v with v·a ≡ f modulo P is 1/a. A step depends on the constant
//! terms of f and g and on a counter δ. The low limbs of f and g therefore determine 63 steps,
//! which are combined into one matrix and then applied to the whole polynomials. The number of
//! steps and all accesses depend only on n.

use sealane_simd::{ClmulLanes, Token};

use super::poly::Exponents;
use crate::wipe::wipe;

/// The number of steps that one matrix combines. An entry of the matrix has one coefficient more.
const STEPS: usize = 63;
/// A polynomial in blocks of two limbs. P has one limb more than an element.
type Polynomial = [[u64; 2]; MAX_BLOCKS];
const MAX_BLOCKS: usize = 2048 / 128 + 1;

/// The terms of P below x^64.
#[derive(Clone, Copy)]
pub(super) struct LowLimb {
    limb: u64,
    /// The first 64 terms of the power series 1/P.
    inverse: u64,
}

impl LowLimb {
    pub(super) const fn of([a, b, c]: Exponents) -> Self {
        let limb = 1 | 1 << a | 1 << b | 1 << c;
        Self { limb, inverse: inverse_series(limb) }
    }
}

/// Returns the first 64 terms of the power series 1/d. The constant term of d is 1. The time
/// depends on d.
pub(crate) const fn inverse_series(d: u64) -> u64 {
    let (mut series, mut remainder) = (0, 1_u64);
    while remainder != 0 {
        let exponent = remainder.trailing_zeros();
        series |= 1 << exponent;
        remainder ^= d << exponent;
    }
    series
}

/// Replaces an element by its inverse; 0 stays 0. The degree of the field is a multiple of 64.
///
/// It is not inlined: it takes long, and all fields share it.
#[inline(never)]
pub(super) fn invert<V: ClmulLanes>(token: V::Token, modulus: LowLimb, element: &mut [u64]) {
    token.enter(
        #[inline(always)]
        |token| invert_inlined::<V>(token, modulus, element),
    );
}

#[inline(always)]
fn invert_inlined<V: ClmulLanes>(token: V::Token, modulus: LowLimb, element: &mut [u64]) {
    let limbs = element.len();
    let [mut f, mut g, mut v, mut r] = [[[0; 2]; MAX_BLOCKS]; 4];
    f[0][0] = modulus.limb;
    f[limbs / 2][limbs % 2] = 1;
    g.as_flattened_mut()[..limbs].copy_from_slice(element);
    r[0][0] = 1;
    let mut minus_delta = u64::MAX;
    let mut steps_left = 2 * 64 * limbs - 1;
    loop {
        let steps = steps_left.min(STEPS);
        let matrix = matrix(steps, f[0][0], g[0][0], &mut minus_delta);
        let matrix = Matrix::<V>::load(token, &matrix);
        matrix.apply_modulo(modulus, &mut v, &mut r, limbs);
        // Only terms that the remaining steps shift down to the constant term matter.
        let blocks = steps_left.div_ceil(128).min(limbs / 2 + 1);
        steps_left -= steps;
        if steps_left == 0 {
            break;
        }
        matrix.apply(&mut f[..blocks], &mut g[..blocks]);
    }
    element.copy_from_slice(&v.as_flattened()[..limbs]);
    [&mut f, &mut g, &mut v, &mut r].into_iter().for_each(|polynomial| wipe(polynomial));
}

/// Returns u, v, q and r so that the steps change f to (u·f + v·g) / x^63 and g to (q·f + r·g) /
/// x^63. There are at most [`STEPS`] steps.
#[inline(always)]
fn matrix(steps: usize, mut f: u64, mut g: u64, minus_delta: &mut u64) -> [u64; 4] {
    let [mut u, mut v, mut q, mut r] = [1 << 63, 0, 0, 1 << 63];
    for _ in 0..steps {
        // If g has a constant term, f is added to g. If δ > 0 too, the old g replaces f.
        let add = (g & 1).wrapping_neg();
        let swap = add & (minus_delta.cast_signed() >> 63).cast_unsigned();
        (g, q, r) = (g ^ f & add, q ^ u & add, r ^ v & add);
        (f, u, v) = (f ^ g & swap, u ^ q & swap, v ^ r & swap);
        (g, q, r) = (g >> 1, q >> 1, r >> 1);
        // δ becomes 1 - δ or 1 + δ.
        *minus_delta = (*minus_delta ^ swap).wrapping_add(!swap);
    }
    [u, v, q, r]
}

/// A matrix of polynomials of degree below 64. Each polynomial is in both limbs of a block.
struct Matrix<V>([[V; 2]; 2]);

impl<V: ClmulLanes> Matrix<V> {
    #[inline(always)]
    fn load(token: V::Token, &[u, v, q, r]: &[u64; 4]) -> Self {
        Self([[twice(token, u), twice(token, v)], [twice(token, q), twice(token, r)]])
    }

    /// Replaces the vector (a, b) by its product with the matrix, divided by x^63. The division is
    /// exact.
    #[inline(always)]
    fn apply(&self, a: &mut [[u64; 2]], b: &mut [[u64; 2]]) {
        self.apply_after(
            a,
            b,
            #[inline(always)]
            |_, lowest| lowest,
        );
    }

    /// Replaces the vector (a, b) of elements by its product with the matrix, divided by x^63
    /// modulo P.
    #[inline(always)]
    fn apply_modulo(&self, modulus: LowLimb, a: &mut Polynomial, b: &mut Polynomial, limbs: usize) {
        let token = self.0[0][0].token();
        let (limb, inverse) = (twice::<V>(token, modulus.limb), twice::<V>(token, modulus.inverse));
        let mut top = [0; 2];
        let blocks = limbs.div_ceil(2);
        self.apply_after(
            &mut a[..blocks],
            &mut b[..blocks],
            // Adds the multiple m·P that makes the product divisible by x^63.
            #[inline(always)]
            |row, lowest| {
                let doubled = lowest.mul_low(inverse).shl(1);
                // The division turns the term m·x^n of m·P into m·x^(n - 63).
                top[row] = doubled.low(0);
                lowest.xor(doubled.shr(1).mul_low(limb))
            },
        );
        for (polynomial, top) in [a, b].into_iter().zip(top) {
            polynomial[blocks - 1][(limbs - 1) % 2] ^= top;
        }
    }

    /// Replaces the vector (a, b) by its product with the matrix, divided by x^63. `adjust` changes
    /// the lowest block of each of the two entries before the division.
    #[inline(always)]
    fn apply_after(&self, a: &mut [[u64; 2]], b: &mut [[u64; 2]], mut adjust: impl FnMut(usize, V) -> V) {
        let zero = V::zero(self.0[0][0].token());
        // From the block below: its product, and the products of its high limbs, which extend into
        // this block.
        let (mut below, mut odd) = ([zero; 2], [zero; 2]);
        let b = &mut b[..a.len()];
        for i in 0..a.len() {
            let (x, y) = (load::<V>(zero.token(), &a[i]), load::<V>(zero.token(), &b[i]));
            for row in 0..2 {
                let [s, t] = self.0[row];
                let high = x.mul_high(s).xor(y.mul_high(t));
                let mut block = x.mul_low(s).xor(y.mul_low(t)).xor(high.above(odd[row]));
                odd[row] = high;
                if i == 0 {
                    block = adjust(row, block);
                } else {
                    let to = if row == 0 { &mut a[i - 1] } else { &mut b[i - 1] };
                    divided(block, below[row]).store(0, to);
                }
                below[row] = block;
            }
        }
        if let (Some(a), Some(b)) = (a.last_mut(), b.last_mut()) {
            divided(zero.above(odd[0]), below[0]).store(0, a);
            divided(zero.above(odd[1]), below[1]).store(0, b);
        }
    }
}

/// Returns 128 coefficients of two adjacent blocks, starting at x^63.
#[inline(always)]
fn divided<V: ClmulLanes>(above: V, block: V) -> V {
    above.above(block).shl(1).xor(block.shr(63))
}

#[inline(always)]
fn load<V: ClmulLanes>(token: V::Token, block: &[u64; 2]) -> V {
    V::load(
        token,
        #[inline(always)]
        |_| block,
    )
}

/// Returns a block with `limb` in both limbs.
#[inline(always)]
fn twice<V: ClmulLanes>(token: V::Token, limb: u64) -> V {
    load::<V>(token, &[limb; 2])
}

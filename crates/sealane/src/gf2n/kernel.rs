//! The operations on elements, on one instruction set.
//!
//! A whole operation is one call of one of these functions, however many products it takes.

use sealane_simd::{Clmul, ClmulLanes, Token};

use super::division_steps::{self, LowLimb};
use super::field::Field;
use super::poly::Poly;
use crate::wipe::wipe;

pub(super) type Vector<F, V> = <F as Field>::Poly<V>;

/// Fields of at least this degree compute a product in a function that is not inlined. This limits
/// the size of the code, not the time: a call is short beside such a product.
pub(super) const OUTLINED_BITS: usize = 512;

/// Loads the same element into each lane.
#[inline(always)]
pub(super) fn splat<F: Field, V: ClmulLanes>(token: V::Token, element: &F::Limbs) -> Vector<F, V> {
    Vector::<F, V>::load(
        token,
        #[inline(always)]
        |_| element.as_ref(),
        0,
    )
}

/// Returns the element in the first lane.
#[inline(always)]
fn store<F: Field, V: ClmulLanes>(vector: Vector<F, V>) -> F::Limbs {
    let mut limbs = F::ZERO;
    vector.store(0, limbs.as_mut(), 0);
    if F::BITS < 64 {
        // Factors must not have bits above the element.
        limbs.as_mut()[0] &= (1 << (F::BITS % 64)) - 1;
    }
    limbs
}

#[inline(always)]
pub(super) fn product<F: Field, V: ClmulLanes>(token: V::Token, a: Vector<F, V>, b: Vector<F, V>) -> Vector<F, V> {
    if F::BITS < OUTLINED_BITS { F::reduce(a.multiply(b)) } else { outlined_product::<F, V>(token, &a, &b) }
}

#[inline(never)]
fn outlined_product<F: Field, V: ClmulLanes>(token: V::Token, a: &Vector<F, V>, b: &Vector<F, V>) -> Vector<F, V> {
    token.enter(
        #[inline(always)]
        |_| F::reduce(a.multiply(*b)),
    )
}

#[inline(always)]
pub(super) fn squared<F: Field, V: ClmulLanes>(token: V::Token, a: Vector<F, V>) -> Vector<F, V> {
    squared_times::<F, V>(token, a, 1)
}

#[inline(always)]
fn squared_times<F: Field, V: ClmulLanes>(token: V::Token, a: Vector<F, V>, times: usize) -> Vector<F, V> {
    if F::BITS < OUTLINED_BITS {
        let mut a = a;
        for _ in 0..times {
            a = F::reduce(a.square());
        }
        a
    } else {
        outlined_squares::<F, V>(token, &a, times)
    }
}

#[inline(never)]
fn outlined_squares<F: Field, V: ClmulLanes>(token: V::Token, a: &Vector<F, V>, times: usize) -> Vector<F, V> {
    token.enter(
        #[inline(always)]
        |_| {
            let mut a = *a;
            for _ in 0..times {
                a = F::reduce(a.square());
            }
            a
        },
    )
}

/// Returns a·b.
#[inline(always)]
pub(super) fn multiply<F: Field, T: Clmul>(token: T, a: &F::Limbs, b: &F::Limbs) -> F::Limbs {
    multiply_in_lane::<F, T::One>(token, a, b)
}

/// Returns a·b, computed in the first lane.
#[inline(always)]
pub(crate) fn multiply_in_lane<F: Field, V: ClmulLanes>(token: V::Token, a: &F::Limbs, b: &F::Limbs) -> F::Limbs {
    let (a, b) = (splat::<F, V>(token, a), splat::<F, V>(token, b));
    store::<F, V>(if F::BITS < OUTLINED_BITS {
        F::multiply_reduced(a, b)
    } else {
        outlined_product::<F, V>(token, &a, &b)
    })
}

/// Returns a^(2^times).
#[inline(always)]
pub(super) fn square<F: Field, T: Clmul>(token: T, a: &F::Limbs, times: usize) -> F::Limbs {
    store::<F, T::One>(squared_times::<F, _>(token, splat::<F, _>(token, a), times))
}

/// Returns whether inverses take less time by division steps than by squarings. Each division step
/// takes a few instructions on words, however long an element is.
pub(super) const fn has_division_steps<F: Field, V: ClmulLanes>() -> bool {
    V::FAST_PRODUCTS && F::BITS >= 64
}

/// Returns 1/a, or 0 for 0.
#[inline(always)]
pub(super) fn invert<F: Field, T: Clmul>(token: T, a: &F::Limbs) -> F::Limbs {
    invert_in_lane::<F, T::One>(token, a)
}

/// Returns 1/a, or 0 for 0, computed in the first lane.
#[inline(always)]
pub(crate) fn invert_in_lane<F: Field, V: ClmulLanes>(token: V::Token, a: &F::Limbs) -> F::Limbs {
    if has_division_steps::<F, V>() {
        let mut inverse = *a;
        division_steps::invert::<V>(token, const { LowLimb::of(F::EXPONENTS) }, inverse.as_mut());
        return inverse;
    }
    store::<F, V>(inverted::<F, V>(token, &splat::<F, V>(token, a)))
}

/// Computes the inverse by the method of Itoh and Tsujii, "A fast algorithm for computing
/// multiplicative inverses in GF(2^m) using normal bases" (1988).
///
/// Let β(k) = a^(2^k - 1). Then β(i + j) = β(i)^(2^j)·β(j), and the inverse is β(n - 1)². This
/// takes n - 1 squarings and few products. k grows to n - 1, two bits at a time.
///
/// It is not inlined: it takes long, and several operations end with it.
#[inline(never)]
pub(super) fn inverted<F: Field, V: ClmulLanes>(token: V::Token, a: &Vector<F, V>) -> Vector<F, V> {
    token.enter(
        #[inline(always)]
        |token| inverse::<F, V>(token, *a),
    )
}

#[inline(always)]
fn inverse<F: Field, V: ClmulLanes>(token: V::Token, a: Vector<F, V>) -> Vector<F, V> {
    let target = F::BITS - 1;
    // β(1), β(2) and β(3).
    let mut betas = [a; 3];
    let (mut beta, mut k) = (a, 1);
    let mut rest = target.ilog2() & !1;
    let mut step = 0;
    // All steps square and multiply at this one place in the code, which turns β(k) into β(k + by).
    // Steps 0 and 1 make β(2) and β(3). After that, k takes two bits of the target in three steps:
    // two steps double k, and one adds the bits.
    loop {
        let (by, factor) = match step {
            0 | 1 => (1, a),
            2 | 3 => (k, beta),
            _ => {
                rest -= 2;
                let window = target >> rest & 3;
                (window, betas[window.max(1) - 1])
            }
        };
        if by > 0 {
            beta = product::<F, V>(token, squared_times::<F, V>(token, beta, by), factor);
            k += by;
        }
        if step < 2 {
            betas[k - 1] = beta;
        }
        step += 1;
        if step == 2 {
            k = target >> rest;
            beta = betas[k - 1];
        }
        if step == 5 {
            step = 2;
        }
        if step == 2 && rest == 0 {
            return squared::<F, V>(token, beta);
        }
    }
}

/// Returns a^exponent. The exponent's limbs are given lowest first. Neither branches nor addresses
/// depend on its bits.
#[inline(always)]
pub(super) fn power<F: Field, T: Clmul>(token: T, a: &F::Limbs, exponent: &[u64]) -> F::Limbs {
    let mut factor = F::ZERO;
    let mut power = splat::<F, T::One>(token, &F::ONE);
    for limb in exponent.iter().rev() {
        for bit in (0..64).rev() {
            // The factor is a or 1. `black_box` keeps the compiler from introducing a branch.
            let mask = core::hint::black_box((limb >> bit & 1).wrapping_neg());
            let ones = F::ONE;
            for ((limb, a), one) in factor.as_mut().iter_mut().zip(a.as_ref()).zip(ones.as_ref()) {
                *limb = one ^ (one ^ a) & mask;
            }
            let square = outlined_squares::<F, _>(token, &power, 1);
            power = outlined_product::<F, _>(token, &square, &splat::<F, _>(token, &factor));
        }
    }
    wipe(factor.as_mut());
    store::<F, T::One>(power)
}

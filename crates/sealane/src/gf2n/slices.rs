//! Operations on slices of elements. Each lane of a vector holds one element.

use sealane_simd::{Clmul, ClmulLanes, MAX_CLMUL_LANES};

use super::element::Element;
use super::field::Field;
use super::kernel::{self, OUTLINED_BITS, Vector, has_division_steps, inverted, product, splat};
use super::poly::Poly;
use crate::wipe::wipe;

/// Loads the first elements into the lanes, and `fill` into the lanes after the last element.
#[inline(always)]
fn load<F: Field, V: ClmulLanes>(token: V::Token, elements: &[Element<F>], fill: &Element<F>) -> Vector<F, V> {
    if elements.len() >= V::LANES {
        return Vector::<F, V>::load(
            token,
            #[inline(always)]
            |i| elements[i].0.as_ref(),
            0,
        );
    }
    Vector::<F, V>::load(
        token,
        #[inline(always)]
        |i| elements.get(i).unwrap_or(fill).0.as_ref(),
        0,
    )
}

/// Stores each lane to the element with its index. Further lanes or elements are ignored.
#[inline(always)]
fn store<F: Field, V: ClmulLanes>(vector: Vector<F, V>, elements: &mut [Element<F>]) {
    if elements.len() >= V::LANES {
        for (i, element) in elements[..V::LANES].iter_mut().enumerate() {
            vector.store(i, element.0.as_mut(), 0);
            element.mask();
        }
        return;
    }
    for (i, element) in elements.iter_mut().enumerate() {
        vector.store(i, element.0.as_mut(), 0);
        element.mask();
    }
}

/// Returns the sum of the elements in the lanes.
#[inline(always)]
fn sum_of_lanes<F: Field, V: ClmulLanes>(vector: Vector<F, V>) -> Element<F> {
    let mut lanes = [Element::ZERO; MAX_CLMUL_LANES];
    store::<F, V>(vector, &mut lanes);
    let sum = lanes[..V::LANES].iter().fold(Element::ZERO, |sum, lane| sum + *lane);
    lanes.iter_mut().for_each(|lane| wipe(lane.0.as_mut()));
    sum
}

/// Replaces each a(i) by a(i)·b(i).
#[inline(always)]
pub(crate) fn multiply<F: Field, T: Clmul>(token: T, a: &mut [Element<F>], b: &[Element<F>]) {
    let lanes = T::Many::LANES;
    for (a, b) in a.chunks_mut(lanes).zip(b.chunks(lanes)) {
        let x = load::<F, T::Many>(token, a, &Element::ZERO);
        let y = load::<F, T::Many>(token, b, &Element::ZERO);
        store::<F, T::Many>(product::<F, _>(token, x, y), a);
    }
}

/// Replaces each a(i) by a(i)·b.
#[inline(always)]
pub(crate) fn scale<F: Field, T: Clmul>(token: T, a: &mut [Element<F>], b: &Element<F>) {
    let b = splat::<F, T::Many>(token, &b.0);
    for a in a.chunks_mut(T::Many::LANES) {
        let x = load::<F, T::Many>(token, a, &Element::ZERO);
        store::<F, T::Many>(product::<F, _>(token, x, b), a);
    }
}

/// Returns the sum of a(i)·b(i). Small fields reduce it once, at the end.
#[inline(always)]
pub(crate) fn dot_product<F: Field, T: Clmul>(token: T, a: &[Element<F>], b: &[Element<F>]) -> Element<F> {
    let lanes = T::Many::LANES;
    let zero = Vector::<F, T::Many>::zero(token);
    let pairs = a.chunks(lanes).zip(b.chunks(lanes)).map(
        #[inline(always)]
        |(a, b)| {
            let x = load::<F, T::Many>(token, a, &Element::ZERO);
            (x, load::<F, T::Many>(token, b, &Element::ZERO))
        },
    );
    let sum = if F::BITS < OUTLINED_BITS {
        let mut sum = zero.multiply(zero);
        for (x, y) in pairs {
            sum = Vector::<F, T::Many>::xor_products(sum, x.multiply(y));
        }
        F::reduce(sum)
    } else {
        let mut sum = zero;
        for (x, y) in pairs {
            sum = sum.xor(product::<F, _>(token, x, y));
        }
        sum
    };
    sum_of_lanes::<F, T::Many>(sum)
}

/// Sets each values(i) to the value of the polynomial at points(i), by Horner's rule. The constant
/// term is the first coefficient.
#[inline(always)]
pub(crate) fn evaluate<F: Field, T: Clmul>(
    token: T,
    coefficients: &[Element<F>],
    points: &[Element<F>],
    values: &mut [Element<F>],
) {
    let lanes = T::Many::LANES;
    for (points, values) in points.chunks(lanes).zip(values.chunks_mut(lanes)) {
        let x = load::<F, T::Many>(token, points, &Element::ZERO);
        let mut value = Vector::<F, T::Many>::zero(token);
        for coefficient in coefficients.iter().rev() {
            value = product::<F, _>(token, value, x).xor(splat::<F, _>(token, &coefficient.0));
        }
        store::<F, T::Many>(value, values);
    }
}

/// Replaces each a(i) by 1/a(i) with Montgomery's trick, with a separate chain of products in each
/// lane. Zeros stay zero. `scratch` is as long as `a`.
#[inline(always)]
pub(crate) fn invert<F: Field, T: Clmul>(token: T, a: &mut [Element<F>], scratch: &mut [Element<F>]) {
    let lanes = T::Many::LANES;
    let mut factors = [Element::ONE; MAX_CLMUL_LANES];
    let mut product_so_far = splat::<F, T::Many>(token, &F::ONE);
    for (a, before) in a.chunks(lanes).zip(scratch.chunks_mut(lanes)) {
        store::<F, T::Many>(product_so_far, before);
        for (factor, a) in factors.iter_mut().zip(a) {
            *factor = a.or_one();
        }
        let x = load::<F, T::Many>(token, &factors[..a.len()], &Element::ONE);
        product_so_far = product::<F, _>(token, product_so_far, x);
    }
    let mut inverse = inverse_of_lanes::<F, T>(token, product_so_far);
    for (a, before) in a.chunks_mut(lanes).zip(scratch.chunks_mut(lanes)).rev() {
        for (factor, a) in factors.iter_mut().zip(&*a) {
            *factor = a.or_one();
        }
        let x = load::<F, T::Many>(token, &factors[..a.len()], &Element::ONE);
        let y = load::<F, T::Many>(token, before, &Element::ONE);
        store::<F, T::Many>(product::<F, _>(token, inverse, y), before);
        inverse = product::<F, _>(token, inverse, x);
        for (a, before) in a.iter_mut().zip(before) {
            *a = a.zero_or(before);
            wipe(before.0.as_mut());
        }
    }
    factors.iter_mut().for_each(|factor| wipe(factor.0.as_mut()));
}

/// Squares each element.
#[inline(always)]
pub(crate) fn square<F: Field, T: Clmul>(token: T, a: &mut [Element<F>]) {
    for a in a.chunks_mut(T::Many::LANES) {
        let x = load::<F, T::Many>(token, a, &Element::ZERO);
        store::<F, T::Many>(kernel::squared::<F, _>(token, x), a);
    }
}

/// Returns the inverse of each lane. No lane is zero.
#[inline(always)]
fn inverse_of_lanes<F: Field, T: Clmul>(token: T, vector: Vector<F, T::Many>) -> Vector<F, T::Many> {
    if !has_division_steps::<F, T::Many>() {
        return inverted::<F, T::Many>(token, &vector);
    }
    // Montgomery's trick again: division steps for several lanes at once would not be faster.
    let mut lanes = [Element::<F>::ONE; MAX_CLMUL_LANES];
    store::<F, T::Many>(vector, &mut lanes);
    let mut before = lanes;
    let mut all = F::ONE;
    for i in 0..T::Many::LANES {
        before[i].0 = all;
        all = kernel::multiply::<F, T>(token, &all, &lanes[i].0);
    }
    let mut inverse = kernel::invert::<F, T>(token, &all);
    for i in (0..T::Many::LANES).rev() {
        let lane = lanes[i].0;
        lanes[i].0 = kernel::multiply::<F, T>(token, &inverse, &before[i].0);
        inverse = kernel::multiply::<F, T>(token, &inverse, &lane);
    }
    let inverses = load::<F, T::Many>(token, &lanes, &Element::ONE);
    lanes.iter_mut().chain(&mut before).for_each(|element| wipe(element.0.as_mut()));
    inverses
}

/// Returns the product of `at` - x over the points x.
#[inline(always)]
pub(crate) fn product_of_differences<F: Field, T: Clmul>(
    token: T,
    points: &[Element<F>],
    at: &Element<F>,
) -> Element<F> {
    let mut product_so_far = splat::<F, T::One>(token, &F::ONE);
    for point in points {
        let factor = splat::<F, T::One>(token, &(*at + *point).0);
        product_so_far = product::<F, _>(token, product_so_far, factor);
    }
    let mut result = [Element::ZERO];
    store::<F, T::One>(product_so_far, &mut result);
    result[0]
}

/// Sets each products(i) to the product of x(i) - x(j) over all other points x(j), and multiplies
/// it by x(i) - `extra` if `extra` is given.
#[inline(always)]
pub(crate) fn products_of_differences<F: Field, T: Clmul>(
    token: T,
    points: &[Element<F>],
    extra: Option<&Element<F>>,
    products: &mut [Element<F>],
) {
    let lanes = T::Many::LANES;
    for (chunk, (own, products)) in points.chunks(lanes).zip(products.chunks_mut(lanes)).enumerate() {
        let x = load::<F, T::Many>(token, own, &Element::ZERO);
        let mut so_far = match extra {
            Some(extra) => x.xor(splat::<F, T::Many>(token, &extra.0)),
            None => splat::<F, T::Many>(token, &F::ONE),
        };
        for (j, other) in points.iter().enumerate() {
            let mut others = [*other; MAX_CLMUL_LANES];
            if j / lanes == chunk {
                // A point's own factor becomes 1.
                others[j % lanes] += Element::ONE;
            }
            let factor = x.xor(load::<F, T::Many>(token, &others[..lanes], &Element::ZERO));
            so_far = product::<F, _>(token, so_far, factor);
        }
        store::<F, T::Many>(so_far, products);
    }
}

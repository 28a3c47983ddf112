//! The field arithmetic that interpolation and decoding need, and Lagrange's weights.

/// Sums and products in a field, for syndromes. Whether they run in constant time depends on the
/// implementation.
pub(super) trait Ring {
    /// An element of the field.
    type Element: Clone;

    /// Returns a + b, which is a - b too.
    fn sum(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// Returns a·b.
    fn product(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
}

/// Arithmetic in a field. Divisors and everything that is compared with zero must be public.
///
/// The operations on slices have default implementations that work element by element. Fields with
/// vectors have faster ones.
pub(super) trait Arithmetic: Ring {
    /// Returns 0.
    fn zero(&self) -> Self::Element;
    /// Returns 1.
    fn one(&self) -> Self::Element;
    /// Returns whether a public element is 0.
    fn is_zero(&self, a: &Self::Element) -> bool;
    /// Returns a/b for a public b other than 0.
    fn quotient(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;

    /// Returns the sum of a(i)·b(n - 1 - i) over all i below n, the length of both slices.
    fn convolution(&self, a: &[Self::Element], b: &[Self::Element]) -> Self::Element {
        let products = a.iter().zip(b.iter().rev()).map(|(a, b)| self.product(a, b));
        products.fold(self.zero(), |sum, product| self.sum(&sum, &product))
    }

    /// Adds factor·b(i) to each a(i).
    fn add_multiple(&self, a: &mut [Self::Element], factor: &Self::Element, b: &[Self::Element]) {
        for (a, b) in a.iter_mut().zip(b) {
            *a = self.sum(a, &self.product(factor, b));
        }
    }

    /// Calls `found` with the index of each point at which the public polynomial is 0. The
    /// coefficients are given from the highest power on.
    fn find_roots(&self, coefficients: &[Self::Element], points: &[Self::Element], mut found: impl FnMut(usize)) {
        for (i, point) in points.iter().enumerate() {
            let step = |value: Self::Element, coefficient| self.sum(&self.product(&value, point), coefficient);
            if self.is_zero(&coefficients.iter().fold(self.zero(), step)) {
                found(i);
            }
        }
    }
}

/// Returns weight i of Lagrange interpolation at `target`: the product of (target - x(j)) / (x(i) -
/// x(j)) over all other points x(j). The points are distinct.
pub(super) fn lagrange_weight<A: Arithmetic>(
    field: &A,
    points: &[A::Element],
    i: usize,
    target: &A::Element,
) -> A::Element {
    field.quotient(&differences(field, points, i, target), &differences(field, points, i, &points[i]))
}

/// Returns the inverse of the product of x(i) - x(j) over all other points x(j). For every
/// polynomial of degree below n - 1, the values at the n points, each times its weight, add up to
/// 0.
pub(super) fn dual_weight<A: Arithmetic>(field: &A, points: &[A::Element], i: usize) -> A::Element {
    field.quotient(&field.one(), &differences(field, points, i, &points[i]))
}

/// Returns the product of x - x(j) over all points x(j) except x(i).
pub(super) fn differences<A: Arithmetic>(field: &A, points: &[A::Element], i: usize, x: &A::Element) -> A::Element {
    let others = points[..i].iter().chain(&points[i + 1..]);
    others.fold(field.one(), |product, point| field.product(&product, &field.sum(x, point)))
}

//! Shamir's secret sharing of one element of a [`DynamicField`].
//!
//! It serves formats that allow many fields. [`element`](super::element) is several times faster.
//! There is no function that splits a secret: [`DynamicField::evaluate`] computes a share as the
//! value of the polynomial at its evaluation point. Points are public.
//!
//! ```
//! use sealane::gf2n::DynamicField;
//! use sealane::shamir::dynamic::{Combiner, bad_shares};
//!
//! let field = DynamicField::of_degree(256).unwrap();
//! let secret = field.from_be_bytes(&[7; 32]);
//! let random = field.from_be_bytes(&[9; 32]); // from a secure generator
//! let points: Vec<_> = (1..=4).map(|bits| field.from_bits(bits).unwrap()).collect();
//! let polynomial = [secret.clone(), random];
//! let mut shares: Vec<_> = points.iter().map(|point| field.evaluate(&polynomial, point)).collect();
//!
//! let combiner = Combiner::at(&field, &points[..2], &field.zero())?;
//! assert_eq!(combiner.combine(&shares[..2])?, secret);
//!
//! shares[1] = field.zero();
//! assert_eq!(bad_shares(&field, 2, &points, &shares)?, [1]);
//! # Ok::<(), sealane::shamir::Error>(())
//! ```

use alloc::vec;
use alloc::vec::Vec;

use super::arithmetic::{Arithmetic, Ring, differences};
use super::{Error, reed_solomon};
use crate::gf2n::{DynamicElement, DynamicField};

/// The distinct evaluation points of some shares, prepared for interpolation at any number of
/// targets and for finding bad shares.
///
/// For k points, [`new`](Self::new) takes about k² multiplications, and each
/// [`combiner`](Self::combiner) about 4·k.
///
/// ```
/// use sealane::gf2n::DynamicField;
/// use sealane::shamir::dynamic::EvaluationPoints;
///
/// let field = DynamicField::of_degree(64).unwrap();
/// let points: Vec<_> = (1..=100).map(|bits| field.from_bits(bits).unwrap()).collect();
/// let polynomial = [field.from_bits(7).unwrap(), field.from_bits(9).unwrap()];
/// let shares: Vec<_> = points.iter().map(|point| field.evaluate(&polynomial, point)).collect();
///
/// // The shares beyond the first two agree with them.
/// let basis = EvaluationPoints::new(&field, &points[..2])?;
/// for (point, share) in points.iter().zip(&shares).skip(2) {
///     assert_eq!(basis.combiner(point).combine(&shares[..2])?, *share);
/// }
/// # Ok::<(), sealane::shamir::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EvaluationPoints {
    field: DynamicField,
    points: Vec<DynamicElement>,
    /// For each point x(i), the inverse of the product of x(i) - x(j) over all other points x(j).
    /// These are the barycentric weights of interpolation, and the weights of the dual code.
    weights: Vec<DynamicElement>,
}

impl EvaluationPoints {
    /// Prepares these points.
    ///
    /// # Errors
    /// [`Error`] if there are no points, or one is zero or occurs twice.
    pub fn new(field: &DynamicField, points: &[DynamicElement]) -> Result<Self, Error> {
        check_points(points)?;
        let mut weights: Vec<_> = (0..points.len()).map(|i| differences(field, points, i, &points[i])).collect();
        field.invert_all_public(&mut weights);
        Ok(Self { field: *field, points: points.to_vec(), weights })
    }

    /// Prepares to recover the value at `target` from a share at each point. The secret is the
    /// value at zero.
    #[must_use]
    pub fn combiner(&self, target: &DynamicElement) -> Combiner {
        let Self { field, points, .. } = self;
        // Lagrange's weight of x(i) is its barycentric weight times the product of target - x(j)
        // over all other points x(j): first those before it, then those after it.
        let mut weights = self.weights.clone();
        let mut product = field.one();
        for (weight, point) in weights.iter_mut().zip(points) {
            *weight = field.multiply(weight, &product);
            product = field.multiply(&product, &field.sum(target, point));
        }
        let mut product = field.one();
        for (weight, point) in weights.iter_mut().zip(points).rev() {
            *weight = field.multiply(weight, &product);
            product = field.multiply(&product, &field.sum(target, point));
        }
        Combiner { field: *field, weights }
    }

    /// Returns the positions, counted from 0, of the shares that do not belong to the others. The
    /// result is empty if all belong together. `values[i]` is the share at point i.
    ///
    /// If e shares are bad, at least `threshold` + 2·e shares are needed to find them. The time
    /// depends on how bad shares differ from right ones, and not on the secret, if `threshold` is
    /// not below that of the split. For n points, it takes about n·(n - `threshold`)
    /// multiplications to find that all shares belong together, and at most a small multiple of n²
    /// otherwise.
    ///
    /// # Errors
    /// [`Error`] if the threshold is 0, there are fewer points than that, or the numbers of values
    /// and points differ; [`Error::InconsistentShares`] if too many shares are bad to tell which.
    pub fn bad_shares(&self, threshold: usize, values: &[DynamicElement]) -> Result<Vec<usize>, Error> {
        let Self { field, points, weights } = self;
        if threshold == 0 {
            return Err(Error::ZeroThreshold);
        }
        if points.len() < threshold {
            return Err(Error::TooFewShares { needed: threshold, given: points.len() });
        }
        if values.len() != points.len() {
            return Err(Error::WrongNumberOfShares { expected: points.len(), given: values.len() });
        }
        let mut syndromes = vec![field.zero(); points.len() - threshold];
        for ((point, weight), value) in points.iter().zip(weights).zip(values) {
            // `reed_solomon::add_share` would do the same, but allocate each product. For 255
            // shares of 256 bits, the whole check would take 1.8 times as long.
            field.add_powers(&mut syndromes, field.multiply(weight, value), point);
        }
        // The syndromes depend on the errors alone.
        syndromes.iter_mut().for_each(DynamicElement::declassify);
        let mut work = [(); 3].map(|()| vec![field.zero(); syndromes.len() + 1]);
        let work = work.each_mut().map(Vec::as_mut_slice);
        let mut positions = Vec::new();
        let is_explained = reed_solomon::locate(field, &syndromes, points, work, |i| positions.push(i));
        is_explained.then_some(positions).ok_or(Error::InconsistentShares)
    }
}

/// Recovers the secret, or the share at another point, from the shares at some points.
///
/// It uses exactly the shares that it is given. Their number must reach the threshold, and all of
/// them must be right.
#[derive(Clone, Debug)]
pub struct Combiner {
    field: DynamicField,
    /// Lagrange's weights, one for each point.
    weights: Vec<DynamicElement>,
}

impl Combiner {
    /// Prepares to recover the value at `target` from shares at `points`. The secret is the value
    /// at zero. [`EvaluationPoints`] does the same faster for several targets.
    ///
    /// # Errors
    /// [`Error`] if there are no points, or one is zero or occurs twice.
    pub fn at(field: &DynamicField, points: &[DynamicElement], target: &DynamicElement) -> Result<Self, Error> {
        Ok(EvaluationPoints::new(field, points)?.combiner(target))
    }

    /// Combines the shares: `values[i]` is the share at point i.
    ///
    /// # Errors
    /// [`Error::WrongNumberOfShares`] if the numbers of values and points differ.
    pub fn combine(&self, values: &[DynamicElement]) -> Result<DynamicElement, Error> {
        if values.len() != self.weights.len() {
            return Err(Error::WrongNumberOfShares { expected: self.weights.len(), given: values.len() });
        }
        Ok(self.field.dot_product(&self.weights, values))
    }
}

/// Does the same as [`EvaluationPoints::bad_shares`]. `values[i]` is the share at `points[i]`.
///
/// # Errors
/// The errors of [`EvaluationPoints::new`] and [`EvaluationPoints::bad_shares`].
pub fn bad_shares(
    field: &DynamicField,
    threshold: usize,
    points: &[DynamicElement],
    values: &[DynamicElement],
) -> Result<Vec<usize>, Error> {
    EvaluationPoints::new(field, points)?.bad_shares(threshold, values)
}

fn check_points(points: &[DynamicElement]) -> Result<(), Error> {
    if points.is_empty() {
        return Err(Error::TooFewShares { needed: 1, given: 0 });
    }
    for (index, point) in points.iter().enumerate() {
        if point.is_zero().into() {
            return Err(Error::ZeroPoint { index });
        }
        if points[..index].contains(point) {
            return Err(Error::DuplicatePoint { index });
        }
    }
    Ok(())
}

impl Ring for DynamicField {
    type Element = DynamicElement;

    fn sum(&self, a: &DynamicElement, b: &DynamicElement) -> DynamicElement {
        let mut sum = a.clone();
        sum += b;
        sum
    }

    fn product(&self, a: &DynamicElement, b: &DynamicElement) -> DynamicElement {
        self.multiply(a, b)
    }
}

impl Arithmetic for DynamicField {
    fn zero(&self) -> DynamicElement {
        self.zero()
    }

    fn one(&self) -> DynamicElement {
        self.one()
    }

    fn is_zero(&self, a: &DynamicElement) -> bool {
        a.is_zero().into()
    }

    fn quotient(&self, a: &DynamicElement, b: &DynamicElement) -> DynamicElement {
        self.divide_by_public(a, b)
    }
}

#[cfg(test)]
mod tests {
    use sealane_spec::shamir_element;

    use super::*;

    const BITS: [usize; 4] = [8, 64, 192, 1024];

    /// Returns the points 1 to `count`, and the shares at these points. The secret has the bytes 1
    /// to n / 8, and the threshold is 3.
    fn share(field: &DynamicField, count: u64) -> (Vec<DynamicElement>, Vec<DynamicElement>) {
        let coefficient = |i: u8| {
            let bytes: Vec<u8> = (1..=field.element_len()).map(|byte| (byte as u8).wrapping_mul(2 * i + 1)).collect();
            field.from_be_bytes(&bytes)
        };
        let polynomial: Vec<_> = (0..3).map(coefficient).collect();
        let points: Vec<_> = (1..=count).map(|bits| field.from_bits(bits).unwrap()).collect();
        let values = points.iter().map(|point| field.evaluate(&polynomial, point)).collect();
        (points, values)
    }

    #[test]
    fn interpolation_is_that_of_the_reference() {
        for bits in BITS {
            let field = DynamicField::of_degree(bits).unwrap();
            let (points, values) = share(&field, 5);
            let little_endian =
                |element: &DynamicElement| -> Vec<u8> { element.to_be_bytes(&field).iter().rev().copied().collect() };
            let pairs: Vec<_> = points.iter().map(little_endian).zip(values.iter().map(little_endian)).collect();
            let combiner = Combiner::at(&field, &points[1..4], &field.zero()).unwrap();
            let secret = combiner.combine(&values[1..4]).unwrap();
            assert_eq!(little_endian(&secret), shamir_element::interpolate_at_zero(bits, &pairs[1..4]));
            let expected: Vec<u8> = (1..=field.element_len()).map(|byte| byte as u8).collect();
            assert_eq!(*secret.to_be_bytes(&field), expected);
            // At the points of the combined shares, and at other points.
            let basis = EvaluationPoints::new(&field, &points[..3]).unwrap();
            for (target, value) in points.iter().zip(&values) {
                assert_eq!(basis.combiner(target).combine(&values[..3]).unwrap(), *value);
            }
            // Any number of shares from the threshold on gives the secret.
            let all = EvaluationPoints::new(&field, &points).unwrap();
            assert_eq!(all.combiner(&field.zero()).combine(&values).unwrap(), secret);
        }
    }

    #[test]
    fn bad_shares_are_named_up_to_the_limit() {
        for bits in BITS {
            let field = DynamicField::of_degree(bits).unwrap();
            let (points, values) = share(&field, 9);
            assert_eq!(bad_shares(&field, 3, &points, &values), Ok(vec![]));
            assert_eq!(bad_shares(&field, 9, &points, &values), Ok(vec![]));
            for bad in [&[0][..], &[8], &[2, 5], &[0, 4, 8], &[6, 7, 8]] {
                let mut forged = values.clone();
                bad.iter().for_each(|&i| forged[i] += &field.from_bits(i as u64 + 1).unwrap());
                assert_eq!(bad_shares(&field, 3, &points, &forged), Ok(bad.to_vec()), "{bits}");
            }
            let mut forged = values.clone();
            for (i, bits) in [(0, 1), (1, 5), (4, 9), (7, 2)] {
                forged[i] += &field.from_bits(bits).unwrap();
            }
            assert_eq!(bad_shares(&field, 3, &points, &forged), Err(Error::InconsistentShares), "{bits}");
        }
    }

    #[test]
    fn parameters_are_checked() {
        let field = DynamicField::of_degree(64).unwrap();
        let (points, values) = share(&field, 4);
        let at = |points: &[DynamicElement]| Combiner::at(&field, points, &field.zero()).map(|_| ());
        assert_eq!(at(&[]), Err(Error::TooFewShares { needed: 1, given: 0 }));
        assert_eq!(at(&[points[0].clone(), field.zero()]), Err(Error::ZeroPoint { index: 1 }));
        assert_eq!(at(&[points[0].clone(), points[0].clone()]), Err(Error::DuplicatePoint { index: 1 }));
        let combiner = Combiner::at(&field, &points, &field.zero()).unwrap();
        assert_eq!(combiner.combine(&values[1..]), Err(Error::WrongNumberOfShares { expected: 4, given: 3 }));
        let bad = |threshold, points: &[DynamicElement], values: &[DynamicElement]| {
            bad_shares(&field, threshold, points, values)
        };
        assert_eq!(bad(0, &points, &values), Err(Error::ZeroThreshold));
        assert_eq!(bad(5, &points, &values), Err(Error::TooFewShares { needed: 5, given: 4 }));
        assert_eq!(bad(2, &points, &values[1..]), Err(Error::WrongNumberOfShares { expected: 4, given: 3 }));
        assert_eq!(bad(2, &vec![points[0].clone(); 4], &values), Err(Error::DuplicatePoint { index: 1 }));
    }
}

//! Lagrange interpolation over the field of a set.

use sealane::gf2n::{DynamicElement, DynamicField};
use sealane::shamir::{bytes, dynamic};

use crate::format::{Field, Header};

/// Computes the secret, or the share at one evaluation point, from a basis: as many shares as the
/// threshold, at distinct points.
pub(crate) enum Interpolation {
    Bytes(Box<bytes::Combiner>),
    Elements(DynamicField, dynamic::Combiner),
}

impl Interpolation {
    /// Prepares to compute the secret.
    pub(crate) fn at_zero(basis: &[&Header]) -> Self {
        let zero = vec![0; basis[0].field().element_len()];
        Self::at(basis, &zero)
    }

    /// Prepares to compute the share at the evaluation point `target`, a big-endian element.
    /// `basis` has the headers of the basis.
    pub(crate) fn at(basis: &[&Header], target: &[u8]) -> Self {
        match basis[0].field() {
            Field::Bytes => {
                let points: Vec<u8> = basis.iter().map(|header| header.index() as u8).collect();
                let combiner = bytes::Combiner::at(&points, target[0]);
                Self::Bytes(Box::new(combiner.expect("distinct points that are not zero")))
            }
            Field::Element { bits, .. } => {
                let field = element_field(bits);
                let points = points(&field, basis);
                let combiner = dynamic::Combiner::at(&field, &points, &field.from_be_bytes(target));
                Self::Elements(field, combiner.expect("distinct points that are not zero"))
            }
        }
    }

    /// Estimates the cost of [`at`](Self::at) for this many shares, together with the cost of
    /// interpolating `elements` elements, in multiplications of bytes.
    pub(crate) fn cost(field: Field, shares: usize, elements: usize) -> usize {
        let multiplication = match field {
            Field::Bytes => 1,
            Field::Element { bits, .. } => usize::from(bits) * usize::from(bits).div_ceil(64),
        };
        shares * (shares + elements) * multiplication
    }

    /// Interpolates from the shares, in the order of the basis. All are as long as `out`, which is
    /// a whole number of elements.
    pub(crate) fn apply(&self, shares: &[&[u8]], out: &mut [u8]) {
        match self {
            Self::Bytes(combiner) => combiner.combine(shares, out).expect("shares of equal length"),
            Self::Elements(field, combiner) => {
                for (i, out) in out.chunks_exact_mut(field.element_len()).enumerate() {
                    let element =
                        |share: &&[u8]| field.from_be_bytes(&share[i * field.element_len()..][..field.element_len()]);
                    let values: Vec<DynamicElement> = shares.iter().map(element).collect();
                    let value = combiner.combine(&values).expect("a share for each point");
                    out.copy_from_slice(&value.to_be_bytes(field));
                }
            }
        }
    }
}

/// Returns the field of [`Field::Element`] with this degree.
pub(crate) fn element_field(bits: u16) -> DynamicField {
    DynamicField::of_degree(bits.into()).expect("a size that a header can have")
}

/// Returns the evaluation points of shares of an element.
pub(crate) fn points(field: &DynamicField, headers: &[&Header]) -> Vec<DynamicElement> {
    headers.iter().map(|header| field.from_be_bytes(&header.point())).collect()
}

//! Lagrange interpolation over the field of a set.

use sealane::gf2n::{DynamicElement, DynamicField};
use sealane::shamir::bytes;
use sealane::shamir::dynamic::EvaluationPoints;

use crate::format::{Field, Header};

/// The distinct evaluation points of some shares. Interpolation takes as many shares as the
/// threshold, and decoding takes more.
pub(crate) enum Basis {
    Bytes(Vec<u8>),
    Elements(DynamicField, EvaluationPoints),
}

impl Basis {
    /// Prepares interpolation from the shares with these headers. For k shares of an element, this
    /// takes about k² multiplications.
    pub(crate) fn new(headers: &[&Header]) -> Self {
        match headers[0].field() {
            Field::Bytes => Self::Bytes(headers.iter().map(|header| header.index() as u8).collect()),
            Field::Element { bits, .. } => {
                let field = element_field(bits);
                let points = EvaluationPoints::new(&field, &points(&field, headers));
                Self::Elements(field, points.expect("distinct points that are not zero"))
            }
        }
    }

    /// Returns the target of the secret.
    pub(crate) fn secret(&self) -> Target {
        match self {
            Self::Bytes(_) => self.target(&[0]),
            Self::Elements(field, _) => Target::Element(field.zero()),
        }
    }

    /// Returns the target of the share at an evaluation point, a big-endian element. For k shares
    /// of bytes, this takes about k² multiplications.
    pub(crate) fn target(&self, point: &[u8]) -> Target {
        match self {
            Self::Bytes(points) => {
                let combiner = bytes::Combiner::at(points, point[0]);
                Target::Bytes(Box::new(combiner.expect("distinct points that are not zero")))
            }
            Self::Elements(field, _) => Target::Element(field.from_be_bytes(point)),
        }
    }

    /// Estimates the cost of comparing this many other shares with the basis in `elements`
    /// elements, in multiplications of bytes. `shares` is the number of shares of the basis.
    ///
    /// The cost of shares of long elements exceeds 32 bits, and forgers choose all arguments.
    pub(crate) fn cost(field: Field, shares: usize, others: usize, elements: usize) -> u64 {
        let [shares, others, elements] = [shares, others, elements].map(|number| number as u64);
        match field {
            Field::Bytes => others.saturating_mul(shares).saturating_mul(shares.saturating_add(elements)),
            Field::Element { bits, .. } => {
                let multiplication = u64::from(bits) * u64::from(bits).div_ceil(64);
                let each = others.saturating_mul(elements.saturating_add(4));
                shares.saturating_add(each).saturating_mul(shares).saturating_mul(multiplication)
            }
        }
    }

    /// Reads a piece of each share, in the order of the basis. All are equally long, and a whole
    /// number of elements.
    pub(crate) fn pieces<'a>(&self, shares: impl Iterator<Item = &'a [u8]>) -> Pieces<'a> {
        match self {
            Self::Bytes(_) => Pieces::Bytes(shares.collect()),
            Self::Elements(field, _) => {
                let mut columns = Vec::new();
                for share in shares {
                    let elements = share.chunks_exact(field.element_len());
                    columns.resize_with(elements.len(), Vec::new);
                    for (column, element) in columns.iter_mut().zip(elements) {
                        column.push(field.from_be_bytes(element));
                    }
                }
                Pieces::Elements(columns)
            }
        }
    }

    /// Computes the piece of the secret or share at `target`. `out` is as long as each piece. For k
    /// shares of an element, this takes about 4·k multiplications, and k more for each element.
    pub(crate) fn interpolate(&self, target: &Target, pieces: &Pieces<'_>, out: &mut [u8]) {
        match (self, target, pieces) {
            (Self::Bytes(_), Target::Bytes(combiner), Pieces::Bytes(shares)) => {
                combiner.combine(shares, out).expect("shares of equal length");
            }
            (Self::Elements(field, points), Target::Element(target), Pieces::Elements(columns)) => {
                let combiner = points.combiner(target);
                for (column, out) in columns.iter().zip(out.chunks_exact_mut(field.element_len())) {
                    let value = combiner.combine(column).expect("a share for each point");
                    out.copy_from_slice(&value.to_be_bytes(field));
                }
            }
            _ => unreachable!("a target or pieces of another basis"),
        }
    }
}

/// A piece of each share of a basis.
pub(crate) enum Pieces<'a> {
    Bytes(Vec<&'a [u8]>),
    /// The elements at each position of the piece, one of each share.
    Elements(Vec<Vec<DynamicElement>>),
}

/// An evaluation point at which the secret or a share is computed.
pub(crate) enum Target {
    /// Weights that are computed once. There are at most 255 points.
    Bytes(Box<bytes::Combiner>),
    /// The point alone. The weights of all shares of an element would need much memory.
    Element(DynamicElement),
}

/// Returns the field of [`Field::Element`] with this degree.
pub(crate) fn element_field(bits: u16) -> DynamicField {
    DynamicField::of_degree(bits.into()).expect("a size that a header can have")
}

/// Returns the evaluation points of shares of an element.
pub(crate) fn points(field: &DynamicField, headers: &[&Header]) -> Vec<DynamicElement> {
    headers.iter().map(|header| field.from_be_bytes(&header.point())).collect()
}

#[cfg(test)]
mod tests {
    use super::Basis;
    use crate::format::{Field, Points};

    #[test]
    fn the_cost_of_many_long_shares_does_not_overflow() {
        let field = Field::Element { bits: 2048, points: Points::Compact };
        assert_eq!(Basis::cost(Field::Bytes, 3, 5, 64), 5 * 3 * (3 + 64));
        assert_eq!(Basis::cost(field, 3, 5, 2), 3 * (3 + 5 * 6) * 65_536);
        // The most shares and columns that a search meets.
        assert_eq!(Basis::cost(field, 65_535, 65_535, 1024), 65_535 * 65_535 * 1029 * 65_536);
        for field in [Field::Bytes, field] {
            assert_eq!(Basis::cost(field, usize::MAX, usize::MAX, usize::MAX), u64::MAX);
        }
    }
}

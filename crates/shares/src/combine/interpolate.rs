//! Lagrange interpolation over the field of a set.

use crate::gf::{Element, Gf};
use crate::header::{Field, Header};
use sealane::shamir::bytes::Combiner;

/// The value at one point, from the shares at others.
pub(crate) enum Interpolation {
    Bytes(Box<Combiner>),
    Elements(Gf, Vec<Element>),
}

impl Interpolation {
    /// Of the secret.
    pub(crate) fn at_zero(basis: &[&Header]) -> Self {
        let zero = vec![0; basis[0].field().element_bytes()];
        Self::at(basis, &zero)
    }

    /// At an evaluation point, big-endian. The points of the basis must be distinct.
    pub(crate) fn at(basis: &[&Header], target: &[u8]) -> Self {
        match basis[0].field() {
            Field::Bytes => {
                let points: Vec<u8> = basis.iter().map(|header| header.index() as u8).collect();
                Self::Bytes(Box::new(Combiner::at(&points, target[0]).expect("distinct points that are not zero")))
            }
            Field::Element { bits, .. } => {
                let field = element_field(bits);
                let points: Vec<Element> = basis.iter().map(|header| field.read_bytes(&header.point())).collect();
                Self::Elements(field, field.weights(&points, &field.read_bytes(target)))
            }
        }
    }

    /// What [`at`](Self::at) and one element cost for so many shares, in multiplications of bytes, about.
    pub(crate) fn cost(field: Field, shares: usize, elements: usize) -> usize {
        let multiplication = match field {
            Field::Bytes => 1,
            // A bit of the one times all words of the other.
            Field::Element { bits, .. } => usize::from(bits) * usize::from(bits).div_ceil(64),
        };
        shares * (shares + elements) * multiplication
    }

    /// From the shares, in the order of the basis, all as long as `out`, which has whole elements.
    pub(crate) fn apply(&self, shares: &[&[u8]], out: &mut [u8]) {
        match self {
            Self::Bytes(combiner) => combiner.combine(shares, out).expect("shares of equal length"),
            Self::Elements(field, weights) => {
                for (at, out) in out.chunks_exact_mut(field.bytes()).enumerate() {
                    let element = |share: &&[u8]| field.read_bytes(&share[at * field.bytes()..][..field.bytes()]);
                    let shares: Vec<Element> = shares.iter().map(element).collect();
                    field.write_bytes(&field.weighted_sum(weights, &shares), out);
                }
            }
        }
    }
}

/// The fields of element shares: x^n + x^a + x^b + x^c + 1 with the lexicographically first exponents that make it
/// irreducible.
pub(crate) fn element_field(bits: u16) -> Gf {
    let middle = match bits {
        16 => [5, 3, 1],
        32 => [7, 3, 2],
        64 => [4, 3, 1],
        128 | 192 => [7, 2, 1],
        256 => [10, 5, 2],
        384 => [12, 3, 2],
        512 => [8, 5, 2],
        768 => [19, 17, 4],
        1024 => [19, 6, 1],
        1536 => [21, 6, 2],
        2048 => [19, 14, 13],
        _ => unreachable!("a header has one of the fields"),
    };
    Gf::new(bits.into(), middle)
}

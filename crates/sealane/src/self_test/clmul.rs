//! GF(2^n): the known answers that a backend must give before it is used.

use sealane_simd::ClmulLevel;

use super::absorb;
use crate::backend::{ClmulFamily, Family};
use crate::gf2n::{ClmulBackend, Degree, Field, Gf2n};

impl Family for ClmulFamily {
    type Level = ClmulLevel;
    const PRIMITIVES: &'static [&'static str] = &["gf2n"];

    fn gives_known_answers(level: ClmulLevel, _: usize) -> bool {
        digest(ClmulBackend::of(level)) == DIGEST
    }

    caches!(ClmulLevel);
}

const DIGEST: u64 = 2_965_377_951_020_033_803;

/// Computes the known answer: a digest of results in a field whose elements have one limb, and in a
/// field whose elements have more than one block. Together these two fields use every instruction
/// that the other fields use, except for squares in many lanes, which only inverses in smaller
/// fields need. More fields would enlarge every program, because each is compiled for every level.
fn digest(backend: ClmulBackend) -> u64 {
    let mut squares = operands::<64>();
    backend.square_slice(&mut squares);
    let squares = squares.iter().fold(0, |digest, element| absorb(digest, &element.to_bytes()));
    digest_of::<192>(backend, digest_of::<64>(backend, squares))
}

/// Extends `digest` with products, a square and an inverse of dense elements. The products are
/// computed in one lane and in many. Not every inverse needs squares.
fn digest_of<const BITS: usize>(backend: ClmulBackend, digest: u64) -> u64
where
    Degree<BITS>: Field,
{
    let mut elements = operands::<BITS>();
    let last = elements[3];
    backend.scale(&mut elements, &last);
    elements[2] = backend.multiply(&elements[0], &elements[1]);
    elements[3] = backend.invert(&elements[1]).unwrap_or(Gf2n::ZERO);
    elements[0] = backend.square(&elements[0]);
    elements.iter().fold(digest, |digest, element| absorb(digest, element.to_bytes().as_ref()))
}

fn operands<const BITS: usize>() -> [Gf2n<BITS>; 4]
where
    Degree<BITS>: Field,
{
    let mut elements = [Gf2n::ZERO; 4];
    let mut state = 0xfedc_ba98_7654_3210_u64;
    for element in &mut elements {
        for limb in element.0.as_mut() {
            state = state.wrapping_mul(0xd129_0d3d_90d6_f4a5).rotate_left(23) ^ 0x8000_0000_0000_0001;
            *limb = state;
        }
        element.mask();
    }
    elements
}

#[cfg(feature = "checks")]
pub(super) fn check_every_level() {
    use sealane_simd::LevelList;
    for level in ClmulLevel::available() {
        assert_eq!(digest(ClmulBackend::of(level)), DIGEST, "{level:?}");
    }
}

#[cfg(test)]
mod tests {
    use sealane_spec::gf2n::Polynomial;

    use super::*;

    /// Multiplies, squares and inverts the same elements with the reference.
    #[test]
    fn the_known_answers_are_those_of_the_reference() {
        fn digest_of<const BITS: usize>(digest: u64) -> u64
        where
            Degree<BITS>: Field,
        {
            let modulus = Polynomial::modulus(BITS);
            let elements = operands::<BITS>().map(|element| Polynomial::from_bytes(element.to_bytes().as_ref()));
            let scaled = elements.each_ref().map(|element| element.multiply_mod(&elements[3], &modulus));
            let product = scaled[0].multiply_mod(&scaled[1], &modulus);
            let inverse = scaled[1].invert_mod(&modulus).unwrap();
            let square = scaled[0].multiply_mod(&scaled[0], &modulus);
            let results = [&square, &scaled[1], &product, &inverse];
            results.iter().fold(digest, |digest, result| absorb(digest, &result.to_bytes(BITS / 8)))
        }
        let squares = operands::<64>().iter().fold(0, |digest, element| {
            let element = Polynomial::from_bytes(&element.to_bytes());
            absorb(digest, &element.multiply_mod(&element, &Polynomial::modulus(64)).to_bytes(8))
        });
        assert_eq!(digest_of::<192>(digest_of::<64>(squares)), DIGEST);
    }
}

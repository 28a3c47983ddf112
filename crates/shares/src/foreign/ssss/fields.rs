//! The fields of ssss.

use sealane::gf2n::DynamicField;

/// The exponents a, b and c for each degree n, from 8 to 1024 in steps of 8. Ordered by a, then b,
/// then c, they are the first for which x^n + x^a + x^b + x^c + 1 is irreducible.
#[rustfmt::skip]
const EXPONENTS: [[u32; 3]; 128] = [
    [4, 3, 1], [5, 3, 1], [4, 3, 1], [7, 3, 2], [5, 4, 3], [5, 3, 2], [7, 4, 2], [4, 3, 1],
    [10, 9, 3], [9, 4, 2], [7, 6, 2], [10, 9, 6], [4, 3, 1], [5, 4, 3], [4, 3, 1], [7, 2, 1],
    [5, 3, 2], [7, 4, 2], [6, 3, 2], [5, 3, 2], [15, 3, 2], [11, 3, 2], [9, 8, 7], [7, 2, 1],
    [5, 3, 2], [9, 3, 1], [7, 3, 1], [9, 8, 3], [9, 4, 2], [8, 5, 3], [15, 14, 10], [10, 5, 2],
    [9, 6, 2], [9, 3, 2], [9, 5, 2], [11, 10, 1], [7, 3, 2], [11, 2, 1], [9, 7, 4], [4, 3, 1],
    [8, 3, 1], [7, 4, 1], [7, 2, 1], [13, 11, 6], [5, 3, 2], [7, 3, 2], [8, 7, 5], [12, 3, 2],
    [13, 10, 6], [5, 3, 2], [5, 3, 2], [9, 5, 2], [9, 7, 2], [13, 4, 3], [4, 3, 1], [11, 6, 4],
    [18, 9, 6], [19, 18, 13], [11, 3, 2], [15, 9, 6], [4, 3, 1], [16, 5, 2], [15, 14, 6], [8, 5, 2],
    [15, 11, 2], [11, 6, 2], [7, 5, 3], [8, 3, 1], [19, 16, 9], [11, 9, 6], [15, 7, 6], [13, 4, 3],
    [14, 13, 3], [13, 6, 3], [9, 5, 2], [19, 13, 6], [19, 10, 3], [11, 6, 5], [9, 2, 1], [14, 3, 2],
    [13, 3, 1], [7, 5, 4], [11, 9, 8], [11, 6, 5], [23, 16, 9], [19, 14, 6], [23, 10, 2], [8, 3, 2],
    [5, 4, 3], [9, 6, 4], [4, 3, 2], [13, 8, 6], [13, 11, 1], [13, 10, 3], [11, 6, 5], [19, 17, 4],
    [15, 14, 7], [13, 9, 6], [9, 7, 3], [9, 7, 1], [14, 3, 2], [11, 8, 2], [11, 6, 4], [13, 5, 2],
    [11, 5, 1], [11, 4, 1], [19, 10, 3], [21, 10, 6], [13, 3, 1], [15, 7, 5], [19, 18, 10],
    [7, 5, 3], [12, 7, 2], [7, 5, 1], [14, 9, 6], [10, 3, 2], [15, 13, 12], [12, 11, 9], [16, 9, 7],
    [12, 9, 3], [9, 5, 2], [17, 10, 6], [24, 9, 3], [17, 15, 13], [5, 4, 3], [19, 17, 8],
    [15, 6, 3], [19, 6, 1],
];

/// Returns the field whose elements have this many bytes, from 1 to 128.
pub(super) fn field_of_bytes(bytes: usize) -> Option<DynamicField> {
    let exponents = EXPONENTS.get(bytes.checked_sub(1)?)?;
    DynamicField::new(bytes * 8, *exponents)
}

#[cfg(test)]
mod tests {
    use sealane_spec::gf2n::Polynomial;

    use super::*;

    fn is_irreducible(bits: usize, exponents: [u32; 3]) -> bool {
        let [a, b, c] = exponents.map(|exponent| exponent as usize);
        Polynomial::powers(&[bits, a, b, c, 0]).is_irreducible()
    }

    #[test]
    fn every_polynomial_is_irreducible() {
        for (bytes, &exponents) in (1..).zip(&EXPONENTS) {
            assert!(is_irreducible(8 * bytes, exponents), "{} bits", 8 * bytes);
            assert!(field_of_bytes(bytes).is_some(), "{} bits", 8 * bytes);
        }
        assert!(field_of_bytes(0).is_none() && field_of_bytes(129).is_none());
    }

    #[test]
    fn the_test_of_irreducibility_can_fail() {
        assert!(!is_irreducible(8, [4, 3, 2]) || !is_irreducible(8, [5, 4, 2]));
        assert!(!is_irreducible(64, [5, 3, 1]));
        assert!(!is_irreducible(1024, [19, 6, 2]));
    }
}

//! GF(2^n) on every backend against the reference, and published products.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use sealane::gf2n::{ClmulBackend, ClmulFamily, Degree, Element, Field, Gf128};
use sealane::with_field;
use sealane_spec::gf2n::{FIELDS, Polynomial};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::common::{backends_of, cases, test_bytes};
use crate::fields::{FEW_FIELDS, for_every_field};

#[track_caller]
fn backends() -> Vec<ClmulBackend> {
    backends_of::<ClmulFamily>()
}

pub(crate) fn element<F: Field>(seed: u64) -> Element<F> {
    Element::from_slice(&test_bytes(seed, Element::<F>::BYTES)).unwrap()
}

/// Returns zero, one, the highest power of x, all ones, ones in one half only, and others.
fn elements<F: Field>() -> Vec<Element<F>> {
    let bytes = Element::<F>::BYTES;
    let mut top = vec![0; bytes];
    top[bytes - 1] = 0x80;
    let mut low_ones = vec![0; bytes];
    low_ones[..bytes.div_ceil(2)].fill(0xff);
    let mut high_ones = vec![0xff; bytes];
    high_ones[..bytes / 2].fill(0);
    let special = [top, vec![0xff; bytes], low_ones, high_ones];
    let mut elements = vec![Element::ZERO, Element::ONE];
    elements.extend(special.iter().map(|bytes| Element::from_slice(bytes).unwrap()));
    elements.extend((1..6).map(element));
    elements
}

fn polynomial<F: Field>(element: &Element<F>) -> Polynomial {
    Polynomial::from_bytes(element.to_bytes().as_ref())
}

fn modulus<F: Field>() -> Polynomial {
    Polynomial::modulus(F::BITS)
}

fn of<F: Field>(polynomial: &Polynomial) -> Element<F> {
    Element::from_slice(&polynomial.to_bytes(Element::<F>::BYTES)).unwrap()
}

/// The fields equal the reference's. The reference's own test proves their polynomials irreducible.
#[test]
fn polynomials_are_those_of_the_reference() {
    fn check<F: Field>(seen: &mut Vec<(usize, [usize; 3])>) {
        seen.push((F::BITS, F::EXPONENTS.map(|exponent| exponent as usize)));
    }
    let mut seen = Vec::new();
    for_every_field!(check(&mut seen));
    seen.sort_unstable();
    let expected = FIELDS.into_iter().filter(|(bits, _)| !cfg!(sealane_few_fields) || FEW_FIELDS.contains(bits));
    assert_eq!(seen, expected.collect::<Vec<_>>());
}

#[test]
fn products_are_those_of_the_reference() {
    fn check<F: Field>() {
        let elements = elements::<F>();
        for a in &elements {
            for b in &elements {
                let expected = of::<F>(&polynomial(a).multiply_mod(&polynomial(b), &modulus::<F>()));
                assert!(a * b == expected, "{}", F::BITS);
                for backend in backends() {
                    assert!(backend.multiply(a, b) == expected, "{} on {backend}", F::BITS);
                    let mut many = [*a; 7];
                    backend.scale(&mut many, b);
                    assert!(many == [expected; 7], "scale, {} on {backend}", F::BITS);
                }
            }
        }
    }
    for_every_field!(check());
}

#[test]
fn squares_inverses_and_powers_are_those_of_the_reference() {
    fn check<F: Field>() {
        for a in elements::<F>() {
            let (x, modulus) = (polynomial(&a), modulus::<F>());
            let square = of::<F>(&x.square_mod(&modulus));
            let inverse = x.invert_mod(&modulus).map(|inverse| of::<F>(&inverse));
            let cube = of::<F>(&x.square_mod(&modulus).multiply_mod(&x, &modulus));
            for backend in backends() {
                assert!(backend.square(&a) == square, "{} on {backend}", F::BITS);
                let fourth = of::<F>(&polynomial(&square).square_mod(&modulus));
                assert!(backend.square_times(&a, 2) == fourth, "{} on {backend}", F::BITS);
                assert!(Option::from(backend.invert(&a)) == inverse, "{} on {backend}", F::BITS);
                assert!(backend.pow(&a, &[3]) == cube, "{} on {backend}", F::BITS);
                assert!(backend.pow(&a, &[]) == Element::ONE);
                // The exponent is 2^64 + 1.
                let power = backend.multiply(&backend.square_times(&a, 64), &a);
                assert!(backend.pow(&a, &[1, 1]) == power, "{} on {backend}", F::BITS);
            }
        }
    }
    for_every_field!(check());
}

/// A held backend gives the same products, squares and inverses as the backend itself, also in a
/// chain whose elements stay in registers.
#[test]
fn a_held_backend_computes_what_the_backend_computes() {
    fn check<F: Field>() {
        for backend in backends() {
            for a in elements::<F>() {
                for b in elements::<F>() {
                    let (mut expected, mut held) = (a, a);
                    for _ in 0..5 {
                        expected = backend.multiply(&(expected + b), &a);
                    }
                    with_field!(backend, field => for _ in 0..5 {
                        held = field.multiply(&(held + b), &a);
                    });
                    assert!(held == expected, "{} on {backend}", F::BITS);
                }
                let (square, fourth, inverse) = with_field!(backend, field => {
                    (field.square(&a), field.square_times(&a, 2), field.invert(&a))
                });
                assert!(square == backend.square(&a), "{} on {backend}", F::BITS);
                assert!(fourth == backend.square_times(&a, 2), "{} on {backend}", F::BITS);
                assert!(Option::<Element<F>>::from(inverse) == backend.invert(&a).into(), "{} on {backend}", F::BITS);
            }
        }
    }
    check::<Degree<8>>();
    check::<Degree<64>>();
    check::<Degree<128>>();
    check::<Degree<192>>();
    check::<Degree<512>>();
}

/// Tries every number of elements up to more than twice the lanes of the widest vector, with a zero
/// at several positions.
#[test]
fn operations_on_many_elements_agree_with_operations_on_one() {
    fn check<F: Field>() {
        for backend in backends() {
            for length in 0..=9 {
                for zero in [0, length / 2, length] {
                    let mut a: Vec<Element<F>> = (0..length as u64).map(|i| element(100 + i)).collect();
                    let b: Vec<Element<F>> = (0..length as u64).map(|i| element(200 + i)).collect();
                    if let Some(a) = a.get_mut(zero) {
                        *a = Element::ZERO;
                    }
                    let products: Vec<_> = a.iter().zip(&b).map(|(a, b)| backend.multiply(a, b)).collect();
                    assert!(backend.dot_product(&a, &b) == products.iter().copied().sum(), "{backend}");
                    let mut in_place = a.clone();
                    backend.multiply_slices(&mut in_place, &b);
                    assert!(in_place == products, "{backend}");
                    let inverses: Vec<_> = a.iter().map(|a| backend.invert(a).unwrap_or(Element::ZERO)).collect();
                    let mut scratch = b.clone();
                    backend.batch_invert(&mut a, &mut scratch);
                    assert!(a == inverses, "{} on {backend}", F::BITS);
                    assert!(scratch.iter().all(|x| *x == Element::ZERO), "scratch is wiped");
                }
            }
        }
    }
    for_every_field!(check());
}

/// Compares evaluation with Horner's rule by operators. Interpolation restores the polynomial.
#[test]
fn interpolation_undoes_evaluation() {
    fn check<F: Field>() {
        for backend in backends() {
            for length in 1..=9 {
                let coefficients: Vec<Element<F>> = (0..length).map(|i| element(300 + i)).collect();
                let points: Vec<_> = (1..=length).map(|i| Element::from_bits(i * 13 % 256).unwrap()).collect();
                let mut values = vec![Element::ZERO; points.len()];
                backend.evaluate(&coefficients, &points, &mut values);
                let horner = |x: &Element<F>| coefficients.iter().rev().fold(Element::ZERO, |y, c| y * *x + *c);
                assert!(values == points.iter().map(horner).collect::<Vec<_>>(), "{} on {backend}", F::BITS);
                let (mut weights, mut scratch) = (values.clone(), values.clone());
                for at in [Element::ZERO, Element::from_bits(0xf0).unwrap()] {
                    backend.lagrange_weights(&points, &at, &mut weights, &mut scratch);
                    assert!(backend.dot_product(&weights, &values) == horner(&at), "{} on {backend}", F::BITS);
                }
                // The degree is one too high for the sum to be zero: the sum is the highest
                // coefficient.
                backend.dual_weights(&points, &mut weights, &mut scratch);
                let sum = backend.dot_product(&weights, &values);
                assert!(sum == coefficients[length as usize - 1], "{} on {backend}", F::BITS);
            }
        }
    }
    for_every_field!(check());
}

#[test]
fn bytes_are_little_endian_and_all_are_elements() {
    fn check<F: Field>() {
        let bytes = test_bytes(5, Element::<F>::BYTES);
        let a = Element::<F>::from_slice(&bytes).unwrap();
        assert_eq!(a.to_bytes().as_ref(), bytes);
        assert!(Element::<F>::from_slice(&bytes[1..]).is_none());
        let x = Element::<F>::from_bits(2).unwrap();
        assert_eq!(x.to_bytes().as_ref()[0], 2);
        let mut power = vec![0; bytes.len()];
        power[bytes.len() - 1] = 0x80;
        assert_eq!(x.pow(&[F::BITS as u64 - 1]).to_bytes().as_ref(), power);
        assert!(Element::<F>::from_bits(1 << (F::BITS - 1).min(63)).is_some());
        assert_eq!(Element::<F>::from_bits(u64::MAX).is_some(), F::BITS >= 64);
        assert_eq!(format!("{a:?}"), format!("Gf2n<{}>(..)", F::BITS));
    }
    for_every_field!(check());
}

#[test]
fn comparison_and_selection() {
    fn check<F: Field>() {
        let (a, b) = (element::<F>(1), element::<F>(2));
        assert!(bool::from(a.ct_eq(&a)) && !bool::from(a.ct_eq(&b)) && a != b);
        assert!(Element::conditional_select(&a, &b, Choice::from(0)) == a);
        assert!(Element::conditional_select(&a, &b, Choice::from(1)) == b);
        // A difference in any one bit counts.
        for bit in 0..F::BITS {
            let mut bytes = a.to_bytes();
            bytes.as_mut()[bit / 8] ^= 1 << (bit % 8);
            assert!(Element::<F>::from_bytes(&bytes) != a);
        }
        assert!(bool::from(Element::<F>::ZERO.is_zero()) && !bool::from(Element::<F>::ONE.is_zero()));
        assert!(a - b == a + b && -a == a);
    }
    for_every_field!(check());
}

/// NIST SP 800-38D has the same polynomial with the bits in reverse order: GHASH of test case 2 of
/// McGrew and Viega, "The Galois/Counter Mode of Operation", is (C·H + lengths)·H.
#[test]
fn products_of_gcm() {
    let reflected = |hex: u128| Gf128::from_bytes(&hex.reverse_bits().to_le_bytes());
    let h = reflected(0x66e9_4bd4_ef8a_2c3b_884c_fa59_ca34_2b2e);
    let c = reflected(0x0388_dace_60b6_a392_f328_c2b9_71b2_fe78);
    assert!(c * h == reflected(0x5e2e_c746_9170_6288_2c85_b068_5353_deb7));
    let lengths = reflected(0x80);
    assert!((c * h + lengths) * h == reflected(0xf38c_bb1a_d692_23dc_c345_7ae5_b6b0_f885));
}

/// Tries the axioms of a field on bytes that proptest makes. All fields share this function,
/// because proptest would otherwise be compiled for each of them.
fn try_axioms(bytes: usize, axioms: fn(&[u8], &[u8], &[u8])) {
    let element = || proptest::collection::vec(prop_oneof![Just(0), Just(0xff), any::<u8>()], bytes);
    let mut runner = TestRunner::new(cases(256));
    let outcome = runner.run(&(element(), element(), element()), |(a, b, c)| {
        axioms(&a, &b, &c);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

fn axioms_of<F: Field>(a: &[u8], b: &[u8], c: &[u8]) {
    let [a, b, c] = [a, b, c].map(|bytes| Element::<F>::from_slice(bytes).unwrap());
    for backend in backends() {
        let mul = |x: &Element<F>, y: &Element<F>| backend.multiply(x, y);
        assert!(mul(&a, &b) == mul(&b, &a), "{backend}");
        assert!(mul(&a, &mul(&b, &c)) == mul(&mul(&a, &b), &c), "{backend}");
        assert!(mul(&(a + b), &c) == mul(&a, &c) + mul(&b, &c), "{backend}");
        assert!(mul(&a, &Element::ONE) == a, "{backend}");
        assert!(backend.square(&a) == mul(&a, &a), "{backend}");
        assert!(backend.square_times(&a, F::BITS) == a, "{backend}");
        match Option::<Element<F>>::from(backend.invert(&a)) {
            Some(inverse) => assert!(mul(&a, &inverse) == Element::ONE, "{backend}"),
            None => assert!(a == Element::ZERO, "{backend}"),
        }
    }
}

macro_rules! axioms {
    ($($(#[$attribute:meta])? $name:ident: $bits:literal;)*) => {
        $(
            $(#[$attribute])?
            #[test]
            fn $name() {
                try_axioms($bits / 8, axioms_of::<Degree<$bits>>);
            }
        )*
    };
}

axioms! {
    axioms_of_8: 8;
    #[cfg(not(sealane_few_fields))]
    axioms_of_16: 16;
    #[cfg(not(sealane_few_fields))]
    axioms_of_32: 32;
    axioms_of_64: 64;
    axioms_of_128: 128;
    axioms_of_192: 192;
    #[cfg(not(sealane_few_fields))]
    axioms_of_256: 256;
    #[cfg(not(sealane_few_fields))]
    axioms_of_384: 384;
    #[cfg(not(sealane_few_fields))]
    axioms_of_512: 512;
    #[cfg(not(sealane_few_fields))]
    axioms_of_768: 768;
    #[cfg(not(sealane_few_fields))]
    axioms_of_1024: 1024;
    #[cfg(not(sealane_few_fields))]
    axioms_of_1536: 1536;
    axioms_of_2048: 2048;
}

//! Compares slices times a constant in GF(2^8) with the reference, in both fields, on every
//! backend: all constants, lengths and alignments.

use sealane::Gf8Family;
use sealane::gf8::{self, Field, Gf8Backend};
use sealane_spec::erasure;
use sealane_spec::shamir_bytes::multiply;

use crate::common::{backends_of, test_bytes};

#[track_caller]
fn backends() -> Vec<Gf8Backend> {
    backends_of::<Gf8Family>()
}

/// Several vectors of the widest backend, the last one incomplete.
const MAX_LENGTH: usize = 260;
const CONSTANTS: [u8; 6] = [0, 1, 2, 0x53, 0x80, 0xff];

const FIELDS: [Field; 2] = [Field::Aes, Field::ReedSolomon];

fn products_in(field: Field, constant: u8, data: &[u8]) -> Vec<u8> {
    let multiply = |byte: &u8| match field {
        Field::Aes => multiply(constant, *byte),
        _ => erasure::multiply(0x11d, constant, *byte),
    };
    data.iter().map(multiply).collect()
}

fn products(constant: u8, data: &[u8]) -> Vec<u8> {
    products_in(Field::Aes, constant, data)
}

fn added(products: &[u8], sum: &[u8]) -> Vec<u8> {
    products.iter().zip(sum).map(|(product, byte)| product ^ byte).collect()
}

fn sums(constant: u8, source: &[u8], sum: &[u8]) -> Vec<u8> {
    added(&products(constant, source), sum)
}

#[test]
fn elements_are_those_of_the_reference() {
    for (field, polynomial) in FIELDS.into_iter().zip([0x11b, 0x11d]) {
        assert_eq!(field.polynomial(), polynomial);
        assert_eq!([field.inverse(0), field.inverse(1)], [None, Some(1)]);
        for a in 0..=255 {
            for b in 0..=255 {
                assert_eq!(field.product(a, b), erasure::multiply(polynomial, a, b), "{a} times {b} in {field:?}");
            }
            assert!(a == 0 || field.inverse(a) == Some(erasure::inverse(polynomial, a)), "1 / {a} in {field:?}");
            for exponent in [0, 1, 2, 3, 100, 254, 255, 256] {
                let expected = erasure::power(polynomial, a, exponent as usize);
                assert_eq!(field.power(a, exponent), expected, "{a}^{exponent} in {field:?}");
            }
        }
    }
    // The generators that the documentation names: 3 and 2.
    for (field, generator) in FIELDS.into_iter().zip([3, 2]) {
        assert!((1..255).all(|exponent| field.power(generator, exponent) != 1), "{generator} in {field:?}");
    }
}

#[test]
fn every_constant_times_every_byte_is_that_of_the_reference() {
    let all: Vec<u8> = (0..=255).collect();
    for length in [1, 100, 256] {
        let (data, sum) = (&all[256 - length..], &test_bytes(1, 256)[..length]);
        for (field, constant) in FIELDS.into_iter().flat_map(|field| (0..=255).map(move |constant| (field, constant))) {
            let products = products_in(field, constant, data);
            let sums = added(&products, sum);
            for backend in backends() {
                let (mut multiplied, mut added) = (data.to_vec(), sum.to_vec());
                backend.multiply_slice_in(field, constant, &mut multiplied);
                backend.multiply_add_slice_in(field, constant, data, &mut added);
                assert_eq!(multiplied, products, "{constant} times {length} bytes in {field:?} on {backend}");
                assert_eq!(added, sums, "{constant} times {length} bytes in {field:?}, added on {backend}");
            }
        }
    }
}

/// The bytes after the slice must not change.
#[test]
fn every_length_is_that_of_the_reference() {
    let (data, sum) = (test_bytes(2, MAX_LENGTH), test_bytes(3, MAX_LENGTH));
    for (field, constant) in FIELDS.into_iter().flat_map(|field| CONSTANTS.map(|constant| (field, constant))) {
        let products = products_in(field, constant, &data);
        let sums = added(&products, &sum);
        for backend in backends() {
            for length in 0..=MAX_LENGTH {
                let (mut multiplied, mut added) = (data.clone(), sum.clone());
                backend.multiply_slice_in(field, constant, &mut multiplied[..length]);
                backend.multiply_add_slice_in(field, constant, &data[..length], &mut added[..length]);
                let is_right = |result: &[u8], expected: &[u8], before: &[u8]| {
                    result[..length] == expected[..length] && result[length..] == before[length..]
                };
                assert!(is_right(&multiplied, &products, &data), "{constant} times {length} bytes on {backend}");
                assert!(is_right(&added, &sums, &sum), "{constant} times {length} bytes, added on {backend}");
            }
        }
    }
}

/// Testing every pair of alignments to 64 bytes would take long. Each alignment of one slice is
/// tested with one of the other.
#[test]
fn every_alignment() {
    let (data, sum) = (test_bytes(4, 400), test_bytes(5, 400));
    for backend in backends() {
        for start in 0..=64 {
            let other = start * 7 % 65;
            let (source, length) = (&data[start..start + 200], 200);
            let mut multiplied = data.clone();
            backend.multiply_slice(0x1d, &mut multiplied[start..start + length]);
            let expected = [&data[..start], &products(0x1d, source), &data[start + length..]].concat();
            assert!(multiplied == expected, "from {start} on {backend}");
            let mut added = sum.clone();
            backend.multiply_add_slice(0x1d, source, &mut added[other..other + length]);
            let expected =
                [&sum[..other], &sums(0x1d, source, &sum[other..other + length]), &sum[other + length..]].concat();
            assert!(added == expected, "from {start} to {other} on {backend}");
        }
    }
}

#[test]
fn long_slices_are_those_of_the_reference() {
    let (data, sum) = (test_bytes(6, 70_001), test_bytes(7, 70_001));
    let (products, sums) = (products(0xca, &data), sums(0xca, &data, &sum));
    for backend in backends() {
        let (mut multiplied, mut added) = (data.clone(), sum.clone());
        backend.multiply_slice(0xca, &mut multiplied);
        backend.multiply_add_slice(0xca, &data, &mut added);
        assert!(multiplied == products && added == sums, "on {backend}");
    }
}

#[test]
fn the_functions_agree_with_the_methods() {
    let (data, sum) = (test_bytes(8, 100), test_bytes(9, 100));
    let (mut multiplied, mut added) = (data.clone(), sum.clone());
    gf8::multiply_slice(0x57, &mut multiplied);
    gf8::multiply_add_slice(0x57, &data, &mut added);
    assert_eq!((multiplied, added), (products(0x57, &data), sums(0x57, &data, &sum)));
}

#[test]
#[should_panic(expected = "the slices differ in length")]
fn a_sum_of_another_length_is_refused() {
    gf8::multiply_add_slice(3, &[1; 65], &mut [0; 64]);
}

//! Products of a matrix and slices against the reference, on every backend: lengths, shapes, sizes
//! of blocks, and the codes of other programs.

use proptest::prelude::*;
use sealane::Gf8Family;
use sealane::gf8::{Field, Gf8Backend, Matrix, SingularMatrix};
use sealane_simd::tuning::GF8_MATRIX_BLOCK_BYTES;
use sealane_spec::erasure;
use sealane_vectors::ParityMatrix;

use crate::common::{backends_of, cases, test_bytes};

#[track_caller]
fn backends() -> Vec<Gf8Backend> {
    backends_of::<Gf8Family>()
}

/// Several steps of the widest kernel, the last one incomplete.
const MAX_LENGTH: usize = 600;
const FIELDS: [Field; 2] = [Field::Aes, Field::ReedSolomon];
/// The initial value of all bytes in the memory of destinations. The bytes after a destination keep
/// it.
const BEFORE: u8 = 0xa5;

fn shards(seed: u64, count: usize, length: usize) -> Vec<Vec<u8>> {
    (0..count).map(|shard| test_bytes(seed + shard as u64, length)).collect()
}

/// Returns the reference's product of a matrix, given row after row, and sources.
fn expected(field: Field, columns: usize, coefficients: &[u8], sources: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let rows: Vec<_> = coefficients.chunks(columns).map(<[u8]>::to_vec).collect();
    erasure::multiply_shards(field.polynomial(), &rows, sources)
}

/// Returns the product of a matrix and the first `length` bytes of each source, in destinations
/// with more bytes after them.
fn product(matrix: &Matrix, sources: &[Vec<u8>], length: usize, accumulate: bool) -> Vec<Vec<u8>> {
    let sources: Vec<_> = sources.iter().map(|source| &source[..length]).collect();
    let mut destinations = vec![vec![BEFORE; length + 70]; matrix.rows()];
    let mut slices: Vec<_> = destinations.iter_mut().map(|destination| &mut destination[..length]).collect();
    match accumulate {
        true => matrix.multiply_add(&sources, &mut slices),
        false => matrix.multiply(&sources, &mut slices),
    }
    destinations
}

/// Checks the product of a matrix and the first `length` bytes of each source, written and added.
/// `expected` is the product of whole sources.
#[track_caller]
fn check(matrix: &Matrix, sources: &[Vec<u8>], length: usize, expected: &[Vec<u8>]) {
    for accumulate in [false, true] {
        let before = if accumulate { BEFORE } else { 0 };
        let product = product(matrix, sources, length, accumulate);
        for (row, (product, expected)) in product.iter().zip(expected).enumerate() {
            let is_sum = product[..length].iter().zip(expected).all(|(byte, sum)| *byte == sum ^ before);
            let is_within = product[length..].iter().all(|byte| *byte == BEFORE);
            assert!(is_sum && is_within, "{length} bytes of row {row} of {matrix:?} on {}", matrix.backend());
        }
    }
}

/// The matrices have every number of rows that can be computed together, and several such groups of
/// rows.
#[test]
fn every_length_is_that_of_the_reference() {
    for (rows, columns) in [(1, 1), (1, 4), (2, 3), (3, 2), (4, 10), (5, 3), (6, 2), (7, 3), (13, 2)] {
        let (coefficients, sources) = (test_bytes(rows as u64, rows * columns), shards(7, columns, MAX_LENGTH));
        let field = FIELDS[rows % 2];
        let expected = expected(field, columns, &coefficients, &sources);
        for backend in backends() {
            let matrix = Matrix::with_backend(field, rows, columns, &coefficients, backend);
            (0..=MAX_LENGTH).for_each(|length| check(&matrix, &sources, length, &expected));
        }
    }
}

/// If a matrix has more rows than are computed together, sources are read in blocks, whose length
/// depends on the number of columns.
#[test]
fn lengths_around_blocks_are_those_of_the_reference() {
    for columns in [1, 3, 40, 200] {
        let block = (GF8_MATRIX_BLOCK_BYTES / columns).next_multiple_of(128);
        let (rows, length) = (8, 2 * block + 131);
        let (coefficients, sources) = (test_bytes(11, rows * columns), shards(12, columns, length));
        let expected = expected(Field::ReedSolomon, columns, &coefficients, &sources);
        for backend in backends() {
            let matrix = Matrix::with_backend(Field::ReedSolomon, rows, columns, &coefficients, backend);
            let around = |blocks: usize| [blocks * block - 1, blocks * block, blocks * block + 1];
            for length in around(1).into_iter().chain(around(2)).chain([length]) {
                check(&matrix, &sources, length, &expected);
            }
        }
    }
}

#[test]
fn every_coefficient_is_that_of_the_reference() {
    let (coefficients, source): (Vec<u8>, Vec<u8>) = ((0..=255).collect(), (0..=255).collect());
    for field in FIELDS {
        let expected = expected(field, 1, &coefficients, std::slice::from_ref(&source));
        for backend in backends() {
            let matrix = Matrix::with_backend(field, 256, 1, &coefficients, backend);
            check(&matrix, std::slice::from_ref(&source), 256, &expected);
        }
    }
}

/// The products with 1 are the sources, and those with 0 are 0.
#[test]
fn the_identity_and_zero() {
    let sources = shards(20, 9, 333);
    let identity: Vec<u8> = (0..81).map(|i| u8::from(i % 10 == 0)).collect();
    for backend in backends() {
        let matrix = |coefficients| Matrix::with_backend(Field::ReedSolomon, 9, 9, coefficients, backend);
        check(&matrix(&identity), &sources, 333, &sources);
        check(&matrix(&[0; 81]), &sources, 333, &vec![vec![0; 333]; 9]);
    }
}

/// A sum without sources is 0.
#[test]
fn shapes_without_rows_or_columns() {
    for backend in backends() {
        let empty_matrix = |rows, columns| Matrix::with_backend(Field::Aes, rows, columns, &[], backend);
        check(&empty_matrix(2, 0), &[], 100, &vec![vec![0; 100]; 2]);
        check(&empty_matrix(0, 2), &shards(1, 2, 100), 100, &[]);
        check(&empty_matrix(0, 0), &[], 0, &[]);
    }
}

/// A block is shorter than a step if it has the bytes of all columns. Seven rows are more than any
/// kernel computes at once, so they take blocks.
#[test]
fn more_columns_than_a_block_has_bytes() {
    let columns = GF8_MATRIX_BLOCK_BYTES + 1;
    let coefficients = test_bytes(9, 7 * columns);
    let sources = shards(10, columns, 3);
    let expected = expected(Field::ReedSolomon, columns, &coefficients, &sources);
    for backend in backends() {
        let matrix = Matrix::with_backend(Field::ReedSolomon, 7, columns, &coefficients, backend);
        check(&matrix, &sources, 3, &expected);
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn random_matrices(
        rows in 1..16_usize, columns in 1..14_usize, length in 0..400_usize, seed: u64, is_aes: bool,
        zeros in prop::collection::vec(0..200_usize, 0..20),
    ) {
        let field = FIELDS[usize::from(!is_aes)];
        let mut coefficients = test_bytes(seed, rows * columns);
        zeros.iter().for_each(|at| coefficients[at % (rows * columns)] = 0);
        let sources = shards(seed ^ 1, columns, length);
        let expected = expected(field, columns, &coefficients, &sources);
        for backend in backends() {
            check(&Matrix::with_backend(field, rows, columns, &coefficients, backend), &sources, length, &expected);
        }
    }

    /// M (a + b) = M a + M b, and (L + M) a = L a + M a.
    #[test]
    fn products_are_linear(rows in 1..9_usize, columns in 1..9_usize, length in 1..300_usize, seed: u64) {
        let add = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| a ^ b).collect::<Vec<u8>>();
        let add_all = |a: &[Vec<u8>], b: &[Vec<u8>]| a.iter().zip(b).map(|(a, b)| add(a, b)).collect::<Vec<_>>();
        let [l, m] = [2, 3].map(|i| test_bytes(seed ^ i, rows * columns));
        let [a, b] = [4, 5].map(|i| shards(seed ^ i << 32, columns, length));
        for (backend, field) in backends().into_iter().flat_map(|backend| FIELDS.map(|field| (backend, field))) {
            let multiplied = |coefficients: &[u8], sources: &[Vec<u8>]| {
                let matrix = Matrix::with_backend(field, rows, columns, coefficients, backend);
                let mut products = product(&matrix, sources, length, false);
                products.iter_mut().for_each(|product| product.truncate(length));
                products
            };
            prop_assert_eq!(multiplied(&m, &add_all(&a, &b)), add_all(&multiplied(&m, &a), &multiplied(&m, &b)));
            prop_assert_eq!(multiplied(&add(&l, &m), &a), add_all(&multiplied(&l, &a), &multiplied(&m, &a)));
        }
    }

    /// The inverse is the reference's. The product of the inverse and the products of the matrix
    /// are the sources.
    #[test]
    fn an_inverse_restores_the_sources(size in 1..12_usize, seed: u64, is_aes: bool, dependent: bool) {
        let field = FIELDS[usize::from(!is_aes)];
        let mut coefficients = test_bytes(seed, size * size);
        if dependent && size > 1 {
            // The last row is a multiple of the first.
            let (first, last) = coefficients.split_at_mut(size * (size - 1));
            last.iter_mut().zip(first).for_each(|(last, first)| *last = field.product(*first, 7));
        }
        let rows: Vec<_> = coefficients.chunks(size).map(<[u8]>::to_vec).collect();
        let (mut reduced, mut inverse) = (coefficients.clone(), vec![0xee; size * size]);
        let result = field.invert_matrix(size, &mut reduced, &mut inverse);
        let Some(expected) = erasure::invert(field.polynomial(), &rows) else {
            prop_assert_eq!(result, Err(SingularMatrix));
            return Ok(());
        };
        prop_assert_eq!(result, Ok(()));
        prop_assert!(!dependent || size == 1);
        prop_assert_eq!(&inverse, &expected.concat());
        prop_assert!(reduced.iter().enumerate().all(|(i, element)| *element == u8::from(i % (size + 1) == 0)));
        let sources = shards(seed, size, 150);
        let products = product(&Matrix::new(field, size, size, &coefficients), &sources, 150, false);
        check(&Matrix::new(field, size, size, &inverse), &products, 150, &sources);
    }
}

/// Compares with the codes of ISA-L and klauspost/reedsolomon.
#[test]
fn parity_is_that_of_other_programs() {
    for v in sealane_vectors::parity().vectors {
        let rows = match v.matrix {
            ParityMatrix::PowersOfTwo => erasure::powers_of_two(v.data_shards, v.parity.len()),
            ParityMatrix::Cauchy => erasure::cauchy(v.data_shards, v.parity.len()),
            ParityMatrix::SystematicVandermonde => erasure::systematic_vandermonde(v.data_shards, v.parity.len()),
        };
        let parity: Vec<_> = v.parity.iter().map(|shard| shard.to_vec()).collect();
        for backend in backends() {
            let (rows, columns) = (rows.concat(), v.data_shards);
            let matrix = Matrix::with_backend(Field::ReedSolomon, parity.len(), columns, &rows, backend);
            check(&matrix, &v.data(), v.length, &parity);
        }
    }
}

#[test]
fn a_matrix_names_its_shape_and_not_its_coefficients() {
    let matrix = Matrix::new(Field::Aes, 2, 1, &[201, 202]);
    assert_eq!((matrix.field(), matrix.rows(), matrix.columns()), (Field::Aes, 2, 1));
    assert_eq!(matrix.backend(), Gf8Backend::detect());
    assert_eq!(format!("{matrix:?}"), "Matrix { field: Aes, rows: 2, columns: 1, .. }");
    assert_eq!(SingularMatrix.to_string(), "the matrix has no inverse");
}

#[test]
#[should_panic(expected = "rows times columns")]
fn coefficients_of_another_shape_are_refused() {
    let _ = Matrix::new(Field::Aes, 2, 2, &[1; 3]);
}

#[test]
#[should_panic(expected = "a source for each column")]
fn a_missing_source_is_refused() {
    Matrix::new(Field::Aes, 1, 2, &[1; 2]).multiply(&[&[1; 8]], &mut [&mut [0; 8]]);
}

#[test]
#[should_panic(expected = "a destination for each row")]
fn a_missing_destination_is_refused() {
    Matrix::new(Field::Aes, 2, 1, &[1; 2]).multiply(&[&[1; 8]], &mut [&mut [0; 8]]);
}

#[test]
#[should_panic(expected = "the slices differ in length")]
fn a_longer_destination_is_refused() {
    Matrix::new(Field::Aes, 1, 1, &[1]).multiply(&[&[1; 8]], &mut [&mut [0; 9]]);
}

#[test]
#[should_panic(expected = "each slice must have size * size elements")]
fn an_inverse_of_another_size_is_refused() {
    let _ = Field::Aes.invert_matrix(2, &mut [1; 4], &mut [0; 5]);
}

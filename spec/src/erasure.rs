//! Linear codes over GF(2^8): each parity shard is a sum of the data shards, each of which is
//! multiplied by a coefficient. Reed and Solomon, "Polynomial codes over certain finite fields"
//! (1960). The matrices are the same as in ISA-L and klauspost/reedsolomon.

use alloc::vec;
use alloc::vec::Vec;

/// The polynomial of most Reed–Solomon codes: x^8 + x^4 + x^3 + x^2 + 1.
pub const REED_SOLOMON: u16 = 0x11d;

/// A matrix, as rows.
pub type Matrix = Vec<Vec<u8>>;

/// Returns the product of polynomials modulo `polynomial`, whose degree is 8.
pub fn multiply(polynomial: u16, a: u8, b: u8) -> u8 {
    let mut product = 0_u16;
    for i in 0..8 {
        if b >> i & 1 == 1 {
            product ^= u16::from(a) << i;
        }
    }
    for i in (8..15).rev() {
        if product >> i & 1 == 1 {
            product ^= polynomial << (i - 8);
        }
    }
    product as u8
}

/// Returns a^n.
pub fn power(polynomial: u16, a: u8, n: usize) -> u8 {
    (0..n).fold(1, |power, _| multiply(polynomial, power, a))
}

/// Returns the b with a b = 1.
pub fn inverse(polynomial: u16, a: u8) -> u8 {
    (0..=255).find(|b| multiply(polynomial, a, *b) == 1).expect("0 has no inverse")
}

/// Returns the shards Σ_j c_ij in_j, one for each row i of the matrix.
pub fn multiply_shards(polynomial: u16, matrix: &[Vec<u8>], shards: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let length = shards.first().map_or(0, Vec::len);
    let sum = |row: &Vec<u8>, i: usize| {
        assert_eq!(row.len(), shards.len());
        row.iter().zip(shards).fold(0, |sum, (c, shard)| sum ^ multiply(polynomial, *c, shard[i]))
    };
    matrix.iter().map(|row| (0..length).map(|i| sum(row, i)).collect()).collect()
}

/// Returns the inverse of a square matrix, or `None` if it has none: the rows of (matrix | 1) are
/// transformed to (1 | inverse).
pub fn invert(polynomial: u16, matrix: &[Vec<u8>]) -> Option<Matrix> {
    let n = matrix.len();
    let mut rows: Matrix = matrix.to_vec();
    for (i, row) in rows.iter_mut().enumerate() {
        assert_eq!(row.len(), n);
        row.extend((0..n).map(|j| u8::from(i == j)));
    }
    for i in 0..n {
        let pivot = (i..n).find(|j| rows[*j][i] != 0)?;
        rows.swap(i, pivot);
        let scale = inverse(polynomial, rows[i][i]);
        rows[i].iter_mut().for_each(|a| *a = multiply(polynomial, *a, scale));
        for j in (0..n).filter(|j| *j != i) {
            let factor = rows[j][i];
            rows[j] = rows[j].iter().zip(&rows[i]).map(|(a, b)| a ^ multiply(polynomial, factor, *b)).collect();
        }
    }
    Some(rows.into_iter().map(|row| row[n..].to_vec()).collect())
}

/// Returns the parity rows of ISA-L's `gf_gen_rs_matrix`: row i has the powers of 2^i.
pub fn powers_of_two(data: usize, parity: usize) -> Matrix {
    let entry = |i, j| power(REED_SOLOMON, power(REED_SOLOMON, 2, i), j);
    (0..parity).map(|i| (0..data).map(|j| entry(i, j)).collect()).collect()
}

/// Returns the parity rows of ISA-L's `gf_gen_cauchy1_matrix`, which are the same as with
/// klauspost/reedsolomon's option `WithCauchyMatrix`: 1 / (i + j), with the sum of the field, where
/// i is the index of the parity shard among all shards, and j is the index of the data shard.
pub fn cauchy(data: usize, parity: usize) -> Matrix {
    let entry = |i: usize, j: usize| inverse(REED_SOLOMON, (i ^ j) as u8);
    (data..data + parity).map(|i| (0..data).map(|j| entry(i, j)).collect()).collect()
}

/// Returns the parity rows of klauspost/reedsolomon's default: a Vandermonde matrix, whose row i
/// has the powers of i, times the inverse of its first rows. The product keeps the data shards as
/// the first shards.
pub fn systematic_vandermonde(data: usize, parity: usize) -> Matrix {
    let row = |i: usize| (0..data).map(|j| power(REED_SOLOMON, i as u8, j)).collect();
    let first: Matrix = (0..data).map(row).collect();
    let inverse = invert(REED_SOLOMON, &first).expect("a Vandermonde matrix has an inverse");
    let product = |row: Vec<u8>| {
        let mut sum = vec![0; data];
        for (c, inverse) in row.iter().zip(&inverse) {
            sum = sum.iter().zip(inverse).map(|(sum, a)| sum ^ multiply(REED_SOLOMON, *c, *a)).collect();
        }
        sum
    };
    (data..data + parity).map(row).map(product).collect()
}

//! Repairs a stripe that ISA-L encoded: ten shards of data and four of parity, of which any four
//! may be lost.
//!
//! `cargo run --release -p sealane --example isal_stripe`
//!
//! A Reed–Solomon code is a matrix with a row for each shard. The first ten rows are the identity,
//! so the first ten shards are the data. If the matrix of any ten rows has an inverse, the inverse
//! restores the data from the shards of these rows.

use sealane::gf8::{Field, Matrix, SingularMatrix};

/// The field of ISA-L.
const FIELD: Field = Field::ReedSolomon;

/// Returns the parity rows that ISA-L's `gf_gen_rs_matrix` generates: row i has the powers 0, 1, …
/// of 2^i.
///
/// With more than a few shards, some sets of rows have no inverse. Prefer [`cauchy`] for new codes.
fn powers_of_two(data: usize, parity: usize) -> Vec<u8> {
    let entry = |row: usize, column: usize| FIELD.power(FIELD.power(2, row as u32), column as u32);
    (0..parity).flat_map(|row| (0..data).map(move |column| entry(row, column))).collect()
}

/// Returns the parity rows that ISA-L's `gf_gen_cauchy1_matrix` generates: row i of the whole
/// matrix has 1 / (i + j) in column j. In this field, a sum is an XOR. Any ten rows of the
/// code have an inverse.
///
/// klauspost/reedsolomon has the same rows with its option `WithCauchyMatrix`.
fn cauchy(data: usize, parity: usize) -> Vec<u8> {
    let entry = |row: usize, column: usize| FIELD.inverse((row ^ column) as u8).expect("rows follow columns");
    (data..data + parity).flat_map(|row| (0..data).map(move |column| entry(row, column))).collect()
}

/// A code: the number of data shards, and the parity rows of the matrix.
struct Code {
    data: usize,
    /// The coefficients, row after row.
    parity: Vec<u8>,
}

impl Code {
    /// Returns the row of a shard.
    fn row(&self, shard: usize) -> Vec<u8> {
        match shard.checked_sub(self.data) {
            None => (0..self.data).map(|column| u8::from(column == shard)).collect(),
            Some(parity) => self.parity[parity * self.data..][..self.data].to_vec(),
        }
    }

    /// Computes the lost shards, which are `None`, from the first shards that are left.
    fn repair(&self, shards: &mut [Option<Vec<u8>>]) -> Result<(), SingularMatrix> {
        let lost: Vec<usize> = (0..shards.len()).filter(|&shard| shards[shard].is_none()).collect();
        let left: Vec<usize> = (0..shards.len()).filter(|&shard| shards[shard].is_some()).take(self.data).collect();
        assert_eq!(left.len(), self.data, "too many shards are lost");

        // This matrix computes the data from the shards that are left.
        let mut rows: Vec<u8> = left.iter().flat_map(|&shard| self.row(shard)).collect();
        let mut inverse = vec![0; rows.len()];
        FIELD.invert_matrix(self.data, &mut rows, &mut inverse)?;

        // Multiplied by the rows of the lost shards, it computes the lost shards directly.
        let mut coefficients = Vec::new();
        for &shard in &lost {
            let row = self.row(shard);
            for column in 0..self.data {
                let terms = row.iter().enumerate().map(|(i, &c)| FIELD.product(c, inverse[i * self.data + column]));
                coefficients.push(terms.fold(0, |sum, term| sum ^ term));
            }
        }
        let matrix = Matrix::new(FIELD, lost.len(), self.data, &coefficients);
        let sources: Vec<&[u8]> = left.iter().filter_map(|&shard| shards[shard].as_deref()).collect();
        let mut found = vec![vec![0; sources[0].len()]; lost.len()];
        matrix.multiply(&sources, &mut found.iter_mut().map(|shard| &mut shard[..]).collect::<Vec<_>>());
        lost.into_iter().zip(found).for_each(|(shard, found)| shards[shard] = Some(found));
        Ok(())
    }
}

/// The numbers of data shards and of parity shards.
const SHARDS: (usize, usize) = (10, 4);
/// The length of a shard in bytes.
const LENGTH: usize = 37;

/// The parity of [`data`] that ISA-L 2.30 computes with `gf_gen_rs_matrix`.
const PARITY_OF_POWERS: [&str; 4] = [
    "17202122ab24ed565fa8195a53dce51e27f0b1121b145d86af98692ac3ac552e37c041c24b",
    "92f36875c5b9ff21c05d56314fa17a15f134ccb6b4b77618fe06253bf12e1960de0e628075",
    "e9ef4dad679545e3ea1401369c8b8f74669804acaf68fbae30eb35240086da24777048bca2",
    "c4a1b107c01fb92f034934eea41613227fec111fdcae31f990b4cc777cfd0ebd7258dbe483",
];

/// The parity of [`data`] that ISA-L 2.30 computes with `gf_gen_cauchy1_matrix`.
const PARITY_OF_CAUCHY: [&str; 4] = [
    "1558845b12762e5126bbbd3ea6a84451b7d14fbffd67b18d64e4dd7f40d663759c2429d5e4",
    "73ea654ff705ab25c4fa1b5ff1395e9b628c1955892778609c74895b1e11880731af03f853",
    "00db9bd436419c4fff994be4ca84dea7ab35b6d9b2a1f8b9f88edccc2dddfbea4145fd2ac4",
    "30c34a43730432b38a8ebc2ecfd416b3d71476900d7073f95530f985a954964e291504f5a6",
];

/// Returns the data shards: byte i of shard j is 31 j + i^2 + i j modulo 256.
fn data() -> Vec<Vec<u8>> {
    (0..SHARDS.0).map(|j| (0..LENGTH).map(|i| (31 * j + i * i + i * j) as u8).collect()).collect()
}

/// Parses the bytes of a shard.
fn from_hex(text: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&text[2 * at..][..2], 16).expect("hexadecimal digits");
    (0..text.len() / 2).map(byte).collect()
}

/// Removes these shards from the stripe of each of the two matrices, and repairs the stripes.
fn repair_stripes(lost: &[usize]) -> Result<(), SingularMatrix> {
    let (data_shards, parity_shards) = SHARDS;
    let stripes = [
        (powers_of_two(data_shards, parity_shards), PARITY_OF_POWERS),
        (cauchy(data_shards, parity_shards), PARITY_OF_CAUCHY),
    ];
    for (matrix, parity) in stripes {
        let code = Code { data: data_shards, parity: matrix };
        let shards: Vec<_> = data().into_iter().chain(parity.map(from_hex)).map(Some).collect();
        let mut damaged = shards.clone();
        lost.iter().for_each(|&shard| damaged[shard] = None);
        code.repair(&mut damaged)?;
        assert!(damaged == shards, "a repaired shard is wrong");
    }
    Ok(())
}

fn main() -> Result<(), SingularMatrix> {
    let lost = [0, 3, 9, 12];
    repair_stripes(&lost)?;
    println!("two stripes without the shards {lost:?} were repaired");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries every set of four shards. With ten data shards, ISA-L's Vandermonde matrix can repair
    /// all sets. With some other numbers of data shards, it cannot.
    #[test]
    fn any_four_shards_are_repaired() {
        let mut sets = 0;
        for first in 0..11 {
            for second in first + 1..12 {
                for third in second + 1..13 {
                    for fourth in third + 1..14 {
                        assert_eq!(repair_stripes(&[first, second, third, fourth]), Ok(()));
                        sets += 1;
                    }
                }
            }
        }
        assert_eq!(sets, 1001);
    }

    #[test]
    #[should_panic(expected = "too many shards are lost")]
    fn five_lost_shards_are_too_many() {
        let _ = repair_stripes(&[0, 1, 2, 3, 4]);
    }
}

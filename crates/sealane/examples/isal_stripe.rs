//! Repairs a stripe that ISA-L encoded: ten shards of data and four of parity. Any four shards may
//! be lost.
//!
//! `cargo run --release -p sealane --example isal_stripe`
//!
//! A Reed–Solomon code is a matrix with a row for each shard. The first ten rows are the identity,
//! so the first ten shards are the data. Any ten rows that have an inverse restore the data from
//! the shards of these rows.

use sealane::gf8::{Field, Matrix, SingularMatrix};
use sealane_vectors::ParityMatrix;

/// The field of ISA-L.
const FIELD: Field = Field::ReedSolomon;

/// Returns the rows of parity of `gf_gen_rs_matrix`: row i has the powers 0, 1, … of 2^i.
///
/// With more than a few shards, some sets of rows have no inverse. Prefer [`cauchy`] for new codes.
fn powers_of_two(data: usize, parity: usize) -> Vec<u8> {
    let entry = |row: usize, column: usize| FIELD.power(FIELD.power(2, row as u32), column as u32);
    (0..parity).flat_map(|row| (0..data).map(move |column| entry(row, column))).collect()
}

/// Returns the rows of parity of `gf_gen_cauchy1_matrix`: 1 / (i + j) for shard i of all and shard
/// j of data. In this field, a sum is an exclusive or. Any ten rows of the code have an inverse.
///
/// klauspost/reedsolomon has the same rows with its option `WithCauchyMatrix`.
fn cauchy(data: usize, parity: usize) -> Vec<u8> {
    let entry = |row: usize, column: usize| FIELD.inverse((row ^ column) as u8).expect("rows follow columns");
    (data..data + parity).flat_map(|row| (0..data).map(move |column| entry(row, column))).collect()
}

/// A code of shards of data and rows of parity.
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

    /// Computes the lost shards, which are `None`, from the first remaining ones.
    fn repair(&self, shards: &mut [Option<Vec<u8>>]) -> Result<(), SingularMatrix> {
        let lost: Vec<usize> = (0..shards.len()).filter(|&shard| shards[shard].is_none()).collect();
        let left: Vec<usize> = (0..shards.len()).filter(|&shard| shards[shard].is_some()).take(self.data).collect();
        assert_eq!(left.len(), self.data, "too many shards are lost");

        // Computes the data from the remaining shards.
        let mut rows: Vec<u8> = left.iter().flat_map(|&shard| self.row(shard)).collect();
        let mut inverse = vec![0; rows.len()];
        FIELD.invert_matrix(self.data, &mut rows, &mut inverse)?;

        // Then computes the lost shards from the data, in one matrix.
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

/// Loses these shards of every stripe of the vectors, and returns the number of repaired stripes.
///
/// The stripes come from `vectors/erasure/parity.json`, which ISA-L printed: its `id` names the
/// function that made the matrix.
fn repair_stripes(lost: &[usize]) -> Result<usize, SingularMatrix> {
    let mut repaired = 0;
    for stripe in sealane_vectors::parity().vectors {
        let make = match stripe.matrix {
            ParityMatrix::PowersOfTwo => powers_of_two,
            ParityMatrix::Cauchy => cauchy,
            ParityMatrix::SystematicVandermonde => continue,
        };
        let code = Code { data: stripe.data_shards, parity: make(stripe.data_shards, stripe.parity.len()) };
        let parity = stripe.parity.iter().map(|shard| shard.to_vec());
        let shards: Vec<_> = stripe.data().into_iter().chain(parity).map(Some).collect();

        let mut damaged = shards.clone();
        lost.iter().for_each(|&shard| damaged[shard] = None);
        code.repair(&mut damaged)?;
        assert!(damaged == shards, "{}: a repaired shard is wrong", stripe.id);
        repaired += 1;
    }
    Ok(repaired)
}

fn main() -> Result<(), SingularMatrix> {
    let lost = [0, 3, 9, 12];
    println!("{} stripes without the shards {lost:?} were repaired", repair_stripes(&lost)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every set of four shards. ISA-L's Vandermonde matrix has an inverse for all of them with ten
    /// shards of data, though not with every number.
    #[test]
    fn any_four_shards_are_repaired() {
        let mut sets = 0;
        for first in 0..11 {
            for second in first + 1..12 {
                for third in second + 1..13 {
                    for fourth in third + 1..14 {
                        assert_eq!(repair_stripes(&[first, second, third, fourth]), Ok(3));
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

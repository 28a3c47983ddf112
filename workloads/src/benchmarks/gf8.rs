//! GF(2^8) slice multiplication, whose calls prepare the constant, and the parity of a
//! Reed–Solomon code, whose matrix is prepared once.

use std::hint::black_box;

use sealane::BackendError;
use sealane::Gf8Backend;
use sealane::gf8::{Field, Matrix};

use super::{Prepared, Size, data};

/// The constant by which slices are multiplied.
pub const CONSTANT: u8 = 0x53;

/// Prepares the product of a slice and the constant, in place.
pub fn multiply(backend: &str, size: Size) -> Result<Prepared, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let multiply = move |data: &mut Vec<u8>| backend.multiply_slice(black_box(CONSTANT), data);
    Ok(Prepared::new((1, size.length()), data(size.length()), multiply, Vec::clone))
}

/// Prepares adding the product of a slice and the constant to another slice.
pub fn multiply_add(backend: &str, size: Size) -> Result<Prepared, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let state = (data(size.length()), vec![0; size.length()]);
    let add = move |(source, sum): &mut (Vec<u8>, Vec<u8>)| {
        backend.multiply_add_slice(black_box(CONSTANT), source, sum);
    };
    Ok(Prepared::new((1, size.length()), state, add, |(_, sum)| sum.clone()))
}

/// The number of data shards of the Reed–Solomon code.
pub const DATA: usize = 10;
/// The number of parity shards.
pub const PARITY: usize = 4;

/// Returns the coefficients of the parity, row after row: a Cauchy matrix with the points 0 to 9
/// and 10 to 13.
#[must_use]
pub fn coefficients() -> Vec<u8> {
    let entry = |row: usize, column: usize| Field::ReedSolomon.inverse((row ^ column) as u8).expect("unequal points");
    (DATA..DATA + PARITY).flat_map(|row| (0..DATA).map(move |column| entry(row, column))).collect()
}

/// Returns the data shards, each of `length` bytes.
#[must_use]
pub fn shards(length: usize) -> Vec<Vec<u8>> {
    data(DATA * length).chunks(length).map(<[u8]>::to_vec).collect()
}

/// Prepares the parity of shards of `size` bytes each. One operation processes all data shards.
pub fn parity(backend: &str, size: Size) -> Result<Prepared, BackendError> {
    let backend = Gf8Backend::by_name(backend)?;
    let matrix = Matrix::with_backend(Field::ReedSolomon, PARITY, DATA, &coefficients(), backend);
    let state = (shards(size.length()), vec![vec![0; size.length()]; PARITY]);
    let encode = move |(data, parity): &mut (Vec<Vec<u8>>, Vec<Vec<u8>>)| {
        let mut sources = [&[][..]; DATA];
        sources.iter_mut().zip(data).for_each(|(source, shard)| *source = shard);
        let (first, rest) = parity.split_first_mut().expect("four shards");
        let [second, third, fourth] = rest else { unreachable!("four shards") };
        matrix.multiply(&sources, &mut [first, second, third, fourth]);
    };
    Ok(Prepared::new((1, DATA * size.length()), state, encode, |(_, parity)| parity.concat()))
}

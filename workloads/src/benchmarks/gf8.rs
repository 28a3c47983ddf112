//! GF(2^8) slice multiplication. Each call prepares the constant.

use std::hint::black_box;

use sealane::BackendError;
use sealane::Gf8Backend;

use super::{Prepared, Size, data};

/// The constant.
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

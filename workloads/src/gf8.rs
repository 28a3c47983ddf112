//! GF(2^8) slice multiplication, and products of a matrix and slices: bytes, constants and
//! coefficients are secret.

use std::hint::black_box;

use sealane::BackendError;
use sealane::Gf8Backend;
use sealane::gf8::{Field, Matrix};

use crate::workload::{Run, Secrets};

/// A backend, a constant, and two slices.
type Parts = (Gf8Backend, [u8; 1], Vec<u8>, Vec<u8>);

/// Returns the backend, a secret constant, and two secret slices.
fn parts(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Parts, BackendError> {
    let (mut constant, mut source, mut sum) = ([0], vec![0; size], vec![0; size]);
    secrets(&mut constant);
    secrets(&mut source);
    secrets(&mut sum);
    Ok((Gf8Backend::by_name(backend)?, black_box(constant), source, sum))
}

/// Prepares the product of a slice and a constant.
pub fn multiply(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, [constant], mut data, _) = parts(backend, size, secrets)?;
    Ok(Box::new(move || {
        backend.multiply_slice(constant, &mut data);
        black_box(&mut data);
    }))
}

/// Prepares adding the product of a slice and a constant to another slice.
pub fn multiply_add(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, [constant], source, mut sum) = parts(backend, size, secrets)?;
    Ok(Box::new(move || {
        backend.multiply_add_slice(constant, &source, &mut sum);
        black_box(&mut sum);
    }))
}

/// Prepares the product of a slice and a constant in the field of Reed–Solomon codes.
pub fn multiply_in(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, [constant], mut data, _) = parts(backend, size, secrets)?;
    Ok(Box::new(move || {
        backend.multiply_slice_in(Field::ReedSolomon, constant, &mut data);
        black_box(&mut data);
    }))
}

/// Prepares adding the product of a slice and a constant in the field of Reed–Solomon codes to
/// another slice.
pub fn multiply_add_in(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (backend, [constant], source, mut sum) = parts(backend, size, secrets)?;
    Ok(Box::new(move || {
        backend.multiply_add_slice_in(Field::ReedSolomon, constant, &source, &mut sum);
        black_box(&mut sum);
    }))
}

/// More rows than any backend computes together.
const ROWS: usize = 7;
const COLUMNS: usize = 3;

/// Prepares the product of a matrix and slices or, with `ADD`, adding it to other slices.
pub fn matrix<const ADD: bool>(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (mut coefficients, mut sources) = ([0; ROWS * COLUMNS], vec![0; COLUMNS * size]);
    secrets(&mut coefficients);
    secrets(&mut sources);
    let backend = Gf8Backend::by_name(backend)?;
    let matrix = Matrix::with_backend(Field::ReedSolomon, ROWS, COLUMNS, &black_box(coefficients), backend);
    let mut sums: [Vec<u8>; ROWS] = std::array::from_fn(|_| vec![0; size]);
    Ok(Box::new(move || {
        let sources: [&[u8]; COLUMNS] = std::array::from_fn(|column| &sources[column * size..][..size]);
        let mut destinations = sums.each_mut().map(|sum| &mut sum[..]);
        if ADD {
            matrix.multiply_add(&sources, &mut destinations);
        } else {
            matrix.multiply(&sources, &mut destinations);
        }
        black_box(&mut sums);
    }))
}

/// Prepares the product and powers of single elements, in both fields. Exponents are public.
pub fn elements(backend: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (_, [constant], data, _) = parts(backend, size, secrets)?;
    Ok(Box::new(move || {
        for field in [Field::Aes, Field::ReedSolomon] {
            for &byte in &data {
                black_box([field.product(byte, constant), field.power(byte, 254), field.power(byte, 3)]);
            }
        }
    }))
}

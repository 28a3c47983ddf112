//! GF(2^8) slice multiplication: bytes and the constant are secret.

use std::hint::black_box;

use sealane::BackendError;
use sealane::Gf8Backend;

use crate::{Run, Secrets};

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

//! GF(2^8) slice multiplication: by a constant, and by a matrix, for erasure codes and other linear
//! codes.
//!
//! There are two [fields](Field), with the polynomials 0x11b and 0x11d. [`Field::Aes`] is the field
//! of AES, [`shamir::bytes`](crate::shamir::bytes) and [`gf2n::Gf8`](crate::gf2n::Gf8).
//! [`Field::ReedSolomon`] is the field of most Reed–Solomon codes. Functions without a field in
//! their name or arguments work in the field of AES.
//!
//! - `Matrix` (with the feature `alloc`) multiplies many slices by a matrix of coefficients, which
//!   it prepares once: for the parity of a Reed–Solomon code, or to repair its shards.
//!   [`Field::invert_matrix`] inverts a matrix for a repair, and [`Field`] has the arithmetic of
//!   single elements.
//! - [`multiply_slice`] multiplies all bytes of a slice, in place.
//! - [`multiply_add_slice`] multiplies the bytes of one slice and adds the products to another,
//!   which builds a linear combination step by step.
//! - [`Gf8Backend`] has the operations on slices for a chosen instruction set, and in either field.
//!
//! Slices have any length and alignment. No branch and no address depends on the bytes, on the
//! constant or on the coefficients of a matrix, so all of them may be secret. The time depends only
//! on the lengths and on the shape of the matrix. There are three exceptions:
//! [`Field::invert_matrix`] takes a time that depends on its matrix, which must be public,
//! [`Field::power`] takes a time that depends on its exponent, and [`Field::inverse`] branches on
//! whether the element is 0.
//!
//! This module is separate from [`gf2n`](crate::gf2n), because it works on bytes without conversion
//! and with other instructions: byte shuffles and GFNI, on the backends that
//! [`shamir::bytes`](crate::shamir::bytes) uses too. An element of `gf2n` takes at least one
//! machine word, and carry-less multiplication suits larger fields.
//!
//! ```
//! use sealane::gf8::{Field, multiply_add_slice, multiply_slice};
//!
//! // Two blocks of data and two of parity: a + b, a + 2 b.
//! let (a, b) = (*b"first block", *b"second half");
//! let (mut p, mut q) = (a, a);
//! multiply_add_slice(1, &b, &mut p);
//! multiply_add_slice(2, &b, &mut q);
//!
//! // Both blocks of data are lost: p + q = 3 b.
//! let mut found = p;
//! multiply_add_slice(1, &q, &mut found);
//! multiply_slice(Field::Aes.inverse(3).unwrap(), &mut found);
//! assert_eq!(found, b);
//! ```

mod field;
mod kernel;
#[cfg(feature = "alloc")]
mod matrix;
mod matrix_kernel;
mod product;

pub use field::{Field, SingularMatrix};
#[cfg(feature = "alloc")]
pub use matrix::Matrix;
use sealane_simd::dispatch_gf8;

pub(crate) use self::matrix_kernel::Maps;
pub(crate) use self::product::{MAX_TABLE_BYTES, product, set_up, table_bytes};
pub use crate::backend::Gf8Backend;

/// Multiplies each byte of `data` by `constant` in the field of AES, on the widest backend.
pub fn multiply_slice(constant: u8, data: &mut [u8]) {
    Gf8Backend::detect().multiply_slice(constant, data);
}

/// Multiplies each byte of `source` by `constant` in the field of AES, and adds the product to the
/// byte of `sum` at the same index, on the widest backend.
///
/// # Panics
/// If the slices differ in length.
pub fn multiply_add_slice(constant: u8, source: &[u8], sum: &mut [u8]) {
    Gf8Backend::detect().multiply_add_slice(constant, source, sum);
}

/// Operations on slices of bytes. Each branches on the instruction set once, and prepares the
/// constant in about ten nanoseconds.
impl Gf8Backend {
    /// Multiplies each byte of `data` by `constant` in the field of AES: see [`gf8`](self).
    pub fn multiply_slice(self, constant: u8, data: &mut [u8]) {
        self.multiply_slice_in(Field::Aes, constant, data);
    }

    /// Multiplies each byte of `source` by `constant` in the field of AES, and adds the product to
    /// the byte of `sum` at the same index: see [`gf8`](self).
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn multiply_add_slice(self, constant: u8, source: &[u8], sum: &mut [u8]) {
        self.multiply_add_slice_in(Field::Aes, constant, source, sum);
    }

    /// Multiplies each byte of `data` by `constant` in the given field.
    pub fn multiply_slice_in(self, field: Field, constant: u8, data: &mut [u8]) {
        dispatch_gf8!(self.level(), token => kernel::multiply(token, field, constant, data));
        crate::fault::flip("gf8", self.level(), data);
    }

    /// Multiplies each byte of `source` by `constant` in the given field, and adds the product to
    /// the byte of `sum` at the same index.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn multiply_add_slice_in(self, field: Field, constant: u8, source: &[u8], sum: &mut [u8]) {
        assert_eq!(source.len(), sum.len(), "the slices differ in length");
        dispatch_gf8!(self.level(), token => kernel::multiply_add(token, field, constant, source, sum));
        crate::fault::flip("gf8", self.level(), sum);
    }
}

//! A matrix over GF(2^8), prepared to multiply slices.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use sealane_simd::Gf8Level;

use super::field::Field;
use super::matrix_kernel::Maps;
use super::product::{product, set_up, table_bytes};
use crate::backend::Gf8Backend;
use crate::wipe::wipe;

/// A matrix of coefficients in a [`Field`], which multiplies slices, as the encoder and the decoder
/// of a linear code do.
///
/// [`Matrix::new`] prepares tables for one backend: 8 or 32 bytes for each coefficient.
/// [`Matrix::multiply`] reads each source once for up to 6 destinations. With more destinations
/// than its backend computes at once, it works block by block, so that the sources stay in the
/// first-level cache.
///
/// No branch and no address depends on the coefficients or on the bytes, so both may be secret. The
/// time depends on the shape of the matrix and on the lengths of the slices. The tables are wiped
/// when they are dropped.
///
/// ```
/// use sealane::gf8::{Field, Matrix};
///
/// // RAID-6: P is the sum of the blocks of data, and Q the sum of 2^i times block i.
/// let raid6 = Matrix::new(Field::ReedSolomon, 2, 3, &[1, 1, 1, 1, 2, 4]);
/// let data: [&[u8]; 3] = [b"first", b"other", b"third"];
/// let (mut p, mut q) = ([0; 5], [0; 5]);
/// raid6.multiply(&data, &mut [&mut p, &mut q]);
///
/// // Blocks 0 and 2 are lost: P and Q are two equations for them.
/// let (mut equations, mut solution) = ([1, 1, 1, 4], [0; 4]);
/// Field::ReedSolomon.invert_matrix(2, &mut equations, &mut solution)?;
/// let known = Matrix::new(Field::ReedSolomon, 2, 1, &[1, 2]);
/// known.multiply_add(&[data[1]], &mut [&mut p, &mut q]);
/// let (mut first, mut third) = ([0; 5], [0; 5]);
/// let repair = Matrix::new(Field::ReedSolomon, 2, 2, &solution);
/// repair.multiply(&[&p, &q], &mut [&mut first, &mut third]);
/// assert_eq!((&first, &third), (b"first", b"third"));
/// # Ok::<(), sealane::gf8::SingularMatrix>(())
/// ```
pub struct Matrix {
    field: Field,
    rows: usize,
    columns: usize,
    level: Gf8Level,
    memory: Vec<u8>,
}

impl Matrix {
    /// Prepares a matrix of `rows` × `columns` coefficients, given row after row, on the widest
    /// backend.
    ///
    /// # Panics
    /// If there are not `rows` times `columns` coefficients, or if their tables are larger than the
    /// address space allows.
    #[must_use]
    pub fn new(field: Field, rows: usize, columns: usize, coefficients: &[u8]) -> Self {
        Self::with_backend(field, rows, columns, coefficients, Gf8Backend::detect())
    }

    /// Prepares a matrix as [`Matrix::new`] does, on the given backend.
    ///
    /// # Panics
    /// If there are not `rows` times `columns` coefficients, or if their tables are larger than the
    /// address space allows.
    #[must_use]
    pub fn with_backend(field: Field, rows: usize, columns: usize, coefficients: &[u8], backend: Gf8Backend) -> Self {
        assert_eq!(Some(coefficients.len()), rows.checked_mul(columns), "rows times columns");
        let level = backend.level();
        let size = tables_size(coefficients.len(), table_bytes(level), isize::MAX.unsigned_abs());
        let mut memory = vec![0; size.expect("tables in memory")];
        set_up(level, field, columns, coefficients, &mut memory);
        Self { field, rows, columns, level, memory }
    }

    /// Sets destination i to Σ c_ij · source j, with a sum over all j: the product of the matrix
    /// and the sources.
    ///
    /// # Panics
    /// If there are not as many sources as columns, or destinations as rows, or if the slices
    /// differ in length.
    pub fn multiply(&self, sources: &[&[u8]], destinations: &mut [&mut [u8]]) {
        self.run(sources, destinations, false);
    }

    /// Adds Σ c_ij · source j to destination i. Use it to add up a long sum in parts, a few sources
    /// at a time.
    ///
    /// # Panics
    /// If there are not as many sources as columns, or destinations as rows, or if the slices
    /// differ in length.
    pub fn multiply_add(&self, sources: &[&[u8]], destinations: &mut [&mut [u8]]) {
        self.run(sources, destinations, true);
    }

    fn run(&self, sources: &[&[u8]], destinations: &mut [&mut [u8]], accumulate: bool) {
        assert_eq!(sources.len(), self.columns, "a source for each column");
        assert_eq!(destinations.len(), self.rows, "a destination for each row");
        let lengths = || sources.iter().map(|s| s.len()).chain(destinations.iter().map(|d| d.len()));
        assert!(lengths().all(|length| Some(length) == lengths().next()), "the slices differ in length");
        let maps = Maps { rows: self.rows, columns: self.columns, memory: &self.memory };
        product(self.level, &maps, sources, destinations, accumulate);
    }

    /// Returns the field.
    #[must_use]
    pub fn field(&self) -> Field {
        self.field
    }

    /// Returns the number of rows, which is the number of destinations.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns, which is the number of sources.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Gf8Backend {
        Gf8Backend::of(self.level)
    }
}

/// Returns the size in bytes of the tables of all coefficients, or `None` if it is above `limit`.
/// On a 32-bit target, the size of 2^27 tables of 32 bytes would wrap to 0.
fn tables_size(coefficients: usize, bytes_each: usize, limit: usize) -> Option<usize> {
    coefficients.checked_mul(bytes_each).filter(|size| *size <= limit)
}

impl Drop for Matrix {
    fn drop(&mut self) {
        wipe(&mut self.memory);
    }
}

impl zeroize::ZeroizeOnDrop for Matrix {}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, rows, columns, .. } = self;
        let mut debug = f.debug_struct("Matrix");
        debug.field("field", field).field("rows", rows).field("columns", columns).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_32_bit_target_fit_in_its_memory() {
        let limit = u32::MAX as usize;
        assert_eq!(tables_size(1 << 27, 32, limit), None);
        assert_eq!(tables_size((1 << 27) - 1, 32, limit), Some(limit - 31));
        assert_eq!(tables_size(usize::MAX, 2, usize::MAX), None);
        assert_eq!(tables_size(0, 32, 0), Some(0));
    }
}

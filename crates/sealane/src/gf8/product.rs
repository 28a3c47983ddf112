//! Multiplies slices by a prepared matrix, on any backend.

use sealane_simd::{Gf8Level, dispatch_gf8};

use super::field::Field;
use super::matrix_kernel::{self, Maps};

/// The largest value that [`table_bytes`] returns.
pub(crate) const MAX_TABLE_BYTES: usize = 32;

/// Returns the number of bytes that a coefficient takes in [`Maps::memory`].
pub(crate) fn table_bytes(level: Gf8Level) -> usize {
    dispatch_gf8!(level, token => matrix_kernel::map_bytes(token))
}

/// Fills `memory`, which becomes [`Maps::memory`], from coefficients that are given row after row.
pub(crate) fn set_up(level: Gf8Level, field: Field, columns: usize, coefficients: &[u8], memory: &mut [u8]) {
    dispatch_gf8!(level, token => matrix_kernel::prepare(token, field, columns, coefficients, memory));
}

/// Sets the destinations to the product of the matrix and the sources, or adds the product to them
/// if `accumulate` is true.
pub(crate) fn product(
    level: Gf8Level,
    matrix: &Maps<'_>,
    sources: &[&[u8]],
    destinations: &mut [&mut [u8]],
    accumulate: bool,
) {
    dispatch_gf8!(level, token => matrix_kernel::multiply(token, matrix, sources, destinations, accumulate));
    if let Some(last) = destinations.last_mut() {
        crate::fault::flip("gf8", level, last);
    }
}

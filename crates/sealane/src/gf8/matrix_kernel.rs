//! Multiplies slices by a matrix. The sums of several rows are computed at once, so that each
//! source is read once for all of them.

use core::ops::Range;

use sealane_simd::tuning::GF8_MATRIX_BLOCK_BYTES;
use sealane_simd::{Gf8, Gf8Bytes};

use super::field::Field;
use super::kernel::PADDED_BYTES;
use crate::wipe::wipe;

/// The number of sources whose last bytes are copied at once. The copies take 1 KiB of the stack.
const PADDED_SOURCES: usize = 16;

type V<G> = <G as Gf8>::Bytes;

/// A matrix of maps: coefficients that were prepared for one backend. They are in the order in
/// which the backend reads them: for each group of rows, the maps of the first column, then the
/// maps of the second column, and so on.
pub(crate) struct Maps<'a> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) memory: &'a [u8],
}

/// Splits `rows` into groups that are computed together, of sizes as equal as possible. Returns the
/// size of each group.
#[inline(always)]
fn groups<G: Gf8>(rows: usize) -> impl Iterator<Item = usize> {
    let count = rows.div_ceil(V::<G>::MATRIX.rows);
    (0..count).map(move |group| rows / count + usize::from(group < rows % count))
}

/// Returns the number of bytes that a coefficient takes in [`Maps::memory`].
#[inline(always)]
pub(super) fn map_bytes<G: Gf8>(_: G) -> usize {
    V::<G>::MAP_BYTES
}

/// Fills `memory`, which becomes [`Maps::memory`], from coefficients that are given row after row.
/// Takes the same time for all coefficients.
#[inline(always)]
pub(super) fn prepare<G: Gf8>(_: G, field: Field, columns: usize, coefficients: &[u8], memory: &mut [u8]) {
    let mut maps = memory.chunks_exact_mut(V::<G>::MAP_BYTES);
    let mut rest = coefficients;
    for rows in groups::<G>(coefficients.len().checked_div(columns).unwrap_or(0)) {
        let group;
        (group, rest) = rest.split_at(rows * columns);
        for column in 0..columns {
            for (row, map) in group.chunks_exact(columns).zip(&mut maps) {
                V::<G>::store_map(&field.multiples(row[column]), map);
            }
        }
    }
}

/// Sets each destination to the product of its row of the matrix and the sources, or adds the
/// product to it if `accumulate` is true. There are as many sources as columns and as many
/// destinations as rows, all of equal lengths.
#[inline(always)]
pub(super) fn multiply<G: Gf8>(
    token: G,
    matrix: &Maps<'_>,
    sources: &[&[u8]],
    destinations: &mut [&mut [u8]],
    accumulate: bool,
) {
    let length = destinations.first().map_or(0, |destination| destination.len());
    let block = if matrix.rows <= V::<G>::MATRIX.rows {
        length
    } else {
        (GF8_MATRIX_BLOCK_BYTES / matrix.columns.max(1)).max(1).next_multiple_of(2 * PADDED_BYTES)
    };
    let mut start = 0;
    while start < length {
        let range = start..length.min(start.saturating_add(block));
        start = range.end;
        let (mut maps, mut destinations) = (matrix.memory, &mut *destinations);
        for rows in groups::<G>(matrix.rows) {
            // No overflow: these bytes are a part of `matrix.memory`.
            let (its, later) = maps.split_at(rows * matrix.columns * V::<G>::MAP_BYTES);
            let (group, others) = core::mem::take(&mut destinations).split_at_mut(rows);
            macro_rules! rows {
                ($($n:literal)*) => {
                    match rows {
                        $($n if $n <= V::<G>::MATRIX.rows => {
                            let group = group.first_chunk_mut().expect("as many as that");
                            sums::<G, $n>(token, its, sources, group, range.clone(), accumulate);
                        })*
                        _ => unreachable!("no more rows at once than the tuning says"),
                    }
                };
            }
            rows!(1 2 3 4 5 6);
            (maps, destinations) = (later, others);
        }
    }
}

/// Computes the sums of a group of rows, in a range of the slices.
#[inline(always)]
fn sums<G: Gf8, const ROWS: usize>(
    token: G,
    maps: &[u8],
    sources: &[&[u8]],
    destinations: &mut [&mut [u8]; ROWS],
    range: Range<usize>,
    accumulate: bool,
) {
    let group = Group::<ROWS> { maps, sources, accumulate };
    let mut destinations = destinations.each_mut().map(|destination| &mut **destination);
    let Range { start: mut at, end } = range;
    if V::<G>::MATRIX.vectors == 2 {
        while at + 2 * V::<G>::BYTES <= end {
            group.step::<G, 2>(token, &mut destinations, at);
            at += 2 * V::<G>::BYTES;
        }
    }
    while at + V::<G>::BYTES <= end {
        group.step::<G, 1>(token, &mut destinations, at);
        at += V::<G>::BYTES;
    }
    if at < end {
        group.rest::<G>(token, &mut destinations, at..end);
    }
}

/// Rows that are computed together.
#[derive(Clone, Copy)]
struct Group<'a, const ROWS: usize> {
    /// The maps of the group: those of the first column, then those of the second column, and so
    /// on.
    maps: &'a [u8],
    sources: &'a [&'a [u8]],
    accumulate: bool,
}

impl<const ROWS: usize> Group<'_, ROWS> {
    /// Computes `VECTORS` vectors of each sum, from byte `at` on.
    #[inline(always)]
    fn step<G: Gf8, const VECTORS: usize>(self, token: G, destinations: &mut [&mut [u8]; ROWS], at: usize) {
        let bytes = VECTORS * V::<G>::BYTES;
        let mut sums = [[V::<G>::zero(token); VECTORS]; ROWS];
        if self.accumulate {
            for row in 0..ROWS {
                let destination = &destinations[row][at..at + bytes];
                for vector in 0..VECTORS {
                    sums[row][vector] = V::<G>::load(token, &destination[vector * V::<G>::BYTES..]);
                }
            }
        }
        let maps = self.maps.chunks_exact(ROWS * V::<G>::MAP_BYTES);
        for (source, maps) in self.sources.iter().zip(maps) {
            let source = &source[at..at + bytes];
            let mut multiplicands = [V::<G>::zero(token).multiplicand(); VECTORS];
            for vector in 0..VECTORS {
                multiplicands[vector] = V::<G>::load(token, &source[vector * V::<G>::BYTES..]).multiplicand();
            }
            for row in 0..ROWS {
                let map = V::<G>::load_map(token, &maps[row * V::<G>::MAP_BYTES..]);
                for vector in 0..VECTORS {
                    sums[row][vector] = sums[row][vector].xor(V::<G>::apply(multiplicands[vector], map));
                }
            }
        }
        for row in 0..ROWS {
            let destination = &mut destinations[row][at..at + bytes];
            for vector in 0..VECTORS {
                sums[row][vector].store(&mut destination[vector * V::<G>::BYTES..]);
            }
        }
    }

    /// Computes the end of each sum, which is shorter than a vector, in copies that are as long as
    /// a vector. The compiler makes a copy a call, so copies are not in the loop over the sources.
    #[inline(always)]
    fn rest<G: Gf8>(self, token: G, destinations: &mut [&mut [u8]; ROWS], range: Range<usize>) {
        let length = range.len();
        let mut sums = [[0; PADDED_BYTES]; ROWS];
        if self.accumulate {
            for (sum, destination) in sums.iter_mut().zip(&*destinations) {
                sum[..length].copy_from_slice(&destination[range.clone()]);
            }
        }
        let mut padded = [[0; PADDED_BYTES]; PADDED_SOURCES];
        let maps = self.maps.chunks(PADDED_SOURCES * ROWS * V::<G>::MAP_BYTES);
        for (sources, maps) in self.sources.chunks(PADDED_SOURCES).zip(maps) {
            for (padded, source) in padded.iter_mut().zip(sources) {
                padded[..length].copy_from_slice(&source[range.clone()]);
            }
            let padded = padded.each_ref().map(|padded| &padded[..]);
            let group = Group::<ROWS> { maps, sources: &padded[..sources.len()], accumulate: true };
            group.step::<G, 1>(token, &mut sums.each_mut().map(|sum| &mut sum[..]), 0);
        }
        for (sum, destination) in sums.iter().zip(&mut *destinations) {
            destination[range.clone()].copy_from_slice(&sum[..length]);
        }
        wipe(sums.as_flattened_mut());
        wipe(padded.as_flattened_mut());
    }
}

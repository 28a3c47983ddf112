//! The columns in which shares contradict each other.

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::format::Header;
use crate::ops::interpolation::Basis;
use crate::ops::rows::Rows;

/// The largest number of columns that one reading keeps: enough to tell shares apart.
const MAX_COLUMNS: usize = 64;
/// The largest number of columns that all readings together keep.
const MAX_COLUMNS_IN_ALL: usize = 1024;
/// The largest number of columns that one share adds in one chunk. The limit leaves room for a
/// share that is forged in a single column, beside shares that are forged in many.
const MAX_COLUMNS_AT_ONCE: usize = 4;

/// Some elements of all shares: a row for each share, and a column for each element at which shares
/// contradict each other.
#[derive(Clone)]
pub(crate) struct Evidence {
    element: usize,
    columns: usize,
    rows: Vec<Zeroizing<Vec<u8>>>,
}

impl Evidence {
    pub(crate) fn new(shares: usize, element: usize) -> Self {
        let row = || Zeroizing::new(Vec::with_capacity(MAX_COLUMNS * element));
        Self { element, columns: 0, rows: (0..shares).map(|_| row()).collect() }
    }

    /// Keeps columns in which a share differs from the expected values. It may become public that
    /// they differ, because some share is forged. `kept` lists the elements of this chunk that are
    /// already kept.
    pub(crate) fn add(&mut self, rows: &Rows, share: &[u8], expected: &[u8], kept: &mut Vec<usize>) {
        let mut found = 0;
        let elements = share.chunks_exact(self.element).zip(expected.chunks_exact(self.element));
        for (at, (a, b)) in elements.enumerate() {
            if self.columns == MAX_COLUMNS || found == MAX_COLUMNS_AT_ONCE {
                return;
            }
            if !bool::from(a.ct_eq(b)) {
                found += 1;
                if !kept.contains(&at) {
                    kept.push(at);
                    for (position, to) in self.rows.iter_mut().enumerate() {
                        to.extend_from_slice(&rows.row(position, (at + 1) * self.element)[at * self.element..]);
                    }
                    self.columns += 1;
                }
            }
        }
    }

    /// Returns the number of columns.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns all kept elements of a share.
    pub(crate) fn row(&self, position: usize) -> &[u8] {
        &self.rows[position]
    }

    /// Returns one kept element of a share.
    pub(crate) fn element_at(&self, position: usize, column: usize) -> &[u8] {
        &self.rows[position][column * self.element..][..self.element]
    }

    /// Adds the columns of another reading as far as there is room. Returns whether any were added.
    pub(crate) fn append(&mut self, other: &Self) -> bool {
        let room = MAX_COLUMNS_IN_ALL.saturating_sub(self.columns).min(other.columns);
        for (to, from) in self.rows.iter_mut().zip(&other.rows) {
            // Growing in place could leave the old bytes in freed memory.
            let mut row = Zeroizing::new(Vec::with_capacity(to.len() + room * self.element));
            row.extend_from_slice(to);
            row.extend_from_slice(&from[..room * self.element]);
            *to = row;
        }
        self.columns += room;
        room > 0
    }

    /// Returns the shares in `others` that lie on the polynomial of the basis in all columns.
    pub(crate) fn agreeing(&self, headers: &[Header], basis: &[usize], others: &[usize]) -> Vec<usize> {
        let rows = basis.iter().map(|&at| self.row(at));
        let basis = Basis::new(&basis.iter().map(|&at| &headers[at]).collect::<Vec<_>>());
        let pieces = basis.pieces(rows);
        let mut expected = Zeroizing::new(vec![0; self.columns * self.element]);
        let agrees = |&at: &usize| {
            basis.interpolate(&basis.target(&headers[at].point()), &pieces, &mut expected);
            expected.ct_eq(self.row(at)).into()
        };
        others.iter().copied().filter(agrees).collect()
    }
}

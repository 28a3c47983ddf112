//! Where shares contradict each other, and who can be right.

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::format::Header;
use crate::ops::interpolation::Interpolation;
use crate::ops::rows::Rows;

/// So many places are kept of one reading: enough to tell shares apart.
const MAX_PLACES: usize = 64;
/// So many are kept of all readings.
const MAX_PLACES_IN_ALL: usize = 1024;
/// So many from one share in one chunk, so that a forger of one place among many forged ones is not lost.
const MAX_PLACES_AT_ONCE: usize = 4;

/// What the shares have at some places where they contradict each other: elements, a row for each share.
#[derive(Clone)]
pub(crate) struct Evidence {
    element: usize,
    places: usize,
    rows: Vec<Zeroizing<Vec<u8>>>,
}

impl Evidence {
    pub(crate) fn new(shares: usize, element: usize) -> Self {
        let row = || Zeroizing::new(Vec::with_capacity(MAX_PLACES * element));
        Self { element, places: 0, rows: (0..shares).map(|_| row()).collect() }
    }

    /// Keeps places where a share is not what it should be. That they differ is public: somebody forged a share. `kept` are
    /// those in this chunk that are kept already.
    pub(crate) fn add(&mut self, rows: &Rows, share: &[u8], expected: &[u8], kept: &mut Vec<usize>) {
        let mut found = 0;
        let elements = share.chunks_exact(self.element).zip(expected.chunks_exact(self.element));
        for (at, (a, b)) in elements.enumerate() {
            if self.places == MAX_PLACES || found == MAX_PLACES_AT_ONCE {
                return;
            }
            if !bool::from(a.ct_eq(b)) {
                found += 1;
                if !kept.contains(&at) {
                    kept.push(at);
                    for (position, to) in self.rows.iter_mut().enumerate() {
                        to.extend_from_slice(&rows.row(position, (at + 1) * self.element)[at * self.element..]);
                    }
                    self.places += 1;
                }
            }
        }
    }

    /// How many places there are.
    pub(crate) fn places(&self) -> usize {
        self.places
    }

    /// What a share has at all places.
    pub(crate) fn row(&self, position: usize) -> &[u8] {
        &self.rows[position]
    }

    /// What a share has at one place.
    pub(crate) fn element_at(&self, position: usize, place: usize) -> &[u8] {
        &self.rows[position][place * self.element..][..self.element]
    }

    /// Adds the places of another reading, if there is room. Whether there was.
    pub(crate) fn append(&mut self, other: &Self) -> bool {
        let room = MAX_PLACES_IN_ALL.saturating_sub(self.places).min(other.places);
        for (to, from) in self.rows.iter_mut().zip(&other.rows) {
            // Growing would leave the old bytes behind.
            let mut row = Zeroizing::new(Vec::with_capacity(to.len() + room * self.element));
            row.extend_from_slice(to);
            row.extend_from_slice(&from[..room * self.element]);
            *to = row;
        }
        self.places += room;
        room > 0
    }

    /// Which of `others` lie at all places on the polynomial of the basis.
    pub(crate) fn agreeing(&self, headers: &[Header], basis: &[usize], others: &[usize]) -> Vec<usize> {
        let basis_headers: Vec<&Header> = basis.iter().map(|&at| &headers[at]).collect();
        let rows: Vec<&[u8]> = basis.iter().map(|&at| self.row(at)).collect();
        let mut expected = Zeroizing::new(vec![0; self.places * self.element]);
        let agrees = |&at: &usize| {
            Interpolation::at(&basis_headers, &headers[at].point()).apply(&rows, &mut expected);
            expected.ct_eq(self.row(at)).into()
        };
        others.iter().copied().filter(agrees).collect()
    }
}

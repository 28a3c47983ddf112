//! Where shares contradict each other, and who can be right.

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::Interpolation;
use crate::header::Header;
use crate::reader::ShareReader;
use crate::rows::Rows;

/// So many places are enough to tell shares apart.
const MAX_PLACES: usize = 64;
/// So many from one chunk, so that a forger of one place among many forged ones is not lost.
const MAX_PLACES_AT_ONCE: usize = 4;

/// What the shares have at some places where they contradict each other: elements, a row for each share.
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

    /// Keeps places where a share is not what it should be. That they differ is public: somebody forged a share.
    pub(crate) fn add(&mut self, rows: &Rows, share: &[u8], expected: &[u8]) {
        let mut found = 0;
        for (at, (a, b)) in share.chunks(self.element).zip(expected.chunks(self.element)).enumerate() {
            if self.places == MAX_PLACES || found == MAX_PLACES_AT_ONCE {
                return;
            }
            if !bool::from(a.ct_eq(b)) {
                for (position, to) in self.rows.iter_mut().enumerate() {
                    to.extend_from_slice(&rows.row(position, (at + 1) * self.element)[at * self.element..]);
                }
                self.places += 1;
                found += 1;
            }
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        let room = (MAX_PLACES * 4).saturating_sub(self.places).min(other.places);
        for (to, from) in self.rows.iter_mut().zip(&other.rows) {
            to.extend_from_slice(&from[..room * self.element]);
        }
        self.places += room;
    }

    /// Whether these shares lie on one polynomial at all places.
    pub(crate) fn agree<R>(&self, readers: &[ShareReader<R>], positions: &[usize]) -> bool {
        let threshold = usize::from(readers[0].header().threshold());
        let (basis, others) = positions.split_at(threshold);
        let headers: Vec<&Header> = basis.iter().map(|&at| readers[at].header()).collect();
        let rows: Vec<&[u8]> = basis.iter().map(|&at| &self.rows[at][..]).collect();
        let mut expected = Zeroizing::new(vec![0; self.places * self.element]);
        others.iter().all(|&at| {
            Interpolation::at(&headers, &readers[at].header().point()).apply(&rows, &mut expected);
            expected.ct_eq(&self.rows[at]).into()
        })
    }
}

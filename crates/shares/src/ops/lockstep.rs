//! Reads shares side by side in order to create new shares. Any bad share is an error.

use std::io::Read;

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::error::{BadShare, CombineError, Fault};
use super::interpolation::{Basis, Pieces, Target};
use super::positions::{distinct_points, same_point};
use super::rows::{Rows, chunk_bytes};
use crate::format::error::ShareError;
use crate::format::layout::COMMITMENT_BYTES;
use crate::format::{Header, ShareReader};

/// Readers of one set that are checked against each other as they are read.
pub(crate) struct Lockstep<R> {
    readers: Vec<ShareReader<R>>,
    rows: Rows,
    /// The shares of the basis.
    positions: Vec<usize>,
    basis: Basis,
    checks: Vec<(usize, Target)>,
    repeats: Vec<[usize; 2]>,
    /// The error if the shares contradict each other. Their checksums may still show which one is
    /// damaged.
    contradiction: Option<CombineError>,
}

impl<R: Read> Lockstep<R> {
    /// Prepares to read. The caller has checked that the headers agree and that there are enough
    /// shares.
    pub(crate) fn new(readers: Vec<ShareReader<R>>) -> Self {
        let all: Vec<usize> = (0..readers.len()).collect();
        let distinct = distinct_points(&readers, &all);
        let (positions, extra) = distinct.split_at(readers[0].header().threshold().into());
        let headers: Vec<&Header> = positions.iter().map(|&at| readers[at].header()).collect();
        let basis = Basis::new(&headers);
        let check = |&at: &usize| (at, basis.target(&readers[at].header().point()));
        let checks = extra.iter().map(check).collect();
        let repeated = |&at: &usize| {
            let first = distinct.iter().copied().find(|&other| same_point(&readers, at, other))?;
            (first != at).then_some([first, at])
        };
        let repeats = all.iter().filter_map(repeated).collect();
        let rows = Rows::new(readers.len(), chunk_bytes(readers.len()));
        Self { positions: positions.to_vec(), basis, checks, repeats, rows, readers, contradiction: None }
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    pub(crate) fn rows_mut(&mut self) -> &mut Rows {
        &mut self.rows
    }

    /// Reads the shares of the blinding value into the rows, and checks them. Returns their length.
    pub(crate) fn blinding(&mut self) -> Result<usize, CombineError> {
        let length = self.readers[0].header().field().blinding_share_bytes();
        for (at, reader) in self.readers.iter().enumerate() {
            self.rows.row_mut(at)[..length].copy_from_slice(reader.blinding());
        }
        self.check(length);
        if self.contradiction.is_some() { Err(self.drain()) } else { Ok(length) }
    }

    /// Reads the next chunks into the rows, and checks them. Returns their length, or `None` at the
    /// end.
    pub(crate) fn next(&mut self) -> Result<Option<usize>, CombineError> {
        let mut lengths = Vec::with_capacity(self.readers.len());
        for position in 0..self.readers.len() {
            match self.rows.fill(position, &mut self.readers[position]) {
                Ok(length) => lengths.push(length),
                Err(error) => {
                    let fault = Fault::Share(ShareError::from_io(error));
                    return Err(CombineError::Bad(vec![BadShare { position, fault }]));
                }
            }
        }
        let length = lengths[0];
        if lengths.iter().any(|&other| other != length) {
            self.contradiction = Some(CombineError::Inconsistent);
        } else {
            self.check(length);
        }
        match self.contradiction {
            Some(_) => Err(self.drain()),
            None => Ok((length > 0).then_some(length)),
        }
    }

    /// Returns the target of the share at an evaluation point.
    pub(crate) fn target(&self, point: &[u8]) -> Target {
        self.basis.target(point)
    }

    /// Computes the piece of the share at `target` from the first `length` bytes of the rows.
    pub(crate) fn interpolate(&self, target: &Target, length: usize) -> Zeroizing<Vec<u8>> {
        let mut piece = Zeroizing::new(vec![0; length]);
        self.basis.interpolate(target, &self.pieces(length), &mut piece);
        piece
    }

    fn pieces(&self, length: usize) -> Pieces<'_> {
        self.basis.pieces(self.positions.iter().map(|&at| self.rows.row(at, length)))
    }

    fn check(&mut self, length: usize) {
        let rows = &self.rows;
        let same = |&&[first, again]: &&[usize; 2]| bool::from(rows.row(first, length).ct_eq(rows.row(again, length)));
        if let Some(&positions) = self.repeats.iter().find(|pair| !same(pair)) {
            self.contradiction = Some(CombineError::Conflict { positions });
            return;
        }
        let pieces = self.pieces(length);
        let mut expected = Zeroizing::new(vec![0; length]);
        let is_right = |(position, target): &(usize, Target)| {
            self.basis.interpolate(target, &pieces, &mut expected);
            bool::from(expected.ct_eq(rows.row(*position, length)))
        };
        if !self.checks.iter().all(is_right) {
            self.contradiction = Some(CombineError::Inconsistent);
        }
    }

    /// Reads all shares to the end. Shares with a wrong checksum are named in the error; if there
    /// are none, the error is the contradiction.
    fn drain(&mut self) -> CombineError {
        let mut bad = Vec::new();
        for (position, reader) in self.readers.iter_mut().enumerate() {
            loop {
                match self.rows.fill(position, reader) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) => {
                        bad.push(BadShare { position, fault: Fault::Share(ShareError::from_io(error)) });
                        break;
                    }
                }
            }
        }
        if bad.is_empty() {
            self.contradiction.take().unwrap_or(CombineError::Inconsistent)
        } else {
            CombineError::Bad(bad)
        }
    }

    /// Returns the commitment, once all shares were read to the end. It must be the same in all of
    /// them.
    pub(crate) fn commitment(&self) -> Result<[u8; COMMITMENT_BYTES], CombineError> {
        let first = self.readers[0].commitment();
        if self.readers.iter().any(|reader| reader.commitment() != first) {
            return Err(CombineError::Inconsistent);
        }
        first.ok_or(CombineError::Inconsistent)
    }
}

//! Reads shares side by side, once.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use super::evidence::Evidence;
use super::report::Report;
use crate::format::error::ShareError;
use crate::format::layout::{BLINDING_BYTES, COMMITMENT_BYTES};
use crate::format::{Header, ShareReader};
use crate::ops::commitment::Committer;
use crate::ops::error::{BadShare, CombineError, Fault};
use crate::ops::interpolation::{Basis, Target};
use crate::ops::positions::distinct_points;
use crate::ops::rows::{Rows, chunk_bytes};

/// One reading of shares: the shares that are read, and the shares among them that must agree.
pub(crate) struct Pass<'a> {
    remaining: &'a [usize],
    trusted: &'a [usize],
}

/// The result of one reading.
pub(crate) struct Outcome {
    pub(crate) faults: Vec<BadShare>,
    /// The columns in which trusted shares contradict each other.
    pub(crate) evidence: Evidence,
    contradiction: bool,
    /// Two shares with the same index and different content.
    pub(crate) conflict: Option<[usize; 2]>,
    /// The commitment of each reader that was read to its end.
    pub(crate) commitments: Vec<Option<[u8; COMMITMENT_BYTES]>>,
    pub(crate) lengths: Vec<u64>,
    trusted: Vec<usize>,
    repeated: Vec<[usize; 2]>,
    /// The commitment of the result, if the shares agreed to the end.
    commitment: Option<[u8; COMMITMENT_BYTES]>,
    /// Shares that were not trusted, and that agree with those that were.
    agreeing: Vec<usize>,
}

impl Outcome {
    /// Returns whether the trusted shares are complete, agree, have the same commitment, and give a
    /// secret that matches this commitment. Repetitions must have this commitment too.
    pub(crate) fn is_authentic(&self) -> bool {
        let mut all = self.trusted.iter().chain(self.repeated.iter().map(|[again, _]| again));
        self.faults.is_empty()
            && !self.contradiction
            && self.conflict.is_none()
            && self.commitment.is_some()
            && all
                .all(|&at| self.commitments[at] == self.commitment && self.lengths[at] == self.lengths[self.trusted[0]])
    }

    /// Returns whether the trusted shares do not contradict each other.
    pub(crate) fn agrees(&self) -> bool {
        !self.contradiction && self.conflict.is_none()
    }

    /// Reports the shares that belong to an authentic result, and which of them are repeated.
    pub(crate) fn into_report<R>(mut self, readers: &[ShareReader<R>], bad: Vec<BadShare>) -> Report {
        let first = self.trusted[0];
        let like_first =
            |at: usize| self.lengths[at] == self.lengths[first] && self.commitments[at] == self.commitments[first];
        let mut points: HashMap<Vec<u8>, usize> =
            self.trusted.iter().map(|&at| (readers[at].header().point(), at)).collect();
        for &at in self.agreeing.iter().filter(|&&at| like_first(at)) {
            match points.entry(readers[at].header().point()) {
                Entry::Occupied(used) => self.repeated.push([at, *used.get()]),
                Entry::Vacant(free) => {
                    free.insert(at);
                    self.trusted.push(at);
                }
            }
        }
        self.trusted.sort_unstable();
        Report { length: self.lengths[first], used: self.trusted, repeated: self.repeated, bad }
    }
}

impl<'a> Pass<'a> {
    /// Prepares to read the shares `remaining`. Those in `trusted` are combined and compared. The
    /// others are checked against the result. All readers must be at the beginning of the payload.
    pub(crate) fn over(remaining: &'a [usize], trusted: &'a [usize]) -> Self {
        Self { remaining, trusted }
    }

    /// Reads all shares to the end, and writes the secret as long as nothing is wrong.
    pub(crate) fn run<R: Read, W: Write>(
        &self,
        readers: &mut [ShareReader<R>],
        output: &mut W,
    ) -> Result<Outcome, CombineError> {
        let first = readers[self.trusted[0]].header().clone();
        let distinct = distinct_points(readers, self.trusted);
        let repeats = self.repeats(readers, &distinct);
        let (positions, extra) = distinct.split_at(first.threshold().into());
        let headers: Vec<&Header> = positions.iter().map(|&at| readers[at].header()).collect();
        let basis = Basis::new(&headers);
        drop(headers);
        let target = |at: usize| basis.target(&readers[at].header().point());
        let checks = extra.iter().map(|&at| (at, target(at))).collect();
        let trusted: HashSet<usize> = self.trusted.iter().copied().collect();
        let share = |at: usize| Untrusted { position: at, target: target(at), agrees: true };
        let untrusted = self.remaining.iter().copied().filter(|at| !trusted.contains(at)).map(share).collect();

        let chunk = chunk_bytes(readers.len());
        let mut state = State {
            positions,
            secret: basis.secret(),
            checks,
            untrusted,
            basis,
            repeats: &repeats,
            conflict: None,
            evidence: Evidence::new(readers.len(), first.field().element_len()),
            contradiction: false,
            collect: true,
            result: Zeroizing::new(vec![0; chunk]),
            expected: Zeroizing::new(vec![0; chunk]),
        };
        let mut rows = Rows::new(readers.len(), chunk);

        // The blinding value is shared like the secret, and comes before it.
        let blinding_bytes = first.field().blinding_share_bytes();
        for (at, reader) in readers.iter().enumerate() {
            rows.row_mut(at)[..blinding_bytes].copy_from_slice(reader.blinding());
        }
        let good = state.chunk(&rows, blinding_bytes);
        let (blinding, padding) = state.result[..blinding_bytes].split_at(BLINDING_BYTES);
        let blinding = blinding.try_into().expect("its length");
        let padded = bool::from(padding.ct_eq(&vec![0; padding.len()]));
        let mut committer = (good && padded).then(|| Committer::new(blinding, first.field(), first.threshold()));

        let mut faults: Vec<BadShare> = Vec::new();
        loop {
            let lengths = self.read(readers, &mut rows, &mut faults);
            if lengths.iter().flatten().all(|&length| length == 0) {
                break;
            }
            let length = lengths[self.trusted[0]].unwrap_or(0);
            state.untrusted.iter_mut().for_each(|share| share.agrees &= lengths[share.position] == Some(length));
            let even = |positions: &[usize]| positions.iter().all(|&at| lengths[at] == Some(length));
            // Rows of different lengths are not evidence.
            state.collect = even(self.remaining);
            if !even(self.trusted) || !state.chunk(&rows, length) {
                // The rest is read only to check the checksums.
                committer = None;
            } else if let Some(committer) = &mut committer {
                committer.update(&state.result[..length]);
                output.write_all(&state.result[..length]).map_err(CombineError::Write)?;
            }
        }
        if committer.is_some() {
            output.flush().map_err(CombineError::Write)?;
        }
        let State { conflict, evidence, contradiction, untrusted, .. } = state;
        Ok(Outcome {
            faults,
            evidence,
            contradiction,
            conflict,
            commitments: readers.iter().map(ShareReader::commitment).collect(),
            lengths: readers.iter().map(ShareReader::payload_len).collect(),
            trusted: distinct,
            repeated: repeats,
            commitment: committer.map(Committer::finalize),
            agreeing: untrusted.iter().filter(|share| share.agrees).map(|share| share.position).collect(),
        })
    }

    /// Returns each trusted share at the point of an earlier one, together with that one.
    fn repeats<R>(&self, readers: &[ShareReader<R>], distinct: &[usize]) -> Vec<[usize; 2]> {
        let first: HashMap<Vec<u8>, usize> = distinct.iter().map(|&at| (readers[at].header().point(), at)).collect();
        let repeat =
            |&at: &usize| Some([at, first[&readers[at].header().point()]]).filter(|[again, first]| again != first);
        self.trusted.iter().filter_map(repeat).collect()
    }

    /// Reads the next chunk of each share. Returns the length of each chunk: 0 at the end, or
    /// `None` for a bad share.
    fn read<R: Read>(
        &self,
        readers: &mut [ShareReader<R>],
        rows: &mut Rows,
        faults: &mut Vec<BadShare>,
    ) -> Vec<Option<usize>> {
        let mut lengths = vec![None; readers.len()];
        for &position in self.remaining {
            if faults.iter().any(|share| share.position == position) {
                continue;
            }
            match rows.fill(position, &mut readers[position]) {
                Ok(length) => lengths[position] = Some(length),
                Err(error) => {
                    let fault = Fault::Share(ShareError::from_io(error));
                    faults.push(BadShare { position, fault });
                }
            }
        }
        lengths
    }
}

/// A share that is read but not trusted.
struct Untrusted {
    position: usize,
    target: Target,
    agrees: bool,
}

struct State<'a> {
    /// The shares of the basis.
    positions: &'a [usize],
    basis: Basis,
    secret: Target,
    /// The trusted shares beyond the basis.
    checks: Vec<(usize, Target)>,
    untrusted: Vec<Untrusted>,
    repeats: &'a [[usize; 2]],
    conflict: Option<[usize; 2]>,
    evidence: Evidence,
    /// Whether the shares contradict each other.
    contradiction: bool,
    /// Whether evidence is kept from this chunk.
    collect: bool,
    result: Zeroizing<Vec<u8>>,
    /// The expected chunk of a share that is not trusted.
    expected: Zeroizing<Vec<u8>>,
}

impl State<'_> {
    /// Checks a chunk of the shares, and puts the chunk of the secret into `result`. Returns
    /// whether the shares agree.
    fn chunk(&mut self, rows: &Rows, length: usize) -> bool {
        for &[again, first] in self.repeats {
            if !bool::from(rows.row(again, length).ct_eq(rows.row(first, length))) {
                self.conflict.get_or_insert([first, again]);
                return false;
            }
        }
        let pieces = self.basis.pieces(self.positions.iter().map(|&at| rows.row(at, length)));
        let result = &mut self.result[..length];
        let mut consistent = true;
        let mut kept = Vec::new();
        for (position, target) in &self.checks {
            self.basis.interpolate(target, &pieces, result);
            let share = rows.row(*position, length);
            if !bool::from(share.ct_eq(result)) {
                consistent = false;
                if self.collect {
                    self.evidence.add(rows, share, result, &mut kept);
                }
            }
        }
        self.contradiction |= !consistent;
        if consistent {
            for share in self.untrusted.iter_mut().filter(|share| share.agrees) {
                let expected = &mut self.expected[..length];
                self.basis.interpolate(&share.target, &pieces, expected);
                share.agrees = expected.ct_eq(rows.row(share.position, length)).into();
            }
            self.basis.interpolate(&self.secret, &pieces, result);
        }
        consistent
    }
}

//! Which shares are forged.
//!
//! Candidates are the shares without one of them, without two, and so on. One that contradicts itself at the places that are
//! known cannot be right; the commitment decides on the others. So the first that passes has all honest shares in it.

use std::io::{Read, Seek, Write};

use super::pass::{Outcome, Pass};
use super::{Report, Restart, distinct_points};
use crate::error::{BadShare, CombineError, Fault, ShareError};
use crate::reader::ShareReader;

/// More candidates than this are not looked at: a few forged ones among any number of shares are always found.
const MAX_CANDIDATES: usize = 100_000;
/// More are not combined.
const MAX_PASSES: usize = 5_000;

/// Looks for shares that are authentic together, and writes their secret.
pub(crate) fn search<R: Read + Seek, W: Write + Restart>(
    readers: &mut [ShareReader<R>],
    alive: &[usize],
    mut known: Outcome,
    mut bad: Vec<BadShare>,
    output: &mut W,
) -> Result<Report, CombineError> {
    let threshold = usize::from(readers[0].header().threshold());
    let mut conflicts: Vec<[usize; 2]> = known.conflict.into_iter().collect();
    // Any candidate within one of these gives the same wrong result.
    let mut refuted: Vec<Vec<usize>> = Vec::new();
    if known.is_consistent() && is_uniform(&known, alive) {
        return Err(CombineError::NotAuthentic);
    }
    let mut passes = 0;
    for candidate in candidates(alive).take(MAX_CANDIDATES) {
        let distinct = distinct_points(readers, &candidate);
        let possible = distinct.len() >= threshold
            && is_uniform(&known, &candidate)
            && conflicts.iter().all(|pair| !pair.iter().all(|at| candidate.contains(at)))
            && refuted.iter().all(|set| !candidate.iter().all(|at| set.contains(at)))
            && known.evidence.agree(readers, &distinct);
        if !possible {
            continue;
        }
        if passes == MAX_PASSES {
            break;
        }
        passes += 1;
        for &position in alive {
            readers[position].rewind().map_err(|error| changed(position, error))?;
        }
        output.restart().map_err(CombineError::Write)?;
        let outcome = Pass::over(alive, &candidate).run(readers, output)?;
        if outcome.is_authentic() {
            let forged = alive.iter().copied().filter(|at| !candidate.contains(at));
            bad.extend(forged.map(|position| BadShare { position, fault: Fault::Forged }));
            return Ok(outcome.into_report(bad));
        }
        if !outcome.faults.is_empty() {
            // It was right before.
            return Err(CombineError::Bad(outcome.faults));
        }
        if outcome.is_consistent() {
            refuted.push(candidate);
        }
        conflicts.extend(outcome.conflict);
        known.evidence.append(outcome.evidence);
    }
    Err(match conflicts.first() {
        Some(&positions) if distinct_points(readers, alive).len() == threshold => CombineError::Conflict { positions },
        _ if refuted.is_empty() => CombineError::Inconsistent,
        _ => CombineError::NotAuthentic,
    })
}

fn changed(position: usize, error: ShareError) -> CombineError {
    CombineError::Bad(vec![BadShare { position, fault: Fault::Share(error) }])
}

/// What is wrong with shares that cannot be read again.
pub(crate) fn explain<R>(readers: &[ShareReader<R>], alive: &[usize], outcome: Outcome) -> CombineError {
    if !outcome.faults.is_empty() {
        return CombineError::Bad(outcome.faults);
    }
    if let Some(positions) = outcome.conflict {
        return CombineError::Conflict { positions };
    }
    if outcome.is_consistent() && is_uniform(&outcome, alive) {
        return CombineError::NotAuthentic;
    }
    let threshold = usize::from(readers[0].header().threshold());
    for candidate in candidates(alive).take(MAX_CANDIDATES) {
        let distinct = distinct_points(readers, &candidate);
        let forged = alive.len() - candidate.len();
        // With more agreeing shares than that, no other choice of as few forged ones is possible.
        if distinct.len() < threshold + forged {
            break;
        }
        if is_uniform(&outcome, &candidate) && outcome.evidence.agree(readers, &distinct) {
            let positions = alive.iter().copied().filter(|at| !candidate.contains(at));
            return CombineError::Bad(positions.map(|position| BadShare { position, fault: Fault::Forged }).collect());
        }
    }
    CombineError::Inconsistent
}

/// Whether the shares have the same length and commitment.
fn is_uniform(known: &Outcome, positions: &[usize]) -> bool {
    positions.windows(2).all(|pair| {
        known.lengths[pair[0]] == known.lengths[pair[1]] && known.commitments[pair[0]] == known.commitments[pair[1]]
    })
}

/// The shares without one, without two, and so on.
pub(crate) fn candidates(alive: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    (1..alive.len()).flat_map(move |without| {
        let mut next: Option<Vec<usize>> = Some((0..without).collect());
        std::iter::from_fn(move || {
            let left_out = next.take()?;
            next = next_combination(&left_out, alive.len());
            let kept = alive.iter().enumerate().filter(|(at, _)| !left_out.contains(at));
            Some(kept.map(|(_, &position)| position).collect())
        })
    })
}

/// The next choice of as many of `0..total`, in lexicographic order.
fn next_combination(choice: &[usize], total: usize) -> Option<Vec<usize>> {
    let mut next = choice.to_vec();
    let at = (0..next.len()).rev().find(|&at| next[at] < total - next.len() + at)?;
    next[at] += 1;
    for later in at + 1..next.len() {
        next[later] = next[later - 1] + 1;
    }
    Some(next)
}

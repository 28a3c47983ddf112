//! Finds forged shares.
//!
//! Only shares with the same length and commitment can belong together. If there are several such
//! groups, a forger may have made one of them, of any size. Shares that are left out because they
//! are damaged may have been of another group. In both cases, a group counts only if its shares
//! come from at least as many sources as the threshold.
//!
//! Decoding is tried first: the columns in which shares contradict each other show the wrong shares
//! if they are a minority. Otherwise every choice of k shares is tried, where k is the threshold,
//! and the others are compared with them. The shares of each candidate are read once more, and only
//! the commitment decides.

use std::collections::{BTreeMap, HashSet};
use std::io::{Read, Seek, Write};

use super::budget::Budget;
use super::decode::decode;
use super::evidence::Evidence;
use super::pass::{Outcome, Pass};
use super::report::Report;
use super::restart::Restart;
use crate::format::error::ShareError;
use crate::format::{Header, ShareReader};
use crate::ops::combinations::next_combination;
use crate::ops::error::{BadShare, CombineError, Fault};
use crate::ops::interpolation::Basis;
use crate::ops::positions::{distinct_points, has_enough_sources, sources};

/// The largest number of readings in one search.
const MAX_PASSES: usize = 1_000;
/// The number of shares above which a reading counts as several.
const PASS_SHARES: usize = 256;
/// The search stops when it has cost this many multiplications of bytes: a few seconds.
const MAX_WORK: u64 = 1 << 30;
/// The cost that is counted for every choice, even if it is skipped.
const MIN_WORK: u64 = 1 << 12;
/// The least cost of comparing one share with a choice, and of one share of a choice that is
/// skipped.
const MIN_SHARE_WORK: u64 = 1 << 6;

/// Looks for shares that are authentic together, and writes their secret. `known` is the outcome of
/// the first reading of the shares `remaining`, and `bad` lists the shares that are left out
/// already.
pub(crate) fn search<R: Read + Seek, W: Write + Restart>(
    readers: &mut [ShareReader<R>],
    remaining: &[usize],
    known: Outcome,
    mut bad: Vec<BadShare>,
    output: &mut W,
) -> Result<Report, CombineError> {
    if known.agrees() && is_uniform(&known, remaining) {
        return Err(CombineError::NotAuthentic);
    }
    let headers: Vec<Header> = readers.iter().map(|reader| reader.header().clone()).collect();
    let threshold = usize::from(headers[0].threshold());
    let too_few = distinct_points(readers, remaining).len() == threshold;
    let mut groups = uniform(&known, remaining);
    let is_counted = |group: &Vec<usize>| sources(readers, group) >= threshold;
    let mut outvoted = None;
    if groups.len() > 1 || !has_enough_sources(readers, &groups[0], &bad) {
        let is_enough = |group: &&Vec<usize>| distinct_points(readers, group).len() >= threshold && !is_counted(group);
        outvoted = groups.iter().find(is_enough).cloned();
        groups.retain(is_counted);
    }
    let budget = &mut Budget::new();
    let mut search =
        Search { readers, output, headers, threshold, budget, work: 0, passes: 0, refuted: Vec::new(), gave_up: false };
    let mut candidates = groups.iter();
    while let Some(group) = candidates.next() {
        let gave_up_before = search.gave_up;
        let Some(outcome) = search.group(group, known.evidence.clone())? else { continue };
        let mut report = outcome.into_report(search.readers, Vec::new());
        // If another group is authentic too, nothing shows which secret is the right one.
        let mut rest = Search {
            readers: &mut *search.readers,
            output: &mut Discard,
            headers: search.headers,
            threshold,
            budget: &mut *search.budget,
            work: search.work,
            passes: search.passes,
            refuted: Vec::new(),
            gave_up: false,
        };
        for other in candidates {
            if rest.group(other, known.evidence.clone())?.is_some() {
                return Err(CombineError::TwoSecrets { positions: [report.used[0], other[0]] });
            }
        }
        // A group that was not searched to the end may be authentic too.
        if gave_up_before || rest.gave_up {
            return Err(CombineError::GaveUp);
        }
        let fits: HashSet<usize> =
            report.used.iter().copied().chain(report.repeated.iter().map(|[again, _]| *again)).collect();
        let forged = remaining.iter().copied().filter(|at| !fits.contains(at));
        bad.extend(forged.map(|position| BadShare { position, fault: Fault::Forged }));
        bad.sort_by_key(|share| share.position);
        report.bad = bad;
        return Ok(report);
    }
    Err(match (known.conflict, outvoted) {
        (_, Some(positions)) => CombineError::FewSources { positions, bad },
        (Some(positions), _) if too_few => CombineError::Conflict { positions },
        _ if search.gave_up => CombineError::GaveUp,
        _ if search.refuted.is_empty() => CombineError::Inconsistent,
        _ => CombineError::NotAuthentic,
    })
}

/// An output for a secret that only needs to be checked.
struct Discard;

impl Write for Discard {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Restart for Discard {
    fn restart(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Search<'a, R, W> {
    readers: &'a mut [ShareReader<R>],
    output: &'a mut W,
    headers: Vec<Header>,
    threshold: usize,
    /// The work that decoding may still do. The search has its own limit.
    budget: &'a mut Budget,
    work: u64,
    passes: usize,
    /// Sets of shares that agree but are not authentic. Any choice of shares in such a set gives
    /// the same wrong result.
    refuted: Vec<Vec<usize>>,
    /// Whether some choices were not tried.
    gave_up: bool,
}

enum Attempt {
    Authentic(Box<Outcome>),
    /// The reading found more columns in which shares contradict each other.
    Evidence,
    Nothing,
}

impl<R: Read + Seek, W: Write + Restart> Search<'_, R, W> {
    /// Searches among shares of one length and commitment.
    fn group(&mut self, group: &[usize], mut evidence: Evidence) -> Result<Option<Outcome>, CombineError> {
        let distinct = distinct_points(self.readers, group);
        if distinct.len() < self.threshold {
            return Ok(None);
        }
        while let Some(kept) = decode(&evidence, &self.headers, &distinct, self.budget) {
            match self.attempt(group, &kept, &mut evidence)? {
                Attempt::Authentic(outcome) => return Ok(Some(*outcome)),
                Attempt::Evidence => {}
                Attempt::Nothing => break,
            }
        }
        let mut tried = HashSet::new();
        loop {
            let mut has_new_columns = false;
            for kept in self.agreeing(group, &evidence) {
                if !tried.insert(kept.clone()) {
                    continue;
                }
                match self.attempt(group, &kept, &mut evidence)? {
                    Attempt::Authentic(outcome) => return Ok(Some(*outcome)),
                    Attempt::Evidence => has_new_columns = true,
                    Attempt::Nothing => {}
                }
                // New columns give new candidates.
                if has_new_columns {
                    break;
                }
            }
            if !has_new_columns {
                return Ok(None);
            }
        }
    }

    /// Combines the shares `kept`, and compares the others of the group with them.
    fn attempt(&mut self, group: &[usize], kept: &[usize], evidence: &mut Evidence) -> Result<Attempt, CombineError> {
        if self.is_refuted(kept) {
            return Ok(Attempt::Nothing);
        }
        if self.passes >= MAX_PASSES {
            self.gave_up = true;
            return Ok(Attempt::Nothing);
        }
        self.passes += group.len().div_ceil(PASS_SHARES);
        for &position in group {
            self.readers[position].rewind().map_err(|error| changed(position, error))?;
        }
        self.output.restart().map_err(CombineError::Write)?;
        let outcome = Pass::over(group, kept).run(self.readers, self.output)?;
        if outcome.is_authentic() {
            return Ok(Attempt::Authentic(Box::new(outcome)));
        }
        if !outcome.faults.is_empty() {
            // The damaged shares have changed: they were undamaged when they were first read.
            return Err(CombineError::Bad(outcome.faults));
        }
        if outcome.agrees() {
            self.refuted.push(kept.to_vec());
            return Ok(Attempt::Nothing);
        }
        if evidence.append(&outcome.evidence) {
            return Ok(Attempt::Evidence);
        }
        self.gave_up = true;
        Ok(Attempt::Nothing)
    }

    fn is_refuted(&self, positions: &[usize]) -> bool {
        self.refuted.iter().any(|set| is_subset(positions, set))
    }

    /// Returns all sets of shares that agree in all columns, the largest first. A set has one share
    /// for each point.
    fn agreeing(&mut self, group: &[usize], evidence: &Evidence) -> Vec<Vec<usize>> {
        let field = self.headers[group[0]].field();
        let cost = Basis::cost(field, self.threshold, group.len(), evidence.columns());
        let cost = cost.max((group.len() as u64).saturating_mul(MIN_SHARE_WORK));
        let mut sets: BTreeMap<std::cmp::Reverse<usize>, Vec<Vec<usize>>> = BTreeMap::new();
        let mut choice: Option<Vec<usize>> = Some((0..self.threshold).collect());
        while let Some(chosen) = choice {
            if self.work >= MAX_WORK {
                self.gave_up = true;
                break;
            }
            let basis: Vec<usize> = chosen.iter().map(|&at| group[at]).collect();
            choice = next_combination(&chosen, group.len());
            self.work = self.work.saturating_add(MIN_WORK.max(self.threshold as u64 * MIN_SHARE_WORK));
            if distinct_points(self.readers, &basis).len() < basis.len()
                || self.is_refuted(&basis)
                || sets.iter().any(|(size, sets)| size.0 > basis.len() && sets.iter().any(|set| is_subset(&basis, set)))
            {
                continue;
            }
            self.work = self.work.saturating_add(cost);
            let others: Vec<usize> = group.iter().copied().filter(|at| basis.binary_search(at).is_err()).collect();
            let agreeing = evidence.agreeing(&self.headers, &basis, &others);
            let mut set = distinct_points(self.readers, &[&basis[..], &agreeing].concat());
            set.sort_unstable();
            sets.entry(std::cmp::Reverse(set.len())).or_default().push(set);
        }
        sets.into_values().flatten().collect()
    }
}

/// Returns whether `whole` contains `part`. Both are sorted.
fn is_subset(part: &[usize], whole: &[usize]) -> bool {
    let mut whole = whole.iter();
    part.iter().all(|at| whole.any(|other| other == at))
}

fn changed(position: usize, error: ShareError) -> CombineError {
    CombineError::Bad(vec![BadShare { position, fault: Fault::Share(error) }])
}

/// Determines the error for shares that cannot be read again.
pub(crate) fn explain<R>(readers: &[ShareReader<R>], remaining: &[usize], outcome: Outcome) -> CombineError {
    if !outcome.faults.is_empty() {
        return CombineError::Bad(outcome.faults);
    }
    if let Some(positions) = outcome.conflict {
        return CombineError::Conflict { positions };
    }
    if outcome.agrees() && is_uniform(&outcome, remaining) {
        return CombineError::NotAuthentic;
    }
    let headers: Vec<Header> = readers.iter().map(|reader| reader.header().clone()).collect();
    let threshold = usize::from(headers[0].threshold());
    let groups = uniform(&outcome, remaining);
    let mut budget = Budget::new();
    for group in &groups {
        let distinct = distinct_points(readers, group);
        if distinct.len() < threshold || (groups.len() > 1 && sources(readers, group) < threshold) {
            continue;
        }
        let Some(kept) = decode(&outcome.evidence, &headers, &distinct, &mut budget) else { continue };
        // Repetitions have the same content here, so they are as good as the first.
        let points: HashSet<Vec<u8>> = kept.iter().map(|&at| headers[at].point()).collect();
        let forged: Vec<usize> = remaining
            .iter()
            .copied()
            .filter(|at| group.binary_search(at).is_err() || !points.contains(&headers[*at].point()))
            .collect();
        // With this many agreeing shares, no other choice has as few forged ones.
        if kept.len() >= threshold + forged.len() {
            let named = forged.into_iter().map(|position| BadShare { position, fault: Fault::Forged });
            return CombineError::Bad(named.collect());
        }
    }
    if budget.is_exceeded { CombineError::GaveUp } else { CombineError::Inconsistent }
}

/// Returns whether the shares have the same length and commitment.
fn is_uniform(known: &Outcome, positions: &[usize]) -> bool {
    uniform(known, positions).len() == 1
}

/// Groups shares by length and commitment, the largest group first.
fn uniform(known: &Outcome, positions: &[usize]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for &at in positions {
        groups.entry((known.lengths[at], known.commitments[at])).or_default().push(at);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    groups
}

//! Checks that shares belong together, and lists them by evaluation point and by source.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::error::{BadShare, CombineError, ShareSet};
use crate::format::{Field, Header, SetId, ShareReader};

/// Checks that no share was read from, and that all are of one set and have the same parameters. A
/// majority decides nothing here, because headers can be forged.
pub(crate) fn check_headers<R>(readers: &[ShareReader<R>]) -> Result<(), CombineError> {
    if let Some(position) = readers.iter().position(|reader| !reader.is_unread()) {
        return Err(CombineError::AlreadyRead { position });
    }
    let sets = sets(readers);
    match &sets[..] {
        [] => Err(CombineError::NoShares),
        [_] => Ok(()),
        [first, others @ ..] if others.iter().all(|other| other.set == first.set) => {
            Err(CombineError::DifferentParameters { sets })
        }
        _ => Err(CombineError::DifferentSets { sets }),
    }
}

/// Groups shares by their parameters, in the order of the first share of each group.
fn sets<R>(readers: &[ShareReader<R>]) -> Vec<ShareSet> {
    let mut sets: Vec<ShareSet> = Vec::new();
    let mut known: HashMap<(SetId, Field, u16, u16), usize> = HashMap::new();
    for (at, reader) in readers.iter().enumerate() {
        let header: &Header = reader.header();
        let (set, field, threshold, count) = (header.set(), header.field(), header.threshold(), header.count());
        match known.entry((set, field, threshold, count)) {
            Entry::Occupied(known) => sets[*known.get()].positions.push(at),
            Entry::Vacant(free) => {
                free.insert(sets.len());
                sets.push(ShareSet { set, field, threshold, count, positions: vec![at] });
            }
        }
    }
    sets
}

/// Checks that the number of different shares reaches the threshold. If it does not, the error
/// takes `bad`.
pub(crate) fn enough<R>(
    readers: &[ShareReader<R>],
    remaining: &[usize],
    bad: &mut Vec<BadShare>,
) -> Result<(), CombineError> {
    let needed = usize::from(readers[0].header().threshold());
    let usable = distinct_points(readers, remaining).len();
    if usable < needed {
        return Err(CombineError::TooFew { needed, usable, bad: std::mem::take(bad) });
    }
    Ok(())
}

/// Returns the first share at each evaluation point.
pub(crate) fn distinct_points<R>(readers: &[ShareReader<R>], positions: &[usize]) -> Vec<usize> {
    let mut points = HashSet::new();
    positions.iter().copied().filter(|&at| points.insert(readers[at].header().point())).collect()
}

/// Returns the number of sources of these shares. A share without a declared source counts as one.
pub(crate) fn sources<R>(readers: &[ShareReader<R>], positions: &[usize]) -> usize {
    let shared = positions.iter().filter_map(|&at| readers[at].shared_source());
    let alone = positions.iter().filter(|&&at| readers[at].shared_source().is_none()).count();
    shared.collect::<HashSet<_>>().len() + alone
}

/// Returns whether shares that agree with each other come from enough sources to be preferred to
/// the shares that are left out: from as many as the threshold. A source of shares of both kinds
/// contradicts nothing, so one source alone may have a damaged share.
///
/// A damaged share may contradict the others as well as a forged one, but nothing shows it.
pub(crate) fn has_enough_sources<R>(readers: &[ShareReader<R>], agreeing: &[usize], left_out: &[BadShare]) -> bool {
    let agreeing_sources: HashSet<usize> = agreeing.iter().filter_map(|&at| readers[at].shared_source()).collect();
    let agrees = |share: &BadShare| {
        readers[share.position].shared_source().is_some_and(|source| agreeing_sources.contains(&source))
    };
    left_out.iter().all(agrees) || sources(readers, agreeing) >= usize::from(readers[0].header().threshold())
}

pub(crate) fn same_point<R>(readers: &[ShareReader<R>], a: usize, b: usize) -> bool {
    readers[a].header().point() == readers[b].header().point()
}

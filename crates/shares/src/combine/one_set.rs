//! Shares of which some may be of other sets: which set is meant.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Report, distinct_points};
use crate::error::{BadShare, CombineError, Fault};
use crate::header::{Field, Header, SetId};
use crate::reader::ShareReader;

/// The place of each share of the set in the list that was given, and those that are not of the set.
pub(crate) struct OneSet {
    given: Vec<usize>,
    others: Vec<usize>,
}

impl OneSet {
    /// The readers of the only set of which there are enough shares; or all, if they are of one set.
    pub(crate) fn of<R>(readers: Vec<ShareReader<R>>) -> Result<(Vec<ShareReader<R>>, Self), CombineError> {
        let groups = groups(&readers);
        let enough = |group: &&Vec<usize>| {
            distinct_points(&readers, group).len() >= readers[group[0]].header().threshold().into()
        };
        let mut complete = groups.iter().filter(enough);
        let given = match (&groups[..], complete.next(), complete.next()) {
            ([one], _, _) | (_, Some(one), None) => one.clone(),
            _ => return Err(difference(&readers, &groups)),
        };
        let mut others = Vec::new();
        let mut kept = Vec::with_capacity(given.len());
        for (at, reader) in readers.into_iter().enumerate() {
            if given.get(kept.len()) == Some(&at) {
                kept.push(reader);
            } else {
                others.push(at);
            }
        }
        Ok((kept, Self { given, others }))
    }

    /// A result with the places in the list that was given, and the shares that were left out.
    pub(crate) fn given_positions(&self, mut result: Result<Report, CombineError>) -> Result<Report, CombineError> {
        let place = |position: &mut usize| *position = self.given[*position];
        let places = |bad: &mut Vec<BadShare>| {
            bad.iter_mut().for_each(|share| place(&mut share.position));
            let others = self.others.iter().map(|&position| BadShare { position, fault: Fault::OtherSet });
            bad.extend(others);
            bad.sort_by_key(|share| share.position);
        };
        match &mut result {
            Ok(report) => {
                report.used.iter_mut().for_each(place);
                report.repeated.iter_mut().flatten().for_each(place);
                places(&mut report.bad);
            }
            Err(CombineError::TooFew { bad, .. } | CombineError::Bad(bad)) => places(bad),
            Err(CombineError::Conflict { positions }) => positions.iter_mut().for_each(place),
            Err(_) => {}
        }
        result
    }
}

/// That all shares are of one set and say the same of it.
pub(crate) fn check_headers<R>(readers: &[ShareReader<R>]) -> Result<(), CombineError> {
    let groups = groups(readers);
    if groups.len() == 1 { Ok(()) } else { Err(difference(readers, &groups)) }
}

/// The shares whose headers agree, in the order of the first of each.
fn groups<R>(readers: &[ShareReader<R>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known: HashMap<(SetId, Field, u16, u16), usize> = HashMap::new();
    for (at, reader) in readers.iter().enumerate() {
        let header: &Header = reader.header();
        match known.entry((header.set(), header.field(), header.threshold(), header.count())) {
            Entry::Occupied(group) => groups[*group.get()].push(at),
            Entry::Vacant(free) => {
                free.insert(groups.len());
                groups.push(vec![at]);
            }
        }
    }
    groups
}

/// A share of the largest group, and one of the next largest that it disagrees with.
fn difference<R>(readers: &[ShareReader<R>], groups: &[Vec<usize>]) -> CombineError {
    let mut by_size: Vec<&Vec<usize>> = groups.iter().collect();
    // Equal ones stay in their order.
    by_size.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let [first, other, ..] = by_size[..] else { return CombineError::NoShares };
    let positions = [first[0], other[0]];
    let sets = positions.map(|at| readers[at].header().set());
    if sets[0] == sets[1] {
        CombineError::DifferentParameters { positions }
    } else {
        CombineError::DifferentSets { positions, sets }
    }
}

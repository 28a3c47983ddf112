//! That shares are of one set.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::error::{CombineError, ShareSet};
use crate::header::{Field, Header, SetId};
use crate::reader::ShareReader;

/// Checks that all shares are of one set and say the same of it. A majority decides nothing here:
/// headers can be forged.
pub(crate) fn check_headers<R>(readers: &[ShareReader<R>]) -> Result<(), CombineError> {
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

/// The shares whose headers agree, in the order of the first of each.
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

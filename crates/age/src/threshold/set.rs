//! The share sets in a header.

use std::collections::HashMap;

use age_core::format::Stanza;

use super::share::Share;
use super::{Label, ShareDescription, ShareSetId, TYPE, ThresholdError};
use crate::header::Header;

/// All shares of one splitting of the file key.
pub(super) struct ShareSet {
    /// Those at the points 1 to n, in this order.
    pub(super) shares: Vec<Share>,
}

impl ShareSet {
    /// Reads the sets in a header, in the order of their first stanzas. Each is complete.
    pub(super) fn all(stanzas: &[Stanza]) -> Result<Vec<Self>, ThresholdError> {
        let mut sets: Vec<Self> = Vec::new();
        let mut places: HashMap<ShareSetId, usize> = HashMap::new();
        let mut unknown = None;
        for stanza in stanzas.iter().filter(|stanza| stanza.tag == TYPE) {
            let share = match Share::from_stanza(stanza) {
                // Like a stanza of a type that is not known.
                Err(error @ ThresholdError::UnknownVersion(_)) => {
                    unknown.get_or_insert(error);
                    continue;
                }
                result => result?,
            };
            let place = *places.entry(share.description.set).or_insert_with(|| {
                sets.push(Self { shares: Vec::new() });
                sets.len() - 1
            });
            sets[place].shares.push(share);
        }
        sets.iter_mut().try_for_each(Self::check)?;
        match unknown {
            Some(error) if sets.is_empty() => Err(error),
            _ => Ok(sets),
        }
    }

    /// Brings the shares into order, and checks that they belong together and are complete.
    fn check(&mut self) -> Result<(), ThresholdError> {
        self.shares.sort_by_key(|share| share.description.point);
        let first = self.description().clone();
        let is_right = |(share, point): (&Share, u8)| share.description == ShareDescription { point, ..first.clone() };
        if self.shares.len() == usize::from(first.count) && self.shares.iter().zip(1..=255).all(is_right) {
            Ok(())
        } else {
            Err(ThresholdError::Malformed)
        }
    }

    /// The description of the first share; those of the others differ in their points only.
    pub(super) fn description(&self) -> &ShareDescription {
        &self.shares[0].description
    }

    /// The share at a point.
    pub(super) fn share(&self, point: u8) -> Option<&Share> {
        self.shares.get(usize::from(point).checked_sub(1)?)
    }
}

/// What a header says of a share set. Without a key, nobody knows whether it is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareSetDescription {
    /// The id of the set.
    pub id: ShareSetId,
    /// How many shares give the file key.
    pub threshold: u8,
    /// How many shares there are.
    pub count: u8,
    /// What the maker of the file says about it.
    pub label: Option<Label>,
    /// The types of the stanzas that wrap the one-time keys.
    pub types: Vec<String>,
}

/// The share sets in a header.
///
/// # Errors
/// [`ThresholdError::Malformed`], [`ThresholdError::UnknownVersion`].
pub fn describe(header: &Header) -> Result<Vec<ShareSetDescription>, ThresholdError> {
    let describe = |set: &ShareSet| {
        let ShareDescription { threshold, count, set: id, label, .. } = set.description().clone();
        let types = set.shares.iter().flat_map(|share| &share.stanzas).map(|stanza| stanza.tag.clone()).collect();
        ShareSetDescription { id, threshold, count, label, types }
    };
    Ok(ShareSet::all(header.stanzas())?.iter().map(describe).collect())
}

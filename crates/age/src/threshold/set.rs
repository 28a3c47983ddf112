//! The share sets in a header.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::share::Share;
use super::{Label, ShareDescription, ShareSetId, TYPE, ThresholdError};
use crate::header::Header;
use crate::stanza::Stanza;

/// All shares from one split of the file key.
pub(super) struct ShareSet {
    /// The shares at the points 1 to n, in this order.
    pub(super) shares: Vec<Share>,
}

impl ShareSet {
    /// Reads the sets in a header, in the order of their first stanzas. Checks that each is
    /// complete. Skips stanzas of an unknown version, unless there are no others.
    pub(super) fn all(stanzas: &[Stanza]) -> Result<Vec<Self>, ThresholdError> {
        let mut sets: Vec<Self> = Vec::new();
        let mut places: BTreeMap<ShareSetId, usize> = BTreeMap::new();
        let mut unknown = None;
        for stanza in stanzas.iter().filter(|stanza| stanza.tag == TYPE) {
            let share = match Share::from_stanza(stanza) {
                // An unknown version is treated like an unknown type.
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

    /// Sorts the shares, and checks that they belong together and are complete.
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

    /// Returns the description of the first share. Those of the others differ only in the point.
    pub(super) fn description(&self) -> &ShareDescription {
        &self.shares[0].description
    }

    /// Returns the share at a point.
    pub(super) fn share(&self, point: u8) -> Option<&Share> {
        self.shares.get(usize::from(point).checked_sub(1)?)
    }
}

/// The description of a share set in a header. It cannot be authenticated without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShareSetDescription {
    /// The id of the set.
    pub id: ShareSetId,
    /// The number of shares that are needed to recover the file key.
    pub threshold: u8,
    /// The number of shares.
    pub count: u8,
    /// The note from the maker of the file.
    pub label: Option<Label>,
    /// The types of the stanzas that wrap the one-time keys, one for each stanza, in the order of
    /// the points.
    pub types: Vec<String>,
}

/// Returns the share sets in a header.
///
/// # Errors
/// [`ThresholdError::Malformed`], or [`ThresholdError::UnknownVersion`] if there are sets, but none
/// of a known version.
pub fn describe(header: &Header) -> Result<Vec<ShareSetDescription>, ThresholdError> {
    let describe = |set: &ShareSet| {
        let ShareDescription { threshold, count, set: id, label, .. } = set.description().clone();
        let types = set.shares.iter().flat_map(|share| &share.stanzas).map(|stanza| stanza.tag.clone()).collect();
        ShareSetDescription { id, threshold, count, label, types }
    };
    Ok(ShareSet::all(header.stanzas())?.iter().map(describe).collect())
}

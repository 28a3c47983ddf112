//! Opens a file with identities of several holders, and parts from others.

use alloc::vec::Vec;
use core::fmt;
use core::slice;

use super::ThresholdError;
use super::known_shares::KnownShares;
use super::part::Part;
use super::set::ShareSet;
use crate::file_key::FileKey;
use crate::identity::{Identity, UnwrapError};
use crate::stanza::Stanza;

/// Identities of several holders, and parts that others have contributed. Together they open a
/// file, if there are enough. Parts of other files and wrong parts are ignored, unless there are
/// not enough others: then the first of them is the error.
///
/// As an [`Identity`], it needs all stanzas of a file. One stanza of a share set alone is
/// [`ThresholdError::Malformed`].
pub struct ThresholdIdentity<'a> {
    identities: Vec<&'a dyn Identity>,
    parts: &'a [Part],
}

impl<'a> ThresholdIdentity<'a> {
    /// Combines identities with parts of the file.
    pub fn new(identities: impl IntoIterator<Item = &'a dyn Identity>, parts: &'a [Part]) -> Self {
        Self { identities: identities.into_iter().collect(), parts }
    }
}

impl fmt::Debug for ThresholdIdentity<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let identities = self.identities.len();
        f.debug_struct("ThresholdIdentity")
            .field("identities", &identities)
            .field("parts", &self.parts)
            .finish_non_exhaustive()
    }
}

impl Identity for ThresholdIdentity<'_> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let sets = ShareSet::all(stanzas)?;
        if sets.is_empty() {
            return Ok(None);
        }
        let mut shares: Vec<KnownShares> = sets.iter().map(KnownShares::new).collect();
        // A part that does not belong here is ignored if the others suffice.
        let mut failure = None;
        for part in self.parts {
            let of_set = shares.iter_mut().find(|shares| shares.set.description().set == part.set());
            let checked = match of_set {
                Some(of_set) => part.check(of_set.set).map(|share| of_set.add(part.point(), share)),
                None => Err(ThresholdError::OtherFile),
            };
            failure = failure.or(checked.err().map(UnwrapError::from));
        }
        if let Some(enough) = shares.iter().find(|shares| shares.found.len() >= shares.needed()) {
            return enough.combine().map(Some);
        }
        // An identity that may ask the user is asked about no set while earlier ones could suffice
        // for another.
        for identity in &self.identities {
            for shares in &mut shares {
                let result = shares.unwrap(slice::from_ref(identity), shares.needed());
                failure = failure.or(result.err());
                if shares.found.len() >= shares.needed() {
                    return shares.combine().map(Some);
                }
            }
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        // The set that lacks the fewest shares.
        let closest = shares
            .iter()
            .filter(|shares| !shares.found.is_empty())
            .min_by_key(|shares| shares.needed() - shares.found.len());
        closest.map_or(Ok(None), |shares| Err(shares.too_few().into()))
    }
}

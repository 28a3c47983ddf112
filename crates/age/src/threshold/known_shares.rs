//! The shares of a set that are known so far.

use alloc::vec::Vec;
use core::slice;

use sealane::shamir::bytes::Combiner;
use zeroize::Zeroizing;

use super::ThresholdError;
use super::set::ShareSet;
use super::share::Share;
use crate::file_key::{FILE_KEY_BYTES, FileKey};
use crate::identity::{Identity, UnwrapError};

/// The known shares of a set.
pub(super) struct KnownShares<'a> {
    pub(super) set: &'a ShareSet,
    /// The shares, each with its point. No point occurs twice.
    pub(super) found: Vec<(u8, FileKey)>,
}

impl<'a> KnownShares<'a> {
    pub(super) fn new(set: &'a ShareSet) -> Self {
        Self { set, found: Vec::new() }
    }

    pub(super) fn needed(&self) -> usize {
        usize::from(self.set.description().threshold)
    }

    fn has(&self, point: u8) -> bool {
        self.found.iter().any(|(found, _)| *found == point)
    }

    pub(super) fn add(&mut self, point: u8, share: FileKey) {
        if !self.has(point) {
            self.found.push((point, share));
        }
    }

    /// Adds the shares that `identities` can open, until there are `enough`. Each identity tries
    /// each inner stanza at most once.
    ///
    /// If an identity fails, the others are still tried. The first error is returned if there are
    /// not enough shares.
    pub(super) fn unwrap(&mut self, identities: &[&dyn Identity], enough: usize) -> Result<(), UnwrapError> {
        let mut failure = None;
        for identity in identities {
            for share in &self.set.shares {
                if self.found.len() >= enough {
                    return Ok(());
                }
                let point = share.description.point;
                if self.has(point) {
                    continue;
                }
                match open(share, *identity) {
                    Ok(Some(key)) => self.found.push((point, key)),
                    Ok(None) => {}
                    Err(error) => {
                        let is_of_share = matches!(error, UnwrapError::Threshold(_));
                        failure.get_or_insert(error);
                        // An identity that fails by itself, such as a plugin, would fail again.
                        if !is_of_share {
                            break;
                        }
                    }
                }
            }
        }
        failure.map_or(Ok(()), Err)
    }

    pub(super) fn too_few(&self) -> ThresholdError {
        let description = self.set.description();
        let (needed, count) = (description.threshold, description.count);
        ThresholdError::TooFew { needed, count, found: self.found.len() }
    }

    /// Recovers the file key by Lagrange interpolation at 0.
    pub(super) fn combine(&self) -> Result<FileKey, UnwrapError> {
        let chosen = &self.found[..self.needed()];
        let points: Vec<u8> = chosen.iter().map(|(point, _)| *point).collect();
        let values: Vec<&[u8]> = chosen.iter().map(|(_, share)| &share.expose_secret()[..]).collect();
        let mut secret = Zeroizing::new([0; FILE_KEY_BYTES]);
        Combiner::new(&points)
            .and_then(|combiner| combiner.combine(&values, &mut *secret))
            .map_err(|_| ThresholdError::Malformed)?;
        Ok(FileKey::copy_of(&secret))
    }
}

/// Opens a share with an identity. Returns `None` if it belongs to another holder.
fn open(share: &Share, identity: &dyn Identity) -> Result<Option<FileKey>, UnwrapError> {
    let mut is_wrong = false;
    for stanza in &share.stanzas {
        match identity.unwrap_file_key(slice::from_ref(stanza)) {
            Ok(None) | Err(UnwrapError::Authentication) => {}
            Ok(Some(one_time_key)) => match share.open(&one_time_key) {
                Some(share) => return Ok(Some(share)),
                None => is_wrong = true,
            },
            // The fault is in the stanza of this share. The identity may open others.
            Err(UnwrapError::InvalidStanza) => is_wrong = true,
            Err(error) => return Err(error),
        }
    }
    let point = share.description.point;
    if is_wrong { Err(ThresholdError::WrongShare { point }.into()) } else { Ok(None) }
}

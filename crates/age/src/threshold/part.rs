//! Parts: shares that their holders have contributed.

use alloc::vec::Vec;
use core::str::FromStr;

use bech32::Hrp;
use secrecy::SecretString;
use zeroize::Zeroizing;

use super::identity::Shares;
use super::set::ShareSet;
use super::{SHARE_SET_ID_BYTES, ShareDescription, ShareSetId, ThresholdError};
use crate::file_key::FILE_KEY_BYTES;
use crate::header::Header;
use crate::text::{decode, encode_secret};
use crate::{FileKey, Identity, UnwrapError};

const PREFIX: Hrp = Hrp::parse_unchecked("SEALANE-PART-");
const VERSION: u8 = 1;
/// The length of a part: the version, the share set id, three numbers, and the share.
const LEN: usize = 1 + SHARE_SET_ID_BYTES + 3 + FILE_KEY_BYTES;

/// A share of a file key that its holder has opened for those who open the file. It is secret.
pub struct Part {
    set: ShareSetId,
    threshold: u8,
    count: u8,
    point: u8,
    share: FileKey,
}

impl Part {
    /// Returns the shares of the file with this header that `identities` can open, each with its
    /// description by the maker of the file.
    ///
    /// Show a holder these descriptions and nothing else about the file: anyone may have written
    /// its name, its place and its other stanzas.
    ///
    /// # Errors
    /// Those of identities, [`ThresholdError::Malformed`], and [`ThresholdError::WrongShare`] if an
    /// identity unwraps a key that does not open the share. An empty result is not an error.
    pub fn of<'a>(
        header: &Header,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<Vec<(ShareDescription, Self)>, UnwrapError> {
        let identities: Vec<_> = identities.into_iter().collect();
        let mut parts = Vec::new();
        for set in &ShareSet::all(header.stanzas())? {
            let mut shares = Shares::new(set);
            shares.unwrap(&identities, usize::MAX)?;
            for (point, share) in shares.found {
                let description = ShareDescription { point, ..set.description().clone() };
                let ShareDescription { threshold, count, set, .. } = description;
                parts.push((description, Self { set, threshold, count, point, share }));
            }
        }
        Ok(parts)
    }

    /// Returns the id of the share set.
    pub fn set(&self) -> ShareSetId {
        self.set
    }

    /// Returns the number of the share, from 1.
    pub fn point(&self) -> u8 {
        self.point
    }

    /// Returns the text: `SEALANE-PART-1…`.
    pub fn to_text(&self) -> SecretString {
        let mut bytes = Zeroizing::new([0; LEN]);
        bytes[0] = VERSION;
        bytes[1..][..SHARE_SET_ID_BYTES].copy_from_slice(&self.set.0);
        bytes[1 + SHARE_SET_ID_BYTES..][..3].copy_from_slice(&[self.threshold, self.count, self.point]);
        bytes[LEN - FILE_KEY_BYTES..].copy_from_slice(self.share.expose_secret());
        encode_secret(PREFIX, &*bytes)
    }

    /// Returns the share, if it is the one that the set has at this point.
    pub(super) fn check(&self, set: &ShareSet) -> Result<FileKey, ThresholdError> {
        let description = set.description();
        let is_alike = (self.threshold, self.count) == (description.threshold, description.count);
        match set.share(self.point) {
            Some(share) if is_alike && share.is_committed(&self.share) => {
                Ok(FileKey::copy_of(self.share.expose_secret()))
            }
            _ => Err(ThresholdError::WrongPart { point: self.point }),
        }
    }
}

impl FromStr for Part {
    type Err = ThresholdError;

    fn from_str(text: &str) -> Result<Self, ThresholdError> {
        let bytes = decode(text, PREFIX).ok_or(ThresholdError::NotAPart)?;
        let bytes: &[u8; LEN] = bytes.as_slice().try_into().map_err(|_| ThresholdError::NotAPart)?;
        let ([version], rest) = bytes.split_first_chunk().ok_or(ThresholdError::NotAPart)?;
        let (set, rest) = rest.split_first_chunk().ok_or(ThresholdError::NotAPart)?;
        let (&[threshold, count, point], share) = rest.split_first_chunk().ok_or(ThresholdError::NotAPart)?;
        let description = ShareDescription { threshold, count, point, set: ShareSetId(*set), label: None };
        if *version != VERSION || !description.is_possible() {
            return Err(ThresholdError::NotAPart);
        }
        let share = FileKey::copy_of(share.try_into().map_err(|_| ThresholdError::NotAPart)?);
        Ok(Self { set: description.set, threshold, count, point, share })
    }
}

//! Parts: shares that their holders have contributed.

#[cfg(feature = "serde")]
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use bech32::Hrp;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

use super::known_shares::KnownShares;
use super::set::ShareSet;
use super::{SHARE_SET_ID_BYTES, ShareDescription, ShareSetId, ThresholdError};
use crate::file_key::{FILE_KEY_BYTES, FileKey};
use crate::header::Header;
use crate::identity::{Identity, UnwrapError};
use crate::text::{decode, encode_secret};

const PREFIX: Hrp = Hrp::parse_unchecked("SEALANE-PART-");
const VERSION: u8 = 1;

/// The length of a part in bytes: the version, the share set id, three numbers, and the share.
pub const PART_BYTES: usize = 1 + SHARE_SET_ID_BYTES + 3 + FILE_KEY_BYTES;

/// A share of a file key, opened by its holder for the people who open the file. It is secret, and
/// wiped when it is dropped.
///
/// [`Display`](fmt::Display) writes the text, which is secret too: it is what a holder sends.
/// [`Debug`] shows everything but the share.
pub struct Part {
    set: ShareSetId,
    threshold: u8,
    count: u8,
    point: u8,
    share: FileKey,
}

impl Part {
    /// Returns the shares of the file with this header that `identities` can open, each with the
    /// description that the maker of the file wrote.
    ///
    /// Show a holder these descriptions and nothing else about the file: anyone may have chosen its
    /// name and location, and written its other stanzas.
    ///
    /// # Errors
    /// [`ThresholdError::Malformed`] and [`ThresholdError::UnknownVersion`]. If no share can be
    /// opened, also the first error of an identity, and [`ThresholdError::WrongShare`] if an
    /// identity unwraps a key that does not open the share. An empty result is not an error.
    pub fn of<'a>(
        header: &Header,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<Vec<(ShareDescription, Self)>, UnwrapError> {
        let identities: Vec<_> = identities.into_iter().collect();
        let (mut parts, mut failure) = (Vec::new(), None);
        for set in &ShareSet::all(header.stanzas())? {
            let mut shares = KnownShares::new(set);
            failure = failure.or(shares.unwrap(&identities, usize::MAX).err());
            for (point, share) in shares.found {
                let description = ShareDescription { point, ..set.description().clone() };
                let ShareDescription { threshold, count, set, .. } = description;
                parts.push((description, Self { set, threshold, count, point, share }));
            }
        }
        match failure {
            Some(error) if parts.is_empty() => Err(error),
            _ => Ok(parts),
        }
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
        encode_secret(PREFIX, &*self.to_bytes())
    }

    /// Returns the bytes that the text encodes.
    pub fn to_bytes(&self) -> Zeroizing<[u8; PART_BYTES]> {
        let mut bytes = Zeroizing::new([0; PART_BYTES]);
        bytes[0] = VERSION;
        bytes[1..][..SHARE_SET_ID_BYTES].copy_from_slice(&self.set.0);
        bytes[1 + SHARE_SET_ID_BYTES..][..3].copy_from_slice(&[self.threshold, self.count, self.point]);
        bytes[PART_BYTES - FILE_KEY_BYTES..].copy_from_slice(self.share.expose_secret());
        bytes
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
        Self::try_from(decode(text, PREFIX).ok_or(ThresholdError::NotAPart)?.as_slice())
    }
}

impl TryFrom<&[u8]> for Part {
    type Error = ThresholdError;

    /// Reads the bytes that [`Part::to_bytes`] returns.
    fn try_from(bytes: &[u8]) -> Result<Self, ThresholdError> {
        let bytes: &[u8; PART_BYTES] = bytes.try_into().map_err(|_| ThresholdError::NotAPart)?;
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

impl fmt::Display for Part {
    /// Writes the text, which is secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_text().expose_secret())
    }
}

impl fmt::Debug for Part {
    /// Shows everything but the share.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { set, threshold, count, point, share: _ } = self;
        f.debug_struct("Part")
            .field("set", set)
            .field("threshold", threshold)
            .field("count", count)
            .field("point", point)
            .finish_non_exhaustive()
    }
}

/// Serializes the text in human-readable formats, and the bytes in others. Both are secret.
#[cfg(feature = "serde")]
impl serde::Serialize for Part {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(self.to_text().expose_secret())
        } else {
            serializer.serialize_bytes(&*self.to_bytes())
        }
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Part {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Part;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a part")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Part, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Part, E> {
                self.visit_str(&Zeroizing::new(text))
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Part, E> {
                bytes.try_into().map_err(E::custom)
            }

            fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<Part, E> {
                self.visit_bytes(&Zeroizing::new(bytes))
            }
        }
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Visitor)
        } else {
            deserializer.deserialize_bytes(Visitor)
        }
    }
}

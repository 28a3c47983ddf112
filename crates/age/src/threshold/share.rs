//! One share in a header: the sealed share, its commitment, and the stanzas that wrap its one-time
//! key.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use alloc::{borrow::ToOwned as _, collections::BTreeSet, string::String};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sealane::ChaCha20Poly1305;
use sha2::Sha256;
use zeroize::Zeroizing;

#[cfg(feature = "std")]
use super::TYPE;
use super::{ShareDescription, ThresholdError};
use crate::file_key::{FILE_KEY_BYTES, FileKey};
use crate::header::nested::{Nested, PREFIX_BYTES};
use crate::keys;
use crate::lengths::TAG_BYTES;
#[cfg(feature = "std")]
use crate::recipient::{Recipient, WrapError, Wrapped};
use crate::stanza::Stanza;

const SEALED_BYTES: usize = FILE_KEY_BYTES + TAG_BYTES;
const COMMITMENT_BYTES: usize = PREFIX_BYTES - SEALED_BYTES;

const SHARE_KEY_INFO: &[u8] = b"sealane/threshold/v1/share";
const COMMITMENT_KEY_INFO: &[u8] = b"sealane/threshold/v1/commitment";

/// The nonce. Each one-time key seals only one share, so the nonce can be constant.
const NONCE: [u8; 12] = [0; 12];

/// A share as it is in a header.
pub(super) struct Share {
    pub(super) description: ShareDescription,
    sealed: [u8; SEALED_BYTES],
    commitment: [u8; COMMITMENT_BYTES],
    /// The stanzas that wrap the one-time key for the holder.
    pub(super) stanzas: Vec<Stanza>,
}

impl Share {
    /// Seals `share` for `recipient`. Returns the labels of that recipient too.
    #[cfg(feature = "std")]
    pub(super) fn seal(
        description: ShareDescription,
        share: &FileKey,
        recipient: &dyn Recipient,
    ) -> Result<(Self, BTreeSet<String>), WrapError> {
        let one_time_key = keys::new_file_key()?;
        let Wrapped { stanzas, labels } = recipient.wrap_file_key(&one_time_key)?;
        let associated_data = description.associated_data();
        let mut sealed = [0; SEALED_BYTES];
        let (body, tag) = sealed.split_at_mut(FILE_KEY_BYTES);
        body.copy_from_slice(share.expose_secret());
        tag.copy_from_slice(&cipher(&one_time_key).seal_in_place(&NONCE, &associated_data, body));
        let commitment = commitment(share, &associated_data).finalize().into_bytes().into();
        Ok((Self { description, sealed, commitment, stanzas }, labels))
    }

    /// Opens the share with a key that an identity has unwrapped. The key may belong to another
    /// file; then it opens nothing.
    pub(super) fn open(&self, one_time_key: &FileKey) -> Option<FileKey> {
        let (sealed, tag) = self.sealed.split_first_chunk::<FILE_KEY_BYTES>()?;
        let tag = tag.try_into().ok()?;
        let mut share = Zeroizing::new(*sealed);
        let associated_data = self.description.associated_data();
        cipher(one_time_key).open_in_place(&NONCE, &associated_data, &mut *share, &tag).ok()?;
        Some(FileKey::copy_of(&share)).filter(|share| self.is_committed(share))
    }

    /// Returns whether `share` is the share that was sealed, in constant time.
    pub(super) fn is_committed(&self, share: &FileKey) -> bool {
        commitment(share, &self.description.associated_data()).verify_slice(&self.commitment).is_ok()
    }

    /// Returns the stanza for the header.
    #[cfg(feature = "std")]
    pub(super) fn into_stanza(self) -> Result<Stanza, WrapError> {
        let mut prefix = [0; PREFIX_BYTES];
        prefix[..SEALED_BYTES].copy_from_slice(&self.sealed);
        prefix[SEALED_BYTES..].copy_from_slice(&self.commitment);
        let nested = Nested::new(prefix, self.stanzas).map_err(WrapError::InvalidStanza)?;
        Ok(Stanza { tag: TYPE.to_owned(), args: self.description.to_args(), body: nested.encode() })
    }

    /// Parses a stanza of [`TYPE`].
    pub(super) fn from_stanza(stanza: &Stanza) -> Result<Self, ThresholdError> {
        let description = ShareDescription::from_args(&stanza.args)?;
        let Nested { prefix, stanzas } = Nested::parse(&stanza.body).map_err(|_| ThresholdError::Malformed)?;
        let (sealed, commitment) = prefix.split_at(SEALED_BYTES);
        let (Ok(sealed), Ok(commitment)) = (sealed.try_into(), commitment.try_into()) else {
            return Err(ThresholdError::Malformed);
        };
        Ok(Self { description, sealed, commitment, stanzas })
    }
}

fn cipher(one_time_key: &FileKey) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::new(&keys::derive(one_time_key, b"", SHARE_KEY_INFO))
}

/// Computes the commitment. It makes up for two things: ChaCha20-Poly1305 does not commit to its
/// plaintext, and a part has no tag by which to check it.
fn commitment(share: &FileKey, associated_data: &[u8]) -> Hmac<Sha256> {
    let key = keys::derive(share, b"", COMMITMENT_KEY_INFO);
    let mut mac = Hmac::<Sha256>::new_from_slice(&*key).expect("HMAC takes a key of any length");
    mac.update(associated_data);
    mac
}

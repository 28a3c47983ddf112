//! Gives a file other recipients without encrypting it again.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Read};

use crate::decryptor::Decryptor;
use crate::encryptor::wrap;
use crate::error::{DecryptError, EncryptError};
use crate::file_key::FileKey;
use crate::header::nested::{Nested, THRESHOLD};
use crate::header::{self, Header};
use crate::identity::Identity;
use crate::keys::{self, FILE_ID_BYTES};
use crate::message::Labels;
use crate::mlkem768x25519;
use crate::recipient::Recipient;
use crate::stanza::Stanza;

/// Whether to keep the recipients that a file already has.
///
/// ```
/// use std::io::Read;
///
/// use sealane_age::{Decryptor, EncryptError, Existing, Identity, Recipient, RekeyError, Rekeyed, decrypt, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let [old, new] = [x25519::Identity::generate()?, x25519::Identity::generate()?];
/// let file = sealane_age::encrypt([&old.to_public() as &dyn Recipient], b"attack at dawn")?;
///
/// let decryptor = Decryptor::new(&file[..])?;
/// let rekeyed: Rekeyed =
///     decryptor.rekey([&old as &dyn Identity], [&new.to_public() as &dyn Recipient], Existing::Drop)?;
/// // The chunks stay as they are, and so does the id.
/// let id = rekeyed.file_id();
/// let mut file = rekeyed.header().encode();
/// decryptor.into_payload().read_to_end(&mut file)?;
/// assert_eq!(decrypt([&new as &dyn Identity], &file)?, b"attack at dawn");
/// assert_eq!(Decryptor::new(&file[..])?.decrypt([&new as &dyn Identity])?.file_id(), id);
///
/// let nobody = Decryptor::new(&file[..])?.rekey([&new as &dyn Identity], [], Existing::Drop);
/// assert!(matches!(nobody, Err(RekeyError::Wrap(EncryptError::NoRecipients))));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Existing {
    /// Only the new recipients are in the new header. This does not revoke access: anyone who could
    /// open the file before can still open a copy of it, or the new file if they kept its file key.
    Drop,
    /// The old recipients stay in the header.
    Keep,
}

/// A header for other recipients cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RekeyError {
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] DecryptError),
    /// The file cannot be encrypted to the new recipients.
    #[error(transparent)]
    Wrap(#[from] EncryptError),
    /// Either the kept recipients or the new ones are post-quantum, but not both. Such a file would
    /// be no safer than one without post-quantum recipients.
    #[error("a file for post-quantum recipients cannot be given to others too, nor the other way round")]
    Mixed,
    /// The new recipients have these labels. The kept recipients would need them too, but the file
    /// does not tell which labels they have.
    #[error("recipients with these labels can only replace the recipients of a file, not be added to them: {}",
        Labels(.0))]
    UnknownLabels(BTreeSet<String>),
}

/// A file key wrapped for other recipients.
pub struct Rekeyed {
    file_key: FileKey,
    header: Header,
}

impl Rekeyed {
    /// Returns the new header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the same header with exactly `len` bytes, if there is one, so that the payload of a
    /// file need not move. A shorter header is padded with a stanza that matches no identity. This
    /// stanza has at least 6 bytes, and counts towards [`MAX_STANZAS`](header::MAX_STANZAS). A
    /// passphrase must be the only stanza, so its header cannot be padded.
    pub fn header_of_len(&self, len: usize) -> Option<Header> {
        self.header.padded(len, &self.file_key)
    }

    /// Returns the id of the file, which [`Encryptor::file_id`](crate::Encryptor::file_id)
    /// describes. The new header keeps it. If the file is one of an [encrypted
    /// folder](crate::folder), whoever stores it could have put another file in its place: compare
    /// the id with that in the manifest before the new header is written.
    pub fn file_id(&self) -> [u8; FILE_ID_BYTES] {
        keys::file_id(&self.file_key)
    }
}

impl fmt::Debug for Rekeyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rekeyed").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<R: Read> Decryptor<R> {
    /// Unwraps the file key with the first of `identities` that can, and wraps it for `recipients`.
    /// With [`Existing::Keep`], the stanzas of the old recipients stay, but not padding.
    ///
    /// # Errors
    /// [`RekeyError`]. The file does not contain the labels of the recipients that are kept.
    /// Post-quantum ones are recognised by their type; new recipients with any other label cannot
    /// be added to them.
    pub fn rekey<'a, 'b>(
        &self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
        recipients: impl IntoIterator<Item = &'b dyn Recipient>,
        existing: Existing,
    ) -> Result<Rekeyed, RekeyError> {
        let file_key = self.preamble.file_key(identities)?;
        let kept = match existing {
            Existing::Drop => Vec::new(),
            // Padding is dropped: `Rekeyed::header_of_len` pads the new header again.
            Existing::Keep => {
                self.header().stanzas().iter().filter(|stanza| !header::is_padding(stanza)).cloned().collect()
            }
        };
        let count = kept.len();
        let (header, mut labels) = wrap(&file_key, kept, recipients)?;
        if count > 0 {
            let is_new_post_quantum = labels.remove(mlkem768x25519::LABEL);
            if !labels.is_empty() {
                return Err(RekeyError::UnknownLabels(labels));
            }
            if is_post_quantum(&header.stanzas()[..count]) != is_new_post_quantum {
                return Err(RekeyError::Mixed);
            }
        }
        Ok(Rekeyed { file_key, header })
    }

    /// Returns the rest of the file: the nonce, and the chunks unchanged.
    pub fn into_payload(self) -> impl Read {
        struct Payload<R> {
            nonce: io::Cursor<[u8; crate::stream::NONCE_BYTES]>,
            input: crate::input::Input<R>,
        }
        impl<R: Read> Read for Payload<R> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                match self.nonce.read(out)? {
                    0 => self.input.read(out),
                    n => Ok(n),
                }
            }
        }
        Payload { nonce: io::Cursor::new(*self.nonce()), input: self.input }
    }
}

/// Returns whether any of `stanzas` is post-quantum. A `sealane/threshold` stanza is post-quantum
/// if any of its inner stanzas is.
fn is_post_quantum(stanzas: &[Stanza]) -> bool {
    stanzas.iter().any(|stanza| match stanza.tag.as_str() {
        THRESHOLD => Nested::parse(&stanza.body).is_ok_and(|nested| is_post_quantum(&nested.stanzas)),
        tag => tag.starts_with("mlkem768"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_header_has_room_for_more_recipients() {
        let identity = crate::x25519::Identity::generate().unwrap();
        let recipient = identity.to_public();
        for len in [600, 2000] {
            let encryptor = crate::Encryptor::with_recipients([&recipient as &dyn Recipient]).unwrap();
            let mut header = encryptor.with_header_len(len).unwrap().header().encode();
            for count in 2..4 {
                header.extend_from_slice(&[0; 16]);
                let decryptor = Decryptor::new(&header[..]).unwrap();
                let other = [&recipient as &dyn Recipient];
                let rekeyed = decryptor.rekey([&identity as &dyn Identity], other, Existing::Keep).unwrap();
                assert_eq!(rekeyed.header().stanzas().len(), count);
                header = rekeyed.header_of_len(len).unwrap().encode();
                assert_eq!(header.len(), len);
            }
        }
        for (tag, is_padding) in
            [("p", true), ("padding", true), ("padding---", true), ("q", false), ("padding-x", false)]
        {
            let stanza = Stanza { tag: tag.to_owned(), args: Vec::new(), body: Vec::new() };
            assert_eq!(header::is_padding(&stanza), is_padding, "{tag}");
            assert!(!header::is_padding(&Stanza { body: vec![1], ..stanza }));
        }
    }

    #[test]
    fn any_length_that_a_stanza_can_have() {
        let file_key = FileKey::new(Box::new([7; 16]));
        let recipient = crate::x25519::Identity::generate().unwrap().to_public();
        let (header, _) = wrap(&file_key, Vec::new(), [&recipient as &dyn Recipient]).unwrap();
        let len = header.encode().len();
        let rekeyed = Rekeyed { file_key, header };
        assert_eq!(rekeyed.header_of_len(len).as_ref(), Some(rekeyed.header()));
        for more in 1..200 {
            let filled = rekeyed.header_of_len(len + more);
            // The type of a stanza has at least one character.
            assert_eq!(filled.is_some(), more >= 6, "{more}");
            let Some(filled) = filled else { continue };
            let bytes = filled.encode();
            assert_eq!(bytes.len(), len + more);
            assert_eq!(Header::parse(&bytes).unwrap().0, filled);
        }
        assert!(rekeyed.header_of_len(len - 1).is_none());
        assert!(rekeyed.header_of_len(len + header::MAX_HEADER_BYTES).is_none());
    }
}

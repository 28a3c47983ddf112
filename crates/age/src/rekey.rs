//! Other recipients for a file, without encrypting it again.

use std::fmt;
use std::io::{self, Read};

use age::{Identity, Recipient};
use age_core::format::{FileKey, Stanza};

use crate::encryptor::wrap;
use crate::header::nested::{Nested, THRESHOLD};
use crate::header::{Header, clone_stanzas};
use crate::{DecryptError, Decryptor, EncryptError};

/// What becomes of the recipients that a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Only the new ones are in the new header. Whoever could open the file before can still open a copy of it, and has its key if he kept
    /// that: nothing is taken back.
    Drop,
    /// All can open it.
    Keep,
}

/// A header for other recipients cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RekeyError {
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] DecryptError),
    /// It cannot be given to the new recipients.
    #[error(transparent)]
    Wrap(#[from] EncryptError),
    /// Recipients who are safe from quantum computers, and others: the file would be as safe as for the others alone.
    #[error("a file for post-quantum recipients cannot be given to others too, nor the other way round")]
    Mixed,
}

/// A file key for other recipients.
pub struct Rekeyed {
    file_key: FileKey,
    header: Header,
}

impl Rekeyed {
    /// The new header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The same with exactly `len` bytes, if one can be had, so that the payload of a file need not move: a shorter one is filled with a
    /// stanza that nobody takes for his own. A passphrase must be alone in its header, which cannot be filled.
    pub fn header_of_len(&self, len: usize) -> Option<Header> {
        let missing = len.checked_sub(self.header.encode().len())?;
        let mut stanzas = clone_stanzas(self.header.stanzas());
        if missing > 0 {
            stanzas.push(padding(missing)?);
        }
        Header::new(stanzas, &self.file_key).ok().filter(|header| header.encode().len() == len)
    }
}

impl fmt::Debug for Rekeyed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rekeyed").field("header", &self.header).finish_non_exhaustive()
    }
}

/// A stanza of so many bytes, of a type that is nobody's: `-> `, the type, a line feed, and an empty body.
fn padding(len: usize) -> Option<Stanza> {
    const NAME: &str = "padding-";
    let tag_len = len.checked_sub("-> \n\n".len()).filter(|&len| len > 0)?;
    let tag = NAME.chars().chain(std::iter::repeat('-')).take(tag_len).collect();
    Some(Stanza { tag, args: Vec::new(), body: Vec::new() })
}

impl<R: Read> Decryptor<R> {
    /// Gives the same payload to `recipients`. Opens the file key with the first of `identities` that can.
    ///
    /// # Errors
    /// [`RekeyError`]. What labels the recipients had that are kept is not in the file; of those, only post-quantum ones are known by their
    /// type.
    pub fn rekey<'a, 'b>(
        &self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
        recipients: impl IntoIterator<Item = &'b dyn Recipient>,
        existing: Existing,
    ) -> Result<Rekeyed, RekeyError> {
        let file_key = self.file_key(identities)?;
        let kept = match existing {
            Existing::Drop => Vec::new(),
            Existing::Keep => clone_stanzas(self.header().stanzas()),
        };
        let count = kept.len();
        let header = wrap(&file_key, kept, recipients)?;
        let (kept, new) = header.stanzas().split_at(count);
        if count > 0 && is_post_quantum(kept) != is_post_quantum(new) {
            return Err(RekeyError::Mixed);
        }
        Ok(Rekeyed { file_key, header })
    }

    /// The rest of the file: the nonce, and the chunks as they are.
    pub fn into_payload(self) -> impl Read {
        struct Payload<R> {
            nonce: io::Cursor<[u8; crate::stream::NONCE_LEN]>,
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
        let (nonce, input) = self.into_parts();
        Payload { nonce: io::Cursor::new(nonce), input }
    }
}

/// Whether stanzas are post-quantum: those of holders are what their inner stanzas are.
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
    fn any_length_that_a_stanza_can_have() {
        let file_key = FileKey::new(Box::new([7; 16]));
        let recipient = age::x25519::Identity::generate().to_public();
        let header = wrap(&file_key, Vec::new(), [&recipient as &dyn Recipient]).unwrap();
        let len = header.encode().len();
        let rekeyed = Rekeyed { file_key, header };
        assert_eq!(rekeyed.header_of_len(len).as_ref(), Some(rekeyed.header()));
        for more in 1..200 {
            let filled = rekeyed.header_of_len(len + more);
            // A stanza has a type of one character at least.
            assert_eq!(filled.is_some(), more >= 6, "{more}");
            let Some(filled) = filled else { continue };
            let bytes = filled.encode();
            assert_eq!(bytes.len(), len + more);
            assert_eq!(Header::parse(&bytes).unwrap().0, filled);
        }
        assert!(rekeyed.header_of_len(len - 1).is_none());
        assert!(rekeyed.header_of_len(len + crate::header::MAX_HEADER_LEN).is_none());
    }
}

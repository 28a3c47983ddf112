//! Seals an object as it is written.

use std::fmt;

use sealane_age::stream::{CHUNK_BYTES, SealingKey, TAG_BYTES};
use sealane_age::{EncryptError, Encryptor, StreamError};
use zeroize::{Zeroize as _, Zeroizing};

/// The shortest length that S3 allows for the parts of an upload, except the last one.
const MIN_PART: usize = 5 << 20;

/// Seals an object in order, and cuts it into parts. Parts of plaintext with equal lengths become
/// parts with equal lengths, except for the last one. The format marks the last chunk, so a chunk
/// is sealed only when more plaintext follows, or at the end.
pub(crate) struct Sealing {
    key: SealingKey,
    /// The number of the next chunk.
    next: u64,
    /// Plaintext that is not sealed yet: up to a whole chunk.
    held_back: Zeroizing<Vec<u8>>,
    /// The bytes of the object that are in no part yet.
    sealed: Vec<u8>,
    /// The length of parts, unless a part of plaintext is longer.
    part_len: Option<usize>,
}

impl Sealing {
    pub(crate) fn new(encryptor: Encryptor) -> Result<Self, EncryptError> {
        let (sealed, key) = encryptor.into_parts()?;
        // Allocated at once, because growing leaves copies behind that are not wiped.
        let held_back = Zeroizing::new(Vec::with_capacity(CHUNK_BYTES));
        Ok(Self { key, next: 0, held_back, sealed, part_len: None })
    }

    /// Reserves memory for sealing this many more bytes of plaintext.
    pub(crate) fn reserve(&mut self, plaintext_len: usize) {
        self.sealed.reserve(plaintext_len + (plaintext_len / CHUNK_BYTES + 1) * TAG_BYTES);
    }

    /// Adds plaintext.
    pub(crate) fn push(&mut self, mut data: &[u8]) -> Result<(), StreamError> {
        if !self.held_back.is_empty() {
            let room = CHUNK_BYTES - self.held_back.len();
            let (more, rest) = data.split_at(room.min(data.len()));
            self.held_back.extend_from_slice(more);
            data = rest;
            if data.is_empty() {
                return Ok(());
            }
            self.seal_held_back(false)?;
        }
        let whole = data.len().saturating_sub(1) / CHUNK_BYTES * CHUNK_BYTES;
        let (chunks, rest) = data.split_at(whole);
        self.seal(chunks, false)?;
        self.held_back.extend_from_slice(rest);
        Ok(())
    }

    /// Seals the last chunk.
    pub(crate) fn finish(&mut self) -> Result<(), StreamError> {
        self.seal_held_back(true)
    }

    /// Adds a part of plaintext, in pieces. Returns the next part of the object if it is full and
    /// more bytes follow it.
    ///
    /// If a part of plaintext is longer than the parts of the object, everything that is sealed so
    /// far becomes one part. Thus the object never has more parts than the plaintext.
    pub(crate) fn push_part<'a>(
        &mut self,
        data: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Option<Vec<u8>>, StreamError> {
        let mut plaintext_len = 0;
        for piece in data {
            self.push(piece)?;
            plaintext_len += piece.len();
        }
        // This is enough for the first part of plaintext when it is sealed, and for each later part
        // of the same length.
        let first_len = self.sealed.len() + self.held_back.len() + TAG_BYTES;
        let part_len = *self.part_len.get_or_insert(first_len.max(MIN_PART));
        let sealed_len = plaintext_len + plaintext_len.div_ceil(CHUNK_BYTES) * TAG_BYTES;
        if sealed_len > part_len && self.sealed.len() > part_len {
            // The plaintext that is held back follows, so this is not the last part.
            return Ok(Some(self.take_rest()));
        }
        Ok(self.take_part())
    }

    /// Returns the next part if it is full and more bytes follow it.
    pub(crate) fn take_part(&mut self) -> Option<Vec<u8>> {
        let len = self.part_len.filter(|&len| self.sealed.len() > len)?;
        let rest = self.sealed.split_off(len);
        Some(std::mem::replace(&mut self.sealed, rest))
    }

    /// Returns all bytes that are in no part yet.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.sealed)
    }

    fn seal_held_back(&mut self, is_last: bool) -> Result<(), StreamError> {
        let mut plaintext = std::mem::take(&mut self.held_back);
        let sealed = self.seal(&plaintext, is_last);
        plaintext.zeroize();
        // Wiping has emptied the vector. Its allocation is used again.
        self.held_back = plaintext;
        sealed
    }

    fn seal(&mut self, plaintext: &[u8], is_last: bool) -> Result<(), StreamError> {
        let count = plaintext.len().div_ceil(CHUNK_BYTES).max(usize::from(is_last));
        let before = self.sealed.len();
        self.sealed.resize(before + plaintext.len() + count * TAG_BYTES, 0);
        self.key.seal_part(self.next, is_last, plaintext, &mut self.sealed[before..])?;
        self.next += count as u64;
        Ok(())
    }
}

impl fmt::Debug for Sealing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealing").field("next", &self.next).finish_non_exhaustive()
    }
}

//! AEAD messages in pieces of any length.
//!
//! OpenSSL passes associated data in pieces, verifies truncated tags, and adds pieces to a message
//! whose first piece is already encrypted. `sealane::Sealer` and `Opener` do none of this, so the
//! construction of RFC 8439, section 2.8, is built here from the cipher and the authenticator.

use sealane::chacha20::{BLOCK_BYTES, ChaCha, Layout};
use sealane::{Backend, MAX_MESSAGE_BYTES, Poly1305, Tag};
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::cipher::KEY_BYTES;
use crate::direction::Direction;
use crate::reason::Reason;

/// The number of bytes that are copied, encrypted and authenticated at a time, so that they stay in
/// the first-level cache.
pub(crate) const CHUNK_BYTES: usize = 16 << 10;

/// The state in the middle of a message.
#[derive(Clone)]
pub(crate) struct Pieces<L: Layout> {
    cipher: ChaCha<20, L>,
    mac: Poly1305,
    aad_bytes: u64,
    bytes: u64,
    in_text: bool,
}

impl<L: Layout> Pieces<L> {
    pub(crate) fn new(key: &[u8; KEY_BYTES], nonce: &L::Nonce, backend: Backend) -> Self {
        let mut cipher = ChaCha::with_backend(key, nonce, backend);
        let mut one_time_key = Zeroizing::new([0; 32]);
        cipher.apply_keystream(&mut *one_time_key).expect("block 0 of a new key stream");
        cipher.seek(BLOCK_BYTES as u128).expect("block 1 of a new key stream");
        let mac = Poly1305::with_backend(&one_time_key, backend);
        Self { cipher, mac, aad_bytes: 0, bytes: 0, in_text: false }
    }

    pub(crate) fn associated_data(&mut self, data: &[u8]) -> Result<(), Reason> {
        if self.in_text {
            return Err(Reason::LateAssociatedData);
        }
        self.aad_bytes = self.aad_bytes.checked_add(data.len() as u64).ok_or(Reason::TooLong)?;
        self.mac.update(data);
        Ok(())
    }

    /// Adds ciphertext that has already been encrypted.
    pub(crate) fn skip(&mut self, ciphertext: &[u8]) -> Result<(), Reason> {
        self.begin_text(ciphertext.len())?;
        self.mac.update(ciphertext);
        Ok(self.cipher.seek(self.cipher.position() + ciphertext.len() as u128)?)
    }

    /// Encrypts, or decrypts before it is known whether the message is authentic.
    pub(crate) fn transform(&mut self, direction: Direction, buffers: Buffers<'_>) -> Result<(), Reason> {
        self.begin_text(buffers.len())?;
        buffers.chunks(CHUNK_BYTES, |chunk| {
            let chunk = chunk.in_place();
            if direction == Direction::Decrypt {
                self.mac.update(chunk);
            }
            self.cipher.apply_keystream(chunk).expect("the length was checked");
            if direction == Direction::Encrypt {
                self.mac.update(chunk);
            }
        });
        Ok(())
    }

    /// Returns the tag. This is not moved, which would leave a copy of the key behind.
    pub(crate) fn tag(&mut self) -> Tag {
        if !self.in_text {
            self.pad(self.aad_bytes);
        }
        self.pad(self.bytes);
        self.mac.update(&self.aad_bytes.to_le_bytes());
        self.mac.update(&self.bytes.to_le_bytes());
        self.mac.clone().finalize()
    }

    fn begin_text(&mut self, len: usize) -> Result<(), Reason> {
        let bytes = self.bytes.checked_add(len as u64).filter(|&bytes| bytes <= MAX_MESSAGE_BYTES);
        self.bytes = bytes.ok_or(Reason::TooLong)?;
        if !self.in_text {
            self.pad(self.aad_bytes);
            self.in_text = true;
        }
        Ok(())
    }

    /// Fills an unfinished block with zeros.
    fn pad(&mut self, bytes: u64) {
        let zeros = bytes.wrapping_neg() % 16;
        self.mac.update(&[0; 16][..zeros as usize]);
    }
}

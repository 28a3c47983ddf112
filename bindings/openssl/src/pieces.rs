//! AEAD messages in pieces of any length.
//!
//! `sealane::Sealer` and `Opener` need all associated data first. OpenSSL passes it in pieces and
//! does not say how many there are. So for associated data that is too long to be kept,
//! [`LongAad`] builds the construction of RFC 8439, section 2.8, from the cipher and the
//! authenticator, which process each piece of the text in two passes.

use sealane::chacha20::{BLOCK_BYTES, ChaCha, Layout};
use sealane::{AeadLayout, Backend, ChaChaPoly1305, MAX_MESSAGE_BYTES, Opener, Poly1305, Sealer, Tag};
use subtle::ConstantTimeEq as _;
use zeroize::{Zeroize as _, Zeroizing};

use crate::buffers::Buffers;
use crate::cipher::KEY_BYTES;
use crate::direction::Direction;
use crate::reason::Reason;
use crate::wiped;

/// The number of bytes that are copied, encrypted and authenticated at a time, so that they stay in
/// the first-level cache.
pub(crate) const CHUNK_BYTES: usize = 16 << 10;

/// The state in the middle of a message.
#[derive(Clone)]
pub(crate) enum Pieces<L: Layout> {
    Sealing(Sealer),
    Opening(Opener),
    LongAad(LongAad<L>),
    /// The message has ended, and its state was wiped.
    Ended,
}

impl<L: AeadLayout> Pieces<L> {
    /// Starts or continues a message. `sealed` is the ciphertext of an encrypted first piece, if
    /// there was one.
    pub(crate) fn new(
        direction: Direction,
        cipher: &ChaChaPoly1305<L>,
        nonce: &L::Nonce,
        aad: &[u8],
        sealed: &[u8],
    ) -> Result<Self, Reason> {
        Ok(match direction {
            Direction::Encrypt => {
                let mut sealer = cipher.sealer(nonce, aad);
                // An empty piece would compute block 0 alone, and not together with the next piece.
                if !sealed.is_empty() {
                    sealer.add_ciphertext(sealed)?;
                }
                Self::Sealing(sealer)
            }
            Direction::Decrypt => Self::Opening(cipher.opener(nonce, aad)),
        })
    }

    /// Adds associated data to what [`LongAad::new`] got.
    pub(crate) fn associated_data(&mut self, data: &[u8]) -> Result<(), Reason> {
        match self {
            Self::LongAad(message) => message.associated_data(data),
            _ => Err(Reason::LateAssociatedData),
        }
    }

    /// Encrypts, or decrypts before it is known whether the message is authentic.
    pub(crate) fn transform(&mut self, buffers: Buffers<'_>) -> Result<(), Reason> {
        let remaining = match self {
            Self::Sealing(sealer) => sealer.remaining(),
            Self::Opening(opener) => opener.remaining(),
            Self::LongAad(message) => {
                message.begin_text();
                MAX_MESSAGE_BYTES - message.bytes
            }
            Self::Ended => return Err(Reason::Internal),
        };
        if buffers.len() as u64 > remaining {
            return Err(Reason::TooLong);
        }
        buffers.chunks(CHUNK_BYTES, |chunk| {
            let chunk = chunk.in_place();
            match self {
                Self::Sealing(sealer) => sealer.seal(chunk).expect("the length was checked"),
                Self::Opening(opener) => opener.decrypt_unauthenticated(chunk).expect("the length was checked"),
                Self::LongAad(message) => message.transform(chunk),
                Self::Ended => {}
            }
        });
        Ok(())
    }

    /// Ends the message. Returns its tag if it was encrypted. If it was decrypted, compares the tag
    /// with `expected`.
    pub(crate) fn finish(&mut self, expected: &[u8]) -> Result<Option<Tag>, Reason> {
        match wiped::take(self, Self::Ended) {
            Self::Sealing(sealer) => Ok(Some(sealer.finish())),
            Self::Opening(opener) => Ok(opener.verify_truncated(expected).map(|_| None)?),
            Self::LongAad(message) => message.finish(expected),
            Self::Ended => Err(Reason::Internal),
        }
    }
}

/// The state of a message with long associated data.
#[derive(Clone)]
pub(crate) struct LongAad<L: Layout> {
    direction: Direction,
    cipher: ChaCha<20, L>,
    mac: Poly1305,
    aad_bytes: u64,
    bytes: u64,
    in_text: bool,
}

impl<L: Layout> LongAad<L> {
    /// Starts with the first bytes of the associated data.
    pub(crate) fn new(
        direction: Direction,
        key: &[u8; KEY_BYTES],
        nonce: &L::Nonce,
        aad: &[u8],
        backend: Backend,
    ) -> Self {
        let mut cipher = ChaCha::with_backend(key, nonce, backend);
        let mut one_time_key = Zeroizing::new([0; 32]);
        cipher.apply_keystream(&mut *one_time_key).expect("block 0 of a new key stream");
        cipher.seek(BLOCK_BYTES as u128).expect("block 1 of a new key stream");
        let mut mac = Poly1305::with_backend(&one_time_key, backend);
        mac.update(aad);
        Self { direction, cipher, mac, aad_bytes: aad.len() as u64, bytes: 0, in_text: false }
    }

    pub(crate) fn associated_data(&mut self, data: &[u8]) -> Result<(), Reason> {
        if self.in_text {
            return Err(Reason::LateAssociatedData);
        }
        self.aad_bytes = self.aad_bytes.checked_add(data.len() as u64).ok_or(Reason::TooLong)?;
        self.mac.update(data);
        Ok(())
    }

    /// Transforms a chunk of the text. The caller has checked the length.
    fn transform(&mut self, chunk: &mut [u8]) {
        self.bytes += chunk.len() as u64;
        if self.direction == Direction::Decrypt {
            self.mac.update(chunk);
        }
        self.cipher.apply_keystream(chunk).expect("the length was checked");
        if self.direction == Direction::Encrypt {
            self.mac.update(chunk);
        }
    }

    /// Does the same as [`Pieces::finish`].
    fn finish(mut self, expected: &[u8]) -> Result<Option<Tag>, Reason> {
        self.begin_text();
        self.pad(self.bytes);
        self.mac.update(&self.aad_bytes.to_le_bytes());
        self.mac.update(&self.bytes.to_le_bytes());
        let mut tag = self.mac.finalize();
        if self.direction == Direction::Encrypt {
            return Ok(Some(tag));
        }
        let is_expected: bool = tag[..expected.len()].ct_eq(expected).into();
        // A forger must not find the right tag.
        tag.zeroize();
        if is_expected { Ok(None) } else { Err(Reason::NotAuthentic) }
    }

    /// Fills the last block of the associated data, once.
    fn begin_text(&mut self) {
        if !self.in_text {
            self.pad(self.aad_bytes);
            self.in_text = true;
        }
    }

    /// Fills an unfinished block with zeros.
    fn pad(&mut self, bytes: u64) {
        let zeros = bytes.wrapping_neg() % 16;
        self.mac.update(&[0; 16][..zeros as usize]);
    }
}

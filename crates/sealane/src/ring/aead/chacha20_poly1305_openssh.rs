//! `chacha20-poly1305@openssh.com`, for implementations of SSH. [`OpenSshChaCha20Poly1305`] is the
//! same construction with this crate's own names.
//!
//! ```
//! use sealane::ring::aead::chacha20_poly1305_openssh::{OpeningKey, SealingKey};
//!
//! let (sealing, opening) = (SealingKey::new(&[0x42; 64]), OpeningKey::new(&[0x42; 64])); // from the key exchange
//! let (mut packet, mut tag) = (*b"\0\0\0\x06packet", [0; 16]);
//! sealing.seal_in_place(7, &mut packet, &mut tag);
//! assert_eq!(opening.open_in_place(7, &mut packet, &tag)?, b"packet");
//! # Ok::<(), sealane::ring::error::Unspecified>(())
//! ```

use core::fmt;

use zeroize::ZeroizeOnDrop;

use super::super::error::Unspecified;
use crate::aead::OpenSshChaCha20Poly1305;
use crate::poly1305::TAG_BYTES;

/// Length of a key in bytes.
pub const KEY_LEN: usize = OpenSshChaCha20Poly1305::KEY_BYTES;
/// Length in bytes of the field `packet_length`.
pub const PACKET_LENGTH_LEN: usize = OpenSshChaCha20Poly1305::LENGTH_BYTES;
/// Length of a tag in bytes.
pub const TAG_LEN: usize = TAG_BYTES;

/// A key that seals packets.
pub struct SealingKey(OpenSshChaCha20Poly1305);

impl SealingKey {
    /// Returns the key with these bytes.
    #[must_use]
    pub fn new(key_material: &[u8; KEY_LEN]) -> Self {
        Self(OpenSshChaCha20Poly1305::new(key_material))
    }

    /// Encrypts a packet in place, including its length, and writes the tag to `tag_out`.
    ///
    /// # Panics
    /// If the packet is shorter than [`PACKET_LENGTH_LEN`].
    pub fn seal_in_place(
        &self,
        sequence_number: u32,
        plaintext_in_ciphertext_out: &mut [u8],
        tag_out: &mut [u8; TAG_LEN],
    ) {
        *tag_out = self.0.seal_in_place(sequence_number, plaintext_in_ciphertext_out);
    }
}

/// A key that opens packets.
pub struct OpeningKey(OpenSshChaCha20Poly1305);

impl OpeningKey {
    /// Returns the key with these bytes.
    #[must_use]
    pub fn new(key_material: &[u8; KEY_LEN]) -> Self {
        Self(OpenSshChaCha20Poly1305::new(key_material))
    }

    /// Returns the decrypted packet length as a big-endian number. **It is not authenticated**
    /// until the packet has been opened.
    #[must_use]
    pub fn decrypt_packet_length(
        &self,
        sequence_number: u32,
        encrypted_packet_length: [u8; PACKET_LENGTH_LEN],
    ) -> [u8; PACKET_LENGTH_LEN] {
        self.0.open_length(sequence_number, &encrypted_packet_length).to_be_bytes()
    }

    /// Decrypts a packet in place. The packet begins with its encrypted length, which stays
    /// encrypted. Returns the plaintext after the length.
    ///
    /// # Errors
    /// [`Unspecified`] if the packet is not authentic; it is unchanged then.
    pub fn open_in_place<'a>(
        &self,
        sequence_number: u32,
        ciphertext_in_plaintext_out: &'a mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<&'a [u8], Unspecified> {
        Ok(self.0.open_in_place(sequence_number, ciphertext_in_plaintext_out, tag)?)
    }
}

// The keys inside wipe themselves.
impl ZeroizeOnDrop for SealingKey {}
impl ZeroizeOnDrop for OpeningKey {}

impl fmt::Debug for SealingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealingKey").finish_non_exhaustive()
    }
}

impl fmt::Debug for OpeningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpeningKey").finish_non_exhaustive()
    }
}

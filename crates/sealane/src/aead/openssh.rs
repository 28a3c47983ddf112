//! `chacha20-poly1305@openssh.com`: the cipher of SSH packets (OpenSSH's
//! `PROTOCOL.chacha20poly1305`).
//!
//! ```text
//! K_2 | K_1  = the 64 bytes of the key
//! nonce      = the sequence number of the packet as 8 bytes, big-endian
//! length     = packet_length xor ChaCha20(K_1, nonce), from block 0
//! ciphertext = (padding_length | payload | random padding) xor ChaCha20(K_2, nonce), from block 1
//! tag        = poly1305_mac(length | ciphertext, the first 32 bytes of block 0 of K_2)
//! ```
//!
//! Here ChaCha20 has a nonce and a block counter of 64 bits each. The tag covers the encrypted
//! packet alone, without the padding and the lengths that RFC 8439 appends.

use core::fmt;

use sealane_simd::Level;

use super::KEY_BYTES;
use super::construction::{one_time_key, verify};
use crate::backend::Backend;
use crate::chacha20::{BLOCK_BYTES, ChaCha20Original, Original, Sealed as _, State};
use crate::error::OpenError;
use crate::poly1305::{Poly1305, TAG_BYTES, Tag};
use crate::wipe::wipe;

/// ChaCha20-Poly1305 for the packets of SSH: `chacha20-poly1305@openssh.com`.
///
/// A packet is a length and a content. The length has 4 bytes, big-endian, and counts neither
/// itself nor the tag. The content is `padding_length`, payload and padding (RFC 4253, section 6).
/// The length is encrypted under a key of its own. The receiver opens it first, to know how many
/// bytes to wait for.
///
/// ```
/// use sealane::OpenSshChaCha20Poly1305;
///
/// let cipher = OpenSshChaCha20Poly1305::new(&[0x42; 64]); // from the key exchange
/// let sequence_number = 7;
///
/// let mut packet = *b"\0\0\0\x08\x04abc\0\0\0\0";
/// let tag = cipher.seal_in_place(sequence_number, &mut packet);
///
/// let length = cipher.open_length(sequence_number, packet.first_chunk().unwrap());
/// assert_eq!(length, 8); // not authenticated: compare it with the longest packet, then read on
/// let content = cipher.open_in_place(sequence_number, &mut packet, &tag)?;
/// assert_eq!(content, b"\x04abc\0\0\0\0");
/// # Ok::<(), sealane::OpenError>(())
/// ```
///
/// # Sequence numbers
/// Sequence numbers are the nonces, so no number may be used twice with one key in one direction:
/// exchange new keys before the number wraps around. SSH does that far earlier (RFC 4253, section
/// 9; RFC 4344, section 3.1). Each direction has its own key.
///
/// # What encrypting the length hides
/// An attacker who only reads the connection does not see where a packet starts or ends in the
/// stream of bytes. The sizes and times of the segments that carry the stream still reveal much
/// about packets and keystrokes.
///
/// The receiver uses the length before it is authenticated. An attacker who changes the connection
/// can flip bits of the length, and the receiver then waits for a different number of bytes. An
/// attacker who sends bytes one by one until the receiver closes the connection learns the length
/// that the receiver waited for, and with it the true length. The receiver must therefore refuse
/// lengths beyond a limit, and must show no other reaction to a length before the tag is checked.
/// The attacker learns nothing about the content: it has another key, and it is decrypted only
/// after the tag of length and content has been checked.
///
/// The tag binds a packet to its sequence number, and to nothing else. The key exchange must ensure
/// that no packet was removed before the first one under the key ("strict" key exchange, against
/// the attack Terrapin, CVE-2023-48795).
#[derive(Clone)]
pub struct OpenSshChaCha20Poly1305 {
    /// K_2.
    content_key: [u8; KEY_BYTES],
    /// K_1.
    length_key: [u8; KEY_BYTES],
    level: Level,
}

impl OpenSshChaCha20Poly1305 {
    /// Length of a key in bytes: two keys of ChaCha20, the key for the content first.
    pub const KEY_BYTES: usize = 2 * KEY_BYTES;
    /// Number of bytes of the field `packet_length`.
    pub const LENGTH_BYTES: usize = 4;
    /// Length of a tag in bytes.
    pub const TAG_BYTES: usize = TAG_BYTES;

    /// Returns a cipher on the backend of [`Backend::detect`].
    #[must_use]
    pub fn new(key: &[u8; Self::KEY_BYTES]) -> Self {
        Self::with_backend(key, Backend::detect())
    }

    /// Returns a cipher on the given backend.
    #[must_use]
    pub fn with_backend(key: &[u8; Self::KEY_BYTES], backend: Backend) -> Self {
        let mut cipher = Self { content_key: [0; _], length_key: [0; _], level: backend.level() };
        let (content, length) = key.split_at(KEY_BYTES);
        cipher.content_key.copy_from_slice(content);
        cipher.length_key.copy_from_slice(length);
        cipher
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Backend {
        Backend::of(self.level)
    }

    /// Encrypts a packet in place, its length included. Returns the tag, which follows the packet.
    ///
    /// The caller fills in the length. It is encrypted as it is, without a check.
    ///
    /// # Panics
    /// If `packet` is shorter than [`Self::LENGTH_BYTES`].
    #[must_use = "without its tag a packet cannot be opened"]
    pub fn seal_in_place(&self, sequence_number: u32, packet: &mut [u8]) -> Tag {
        let (length, content) = packet.split_first_chunk_mut().expect("a packet starts with its length");
        self.apply_to_length(sequence_number, length);
        let mut key_stream = KeyStream::new(self.level, &self.content_key, sequence_number);
        let mut block_0 = key_stream.block_0();
        key_stream.apply(1, content);
        let tag = self.mac(&block_0, packet);
        wipe(&mut block_0);
        crate::fault::flip("aead", self.level, packet);
        tag
    }

    /// Decrypts the length of a packet. **It is not authenticated** until
    /// [`Self::open_in_place`] has opened the packet.
    #[must_use]
    pub fn open_length(&self, sequence_number: u32, length: &[u8; Self::LENGTH_BYTES]) -> u32 {
        let mut length = *length;
        self.apply_to_length(sequence_number, &mut length);
        u32::from_be_bytes(length)
    }

    /// Decrypts the content of a packet in place if the packet, its length included, is authentic.
    /// Returns the content. The length itself stays encrypted: [`Self::open_length`] returns it.
    ///
    /// # Errors
    /// [`OpenError`] if the packet is not authentic, or shorter than [`Self::LENGTH_BYTES`]. The
    /// packet is unchanged then.
    pub fn open_in_place<'p>(
        &self,
        sequence_number: u32,
        packet: &'p mut [u8],
        tag: &Tag,
    ) -> Result<&'p mut [u8], OpenError> {
        if packet.len() < Self::LENGTH_BYTES {
            return Err(OpenError);
        }
        let mut key_stream = KeyStream::new(self.level, &self.content_key, sequence_number);
        let mut block_0 = key_stream.block_0();
        let computed = self.mac(&block_0, packet);
        wipe(&mut block_0);
        verify(&computed, tag)?;
        let content = &mut packet[Self::LENGTH_BYTES..];
        key_stream.apply(1, content);
        Ok(content)
    }

    /// Returns the tag of an encrypted packet.
    fn mac(&self, block_0: &[u8; BLOCK_BYTES], packet: &[u8]) -> Tag {
        let mut mac = Poly1305::with_backend(one_time_key(block_0), self.backend());
        mac.update(packet);
        mac.tag()
    }

    /// Encrypts or decrypts the length.
    fn apply_to_length(&self, sequence_number: u32, length: &mut [u8; Self::LENGTH_BYTES]) {
        KeyStream::new(self.level, &self.length_key, sequence_number).apply(0, length);
    }
}

/// The key stream of a packet under one of the keys.
struct KeyStream {
    state: State,
    level: Level,
}

impl KeyStream {
    fn new(level: Level, key: &[u8; KEY_BYTES], sequence_number: u32) -> Self {
        let mut key_stream = Self { state: [0; 16], level };
        let nonce = u64::from(sequence_number).to_be_bytes();
        Original::fill_state::<20>(key, &nonce, level, &mut key_stream.state);
        key_stream
    }

    fn block_0(&mut self) -> [u8; BLOCK_BYTES] {
        let mut block = [0; BLOCK_BYTES];
        self.apply(0, &mut block);
        block
    }

    /// Combines `data` with the key stream from `block` on. No slice is long enough to overflow the
    /// block counter.
    fn apply(&mut self, block: u64, data: &mut [u8]) {
        ChaCha20Original::apply_blocks(self.level, &mut self.state, block, data);
    }
}

impl Drop for KeyStream {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

impl Drop for OpenSshChaCha20Poly1305 {
    fn drop(&mut self) {
        wipe(&mut self.content_key);
        wipe(&mut self.length_key);
    }
}

impl zeroize::ZeroizeOnDrop for OpenSshChaCha20Poly1305 {}

impl fmt::Debug for OpenSshChaCha20Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenSshChaCha20Poly1305").field("backend", &self.level).finish_non_exhaustive()
    }
}

//! Transport data messages: type, receiver index, counter, and the encrypted packet.

use sealane::{TAG_BYTES, Tag};

/// Bytes before the encrypted packet.
pub const HEADER_BYTES: usize = 16;
/// The longest packet in bytes: a multiple of 16.
pub const MAX_PACKET_BYTES: usize = 1504;
/// The type of the messages, and three reserved zeros.
const TYPE: [u8; 4] = [4, 0, 0, 0];
/// Packets are padded with zeros to a multiple of this, so that messages reveal less about lengths.
const PADDING: usize = 16;

/// The public part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The receiver's index of the session.
    pub(crate) receiver: u32,
    /// The number of the message in the session, which is its nonce.
    pub(crate) counter: u64,
}

impl Header {
    /// Returns the nonce: 32 zero bits, then the counter, little-endian.
    pub(crate) fn nonce(self) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&self.counter.to_le_bytes());
        nonce
    }
}

/// A reusable buffer for one message.
#[derive(Clone)]
pub struct Datagram {
    bytes: [u8; HEADER_BYTES + MAX_PACKET_BYTES + TAG_BYTES],
    length: usize,
}

impl Datagram {
    /// Returns an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self { bytes: [0; _], length: 0 }
    }

    /// Returns the message.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Fills the buffer with `receive`, which returns the number of bytes.
    ///
    /// # Errors
    /// The errors of `receive`.
    pub fn fill<E>(&mut self, receive: impl FnOnce(&mut [u8]) -> Result<usize, E>) -> Result<(), E> {
        self.length = 0;
        self.length = receive(&mut self.bytes)?.min(self.bytes.len());
        Ok(())
    }

    /// Writes a header and a padded packet. The packet is sealed later.
    ///
    /// # Panics
    /// If the packet is longer than [`MAX_PACKET_BYTES`].
    pub(crate) fn write(&mut self, header: Header, packet: &[u8]) {
        let padded = packet.len().next_multiple_of(PADDING);
        assert!(padded <= MAX_PACKET_BYTES, "a packet has at most {MAX_PACKET_BYTES} bytes");
        self.bytes[..4].copy_from_slice(&TYPE);
        self.bytes[4..8].copy_from_slice(&header.receiver.to_le_bytes());
        self.bytes[8..HEADER_BYTES].copy_from_slice(&header.counter.to_le_bytes());
        self.bytes[HEADER_BYTES..][..packet.len()].copy_from_slice(packet);
        self.bytes[HEADER_BYTES + packet.len()..HEADER_BYTES + padded].fill(0);
        self.length = HEADER_BYTES + padded + TAG_BYTES;
    }

    /// Returns the header, if this is a transport data message.
    pub(crate) fn header(&self) -> Option<Header> {
        let bytes = self.bytes();
        let is_whole = bytes.len() >= HEADER_BYTES + TAG_BYTES && bytes.len().is_multiple_of(PADDING);
        if !is_whole || !bytes.starts_with(&TYPE) {
            return None;
        }
        let receiver = u32::from_le_bytes(*bytes[4..].first_chunk()?);
        let counter = u64::from_le_bytes(*bytes[8..].first_chunk()?);
        Some(Header { receiver, counter })
    }

    /// Returns the packet with its padding, and the tag.
    ///
    /// # Panics
    /// If this is no transport data message.
    pub(crate) fn parts(&mut self) -> (&mut [u8], &mut Tag) {
        self.bytes[HEADER_BYTES..self.length].split_last_chunk_mut().expect("a message has a tag")
    }
}

impl Default for Datagram {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the packet without its padding: its length is in the header of IPv4 or IPv6. A keepalive
/// is empty.
pub(crate) fn without_padding(padded: &[u8]) -> Option<&[u8]> {
    let length_at = |at: usize| Some(usize::from(u16::from_be_bytes(*padded.get(at..)?.first_chunk()?)));
    let length = match padded.first().map(|first| first >> 4) {
        None => 0,
        Some(4) => length_at(2)?,
        Some(6) => 40 + length_at(4)?,
        Some(_) => return None,
    };
    padded.get(..length)
}

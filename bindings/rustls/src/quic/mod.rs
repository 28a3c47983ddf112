//! Protects many QUIC packets at once, for QUIC stacks that send them in batches.
//!
//! rustls's traits take one packet at a time. [`PacketKeys::seal_packets`] takes all packets that a
//! stack is about to send with one key. The results are identical, but it is faster, because blocks
//! of several packets share vectors.
//!
//! To get the keys, a stack supplies its own `quic::Algorithm` in the cipher suite: rustls passes
//! the keys to the methods `packet_key` and `header_protection_key`.

pub(crate) mod header;

use core::fmt;

use sealane::quic::{HeaderProtectionKey, MASK_BYTES, Mask, SAMPLE_BYTES, Sample};
use sealane::{KEY_BYTES, SealRequest, TAG_BYTES};

use crate::aead::{Keys, NONCE_BYTES};
use header::packet_number_bytes;

/// The number of packets that may be encrypted with one key. The limit exceeds the possible number
/// of packets in a connection (RFC 9001, section 6.6).
pub(crate) const CONFIDENTIALITY_LIMIT: u64 = u64::MAX;
/// The number of packets that may fail to decrypt with one key (RFC 9001, section 6.6).
pub(crate) const INTEGRITY_LIMIT: u64 = 1 << 36;

/// The longest packet number in bytes. A sample begins where a packet number of this length would
/// end (RFC 9001, section 5.4.2).
const MAX_PACKET_NUMBER_BYTES: usize = 4;

/// The number of packets encrypted in one call, the most that `seal_batch` processes together.
const GROUP: usize = 32;

/// A packet to encrypt, once.
///
/// The bytes are those of the packet on the wire: the header, which ends with the packet number,
/// the payload as plaintext, and 16 bytes for the tag.
pub struct Packet<'a> {
    number: u64,
    path_id: u32,
    header_bytes: usize,
    bytes: &'a mut [u8],
    /// Whether the packet was encrypted. Encrypting it again would add the same key stream to it,
    /// which decrypts it.
    is_sealed: bool,
}

impl<'a> Packet<'a> {
    /// Returns the packet with this number, whose header has `header_bytes` bytes.
    ///
    /// The first byte of the header gives the length of the packet number.
    #[must_use]
    pub fn new(number: u64, header_bytes: usize, bytes: &'a mut [u8]) -> Self {
        Self { number, path_id: 0, header_bytes, bytes, is_sealed: false }
    }

    /// Returns the packet with a path ID of multipath QUIC.
    #[must_use]
    pub fn on_path(self, path_id: u32) -> Self {
        Self { path_id, ..self }
    }

    /// Returns the position of the packet number, or `None` if the packet is too short for its
    /// header, its tag and a sample, or its header for its packet number.
    fn packet_number_start(&self) -> Option<usize> {
        let length = packet_number_bytes(*self.bytes.first()?);
        let start = self.header_bytes.checked_sub(length).filter(|start| *start > 0)?;
        let sealed_bytes = self.bytes.len().checked_sub(self.header_bytes)?;
        let fits = sealed_bytes >= TAG_BYTES && length + sealed_bytes >= MAX_PACKET_NUMBER_BYTES + SAMPLE_BYTES;
        fits.then_some(start)
    }

    /// Checks that the packet, which has this index, can be encrypted.
    fn check(&self, index: usize) -> Result<(), PacketError> {
        if self.is_sealed {
            return Err(PacketError::Sealed { index });
        }
        self.packet_number_start().map(|_| ()).ok_or(PacketError::TooShort { index })
    }

    /// Returns the sample of a packet whose length has been checked.
    fn sample(&self) -> Sample {
        let start = self.packet_number_start().expect("a length that was checked");
        *self.bytes[start + MAX_PACKET_NUMBER_BYTES..].first_chunk().expect("a length that was checked")
    }

    /// Masks the header of a packet whose length has been checked.
    fn protect(&mut self, mask: &Mask) {
        let start = self.packet_number_start().expect("a length that was checked");
        let (first, rest) = self.bytes.split_first_mut().expect("a length that was checked");
        header::apply(mask, first, &mut rest[start - 1..]);
    }
}

/// Shows the length only: the bytes are plaintext until the packet is encrypted, and its number is
/// hidden afterwards.
impl fmt::Debug for Packet<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packet").field("len", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// A packet that cannot be encrypted. No packet was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PacketError {
    /// The packet is too short for its header, its tag and a sample of 16 bytes that begins 4 bytes
    /// after the start of the packet number (RFC 9001, section 5.4.2), or its header is too short
    /// for its packet number.
    TooShort {
        /// The index of the packet in the slice.
        index: usize,
    },
    /// The packet is encrypted already.
    Sealed {
        /// The index of the packet in the slice.
        index: usize,
    },
}

impl fmt::Display for PacketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { index } => {
                write!(f, "packet {index} is too short for its header, its tag and a sample")
            }
            Self::Sealed { index } => write!(f, "packet {index} is encrypted already"),
        }
    }
}

impl core::error::Error for PacketError {}

/// The keys of one direction: `quic key`, `quic iv` and `quic hp` of RFC 9001, section 5.1. They
/// are wiped when they are dropped.
///
/// ```
/// use rustls_sealane::quic::{Packet, PacketKeys};
///
/// let keys = PacketKeys::new(&[1; 32], &[2; 12], &[3; 32]);
/// // A header of 9 bytes, which ends with a packet number of 1 byte; a payload; room for a tag.
/// let mut buffers = [[0x40; 9 + 1200 + 16]; 32];
/// let mut packets: Vec<_> =
///     (0..).zip(&mut buffers).map(|(number, buffer)| Packet::new(number, 9, buffer)).collect();
/// keys.seal_packets(&mut packets)?;
/// # Ok::<(), rustls_sealane::quic::PacketError>(())
/// ```
pub struct PacketKeys {
    payload: Keys,
    header: HeaderProtectionKey,
}

impl PacketKeys {
    /// Returns the keys.
    #[must_use]
    pub fn new(key: &[u8; KEY_BYTES], iv: &[u8; 12], header_protection_key: &[u8; KEY_BYTES]) -> Self {
        Self { payload: Keys::new(key, iv), header: HeaderProtectionKey::new(header_protection_key) }
    }

    /// Encrypts the payloads in place, writes each tag after its payload, and protects the headers.
    ///
    /// No two packets under the same keys may have the same number and path. Each [`Packet`] is
    /// encrypted once. A packet that is lost is not sent again: QUIC sends its content in a packet
    /// with a new number.
    ///
    /// # Errors
    /// [`PacketError`] if a packet is too short, or was encrypted by an earlier call. Nothing is
    /// written then.
    pub fn seal_packets(&self, packets: &mut [Packet<'_>]) -> Result<(), PacketError> {
        packets.iter().enumerate().try_for_each(|(index, packet)| packet.check(index))?;
        packets.chunks_mut(GROUP).for_each(|group| self.seal_group(group));
        Ok(())
    }

    /// Encrypts and protects up to [`GROUP`] packets, whose lengths have been checked.
    fn seal_group(&self, packets: &mut [Packet<'_>]) {
        // The nonces reveal the IV, so they stay off the heap, where nothing would wipe them.
        let mut unused_tags = [[0; TAG_BYTES]; GROUP];
        let mut unused = unused_tags.iter_mut().map(|tag| SealRequest::new([0; NONCE_BYTES], &[], &mut [], tag));
        let count = packets.len();
        let mut used = packets.iter_mut().map(|packet| self.request(packet));
        let mut requests: [_; GROUP] =
            core::array::from_fn(|_| used.next().or_else(|| unused.next()).expect("one tag for each request"));
        self.payload.cipher.seal_batch(&mut requests[..count]);

        let mut samples = [[0; SAMPLE_BYTES]; GROUP];
        for (sample, packet) in samples.iter_mut().zip(&*packets) {
            *sample = packet.sample();
        }
        let mut masks = [[0; MASK_BYTES]; GROUP];
        self.header.header_protection_masks(&samples[..count], &mut masks[..count]);
        for (packet, mask) in packets.iter_mut().zip(&masks) {
            packet.protect(mask);
        }
    }

    fn request<'p>(&self, packet: &'p mut Packet<'_>) -> SealRequest<'p> {
        packet.is_sealed = true;
        let nonce = self.payload.nonce(packet.path_id, packet.number);
        let (header, sealed) = packet.bytes.split_at_mut(packet.header_bytes);
        let (plaintext, tag) = sealed.split_last_chunk_mut().expect("a length that was checked");
        SealRequest::new(nonce, header, plaintext, tag)
    }
}

impl fmt::Debug for PacketKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketKeys").finish_non_exhaustive()
    }
}

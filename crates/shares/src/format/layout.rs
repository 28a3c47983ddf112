//! The lengths of the parts of a share, the magic and the version.

/// The first bytes of a share in binary form.
pub const MAGIC: [u8; 8] = *b"\x9dsealane";
/// The version of the format.
pub const VERSION: u8 = 1;
/// The length of the blinding value, which is the key of the commitment, in bytes.
pub const BLINDING_BYTES: usize = 32;
/// The length of a commitment in bytes.
pub const COMMITMENT_BYTES: usize = 32;
/// The length of the checksum of a whole share in bytes.
pub(crate) const CHECKSUM_BYTES: usize = sealane::TAG_BYTES;
/// The length of the checksum of a header in bytes. It is the beginning of a Poly1305 tag.
pub(crate) const HEADER_CHECKSUM_BYTES: usize = 4;
/// The length of everything after the payload: the commitment and the checksum.
pub(crate) const TRAILER_BYTES: usize = COMMITMENT_BYTES + CHECKSUM_BYTES;

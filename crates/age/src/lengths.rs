//! Lengths in the age format that several modules need.

/// The length of the tag after each chunk and after a wrapped file key, in bytes.
pub const TAG_BYTES: usize = 16;

/// The length of the nonce between the header and the chunks, in bytes.
pub const NONCE_BYTES: usize = 16;

/// The length of the header MAC, HMAC-SHA-256, in bytes.
pub const MAC_BYTES: usize = 32;

/// The largest number of arguments of a stanza, which follow its type. age 1.3.2 has the same
/// limit.
///
/// An argument takes a few dozen bytes of memory, even if it is only two bytes of the header.
pub const MAX_ARGUMENTS: usize = 128;

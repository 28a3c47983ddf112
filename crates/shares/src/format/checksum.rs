//! The checksum of a share: Poly1305 under a public key.
//!
//! The checksum finds accidental damage. A universal hash of 128 bits is enough for that, because
//! the commitment finds forgeries. A cryptographic hash is several times slower, and would take
//! most of the time that writing shares takes.

use sealane::{Poly1305, Tag};

use super::layout::HEADER_CHECKSUM_BYTES;

/// SHA-256 of `sealane.share.v1.checksum`. A test checks it.
const KEY: [u8; 32] = [
    0x64, 0x1a, 0xc5, 0xf4, 0xfb, 0x72, 0x4a, 0x21, 0xc3, 0x3f, 0xbb, 0x1c, 0x6c, 0x36, 0x7e, 0xa2, 0x57, 0xa5, 0xb7,
    0x09, 0x26, 0x9e, 0x97, 0xa6, 0x95, 0xcf, 0x79, 0x1a, 0xea, 0x03, 0x4e, 0xa9,
];

/// Computes a checksum, piece by piece.
pub(crate) struct Checksum(Poly1305);

impl Checksum {
    pub(crate) fn new() -> Self {
        Self(Poly1305::new(&KEY))
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn finalize(self) -> Tag {
        self.0.finalize()
    }

    /// Returns the checksum of a header: the first bytes of its Poly1305 tag.
    pub(crate) fn of_header(bytes: &[u8]) -> [u8; HEADER_CHECKSUM_BYTES] {
        let [a, b, c, d, ..] = Poly1305::mac(&KEY, bytes);
        [a, b, c, d]
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    #[test]
    fn the_key_of_the_checksum_is_a_hash_of_its_purpose() {
        assert_eq!(super::KEY[..], Sha256::digest(b"sealane.share.v1.checksum")[..]);
    }
}

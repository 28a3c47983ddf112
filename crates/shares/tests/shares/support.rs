//! Shares and readers for the tests.

use std::io::{Cursor, Read};

use sealane_shares::{Share, ShareReader, split};

pub(crate) const SECRET: &[u8] = b"attack at dawn, not at dusk";

pub(crate) fn shares(threshold: usize, count: usize) -> Vec<Share> {
    split(SECRET, threshold, count).unwrap()
}

pub(crate) fn readers(shares: &[Share]) -> Vec<ShareReader<Cursor<Vec<u8>>>> {
    shares.iter().map(|share| ShareReader::new(Cursor::new(share.as_bytes().to_vec())).unwrap()).collect()
}

/// Returns bytes that differ between positions.
pub(crate) fn pattern(length: usize) -> Vec<u8> {
    (0..length as u64).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// Changes a share, and makes its checksum fit, as a forger would. `change` gets all bytes before
/// the checksum, which has 16 bytes: the header, the payload and the commitment of 32 bytes.
pub(crate) fn forge(share: &Share, change: impl FnOnce(&mut Vec<u8>)) -> Share {
    let mut bytes = share.as_bytes().to_vec();
    bytes.truncate(bytes.len() - 16);
    change(&mut bytes);
    let checksum = sealane::Poly1305::mac(&checksum_key(), &bytes);
    bytes.extend_from_slice(&checksum);
    Share::from_bytes(&bytes).unwrap()
}

pub(crate) fn checksum_key() -> [u8; 32] {
    use sha2::{Digest, Sha256};
    Sha256::digest(b"sealane.share.v1.checksum").into()
}

/// Changes the last byte of a share's payload, and makes the checksum fit.
pub(crate) fn forge_payload(share: &Share) -> Share {
    forge(share, |bytes| {
        let at = bytes.len() - 33;
        // Each share is changed differently, because equal changes can cancel.
        bytes[at] ^= 0x51 ^ (7 * share.header().index() as u8);
    })
}

/// A reader that returns few bytes at a time, as a pipe may.
pub(crate) struct Trickle<R>(pub(crate) R, pub(crate) usize);

impl<R: Read> Read for Trickle<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(self.1);
        self.0.read(&mut buffer[..count])
    }
}

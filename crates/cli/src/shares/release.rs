//! Writes a secret to an output that cannot be taken back, such as standard output. The shares are
//! read twice: the first pass checks them, and the second writes the secret. Others may be able to
//! change the files in between, so both passes must give the same secret.

use std::io::{self, Write};

use sealane_shares::{Restart, WipedVec};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize as _, Zeroizing};

use crate::error::{Error, Result};

/// The number of bytes per digest. A terabyte needs 32 MiB of digests.
const BLOCK: usize = 1 << 20;

/// The length of a digest in bytes.
const DIGEST_BYTES: usize = 32;

/// The first pass: stores digests of the blocks. They show whether a guess at a block is right, so
/// they are wiped.
#[derive(Default)]
pub(crate) struct Digests {
    done: WipedVec,
    current: Sha256,
    filled: usize,
}

impl Digests {
    /// Returns the digests of all blocks, one after the other. The last block may be short.
    pub(crate) fn finish(mut self) -> Zeroizing<Vec<u8>> {
        if self.filled > 0 {
            self.end_block();
        }
        self.done.into_inner()
    }

    fn end_block(&mut self) {
        let mut digest = Zeroizing::new([0; DIGEST_BYTES]);
        self.current.finalize_into_reset((&mut *digest).into());
        self.filled = 0;
        self.done.write_all(&digest[..]).expect("a vector takes all bytes");
    }
}

impl Write for Digests {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let n = data.len().min(BLOCK - self.filled);
        self.current.update(&data[..n]);
        self.filled += n;
        if self.filled == BLOCK {
            self.end_block();
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Restart for Digests {
    fn restart(&mut self) -> io::Result<()> {
        *self = Self::default();
        Ok(())
    }
}

/// The second pass: releases each block if it is unchanged.
pub(crate) struct Release<'a, W> {
    digests: Zeroizing<Vec<u8>>,
    /// The number of blocks that were released.
    released: usize,
    block: Zeroizing<Vec<u8>>,
    output: &'a mut W,
}

impl<'a, W: Write> Release<'a, W> {
    pub(crate) fn new(digests: Zeroizing<Vec<u8>>, output: &'a mut W) -> Self {
        let block = Zeroizing::new(Vec::with_capacity(if digests.is_empty() { 0 } else { BLOCK }));
        Self { digests, released: 0, block, output }
    }

    /// Checks that the second pass was complete.
    pub(crate) fn finish(mut self) -> Result<()> {
        if !self.block.is_empty() {
            self.pass_on().map_err(|error| Error::from_io("cannot write", error))?;
        }
        if self.next_digest().is_some() { Err(changed()) } else { Ok(()) }
    }

    /// Returns the digest of the block that is released next.
    fn next_digest(&self) -> Option<&[u8]> {
        self.digests.chunks_exact(DIGEST_BYTES).nth(self.released)
    }

    fn pass_on(&mut self) -> io::Result<()> {
        let digest = Zeroizing::new(<[u8; DIGEST_BYTES]>::from(Sha256::digest(&self.block[..])));
        if self.next_digest() != Some(&digest[..]) {
            return Err(changed().into_io());
        }
        self.released += 1;
        self.output.write_all(&self.block)?;
        self.block.as_mut_slice().zeroize();
        self.block.clear();
        Ok(())
    }
}

fn changed() -> Error {
    Error::new("a share changed while it was read").hint("copy the shares to a private folder, and combine the copies")
}

impl<W: Write> Write for Release<'_, W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.block.capacity() == 0 {
            return Err(changed().into_io());
        }
        let n = data.len().min(BLOCK - self.block.len());
        self.block.extend_from_slice(&data[..n]);
        if self.block.len() == BLOCK {
            self.pass_on()?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<W> Restart for Release<'_, W> {
    fn restart(&mut self) -> io::Result<()> {
        // The second pass reads no shares that were damaged in the first, so it restarts only if a
        // share has changed.
        Err(changed().into_io())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(data: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut digests = Digests::default();
        digests.write_all(data).unwrap();
        digests.finish()
    }

    fn release(digests: Zeroizing<Vec<u8>>, data: &[u8]) -> (bool, Vec<u8>) {
        let mut out = Vec::new();
        let mut release = Release::new(digests, &mut out);
        let written = data.chunks(100_000).try_for_each(|piece| release.write_all(piece));
        let good = written.is_ok() && release.finish().is_ok();
        (good, out)
    }

    #[test]
    fn only_bytes_with_the_right_digest_are_released() {
        for length in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 70_000] {
            let data: Vec<u8> = (0..length).map(|i| (i >> 7) as u8).collect();
            assert_eq!(release(digests(&data), &data), (true, data.clone()), "{length}");
            for wrong in [0, length / 2, length.saturating_sub(1)].into_iter().filter(|_| length > 0) {
                let mut changed = data.clone();
                changed[wrong] ^= 1;
                let (good, out) = release(digests(&data), &changed);
                assert!(!good && out == data[..wrong / BLOCK * BLOCK], "{length} {wrong}");
            }
            assert!(!release(digests(&data), &data[..length.saturating_sub(1)]).0 || length == 0);
            assert!(!release(digests(&data), &[&data[..], &[0]].concat()).0);
        }
    }
}

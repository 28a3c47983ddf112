//! Writes one share in binary form.

use std::io::{self, Write};

use super::checksum::Checksum;
use super::header::Header;
use super::layout::COMMITMENT_BYTES;

/// Writes a share in binary form: the header at once, the payload piece by piece.
pub(crate) struct ShareWriter<W> {
    sink: W,
    checksum: Checksum,
}

impl<W: Write> ShareWriter<W> {
    /// Writes the header. `blinding` is the share of the blinding value.
    pub(crate) fn new(mut sink: W, header: &Header, blinding: &[u8]) -> io::Result<Self> {
        let encoded = header.encode(blinding);
        sink.write_all(&encoded)?;
        let mut checksum = Checksum::new();
        checksum.update(&encoded);
        Ok(Self { sink, checksum })
    }

    /// Appends to the payload.
    pub(crate) fn write_payload(&mut self, payload: &[u8]) -> io::Result<()> {
        self.checksum.update(payload);
        self.sink.write_all(payload)
    }

    /// Writes the trailer and flushes.
    pub(crate) fn finish(mut self, commitment: &[u8; COMMITMENT_BYTES]) -> io::Result<W> {
        self.checksum.update(commitment);
        self.sink.write_all(commitment)?;
        self.sink.write_all(&self.checksum.finalize())?;
        self.sink.flush()?;
        Ok(self.sink)
    }
}

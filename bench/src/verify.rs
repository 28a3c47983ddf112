//! Every row's output is compared with the first row's, ours, before anything is timed.

use crate::buffers::Buffers;
use crate::harness::{Suite, pass};
use crate::peers::openssl_capabilities::Capabilities;

/// Every length up to here.
const SHORT_LENGTHS: usize = 600;
const LONG_LENGTHS: [usize; 12] = [1023, 1024, 1025, 1350, 2047, 4095, 4096, 4097, 16384, 16385, 65537, 100_003];

impl Suite {
    /// Compares at many lengths, each in aligned buffers and in others: the messages, the tags, and that nothing was
    /// written beside them. Where messages are opened, a changed tag must be refused.
    ///
    /// # Errors
    /// Which row differs, and where.
    pub fn verify(&mut self) -> Result<(), String> {
        for length in (0..=SHORT_LENGTHS).chain(LONG_LENGTHS) {
            for offset in [0, 1 + length % 63] {
                self.verify_at(length, offset)?;
            }
        }
        Ok(())
    }

    fn verify_at(&mut self, length: usize, offset: usize) -> Result<(), String> {
        let mut buffers = Buffers::new(length, offset, self.batch, self.batch);
        buffers.fill();
        if let Some(prepare) = &mut self.prepare {
            buffers.seal(prepare);
        }
        buffers.keep();
        let mut expected = None;
        for row in &mut self.rows {
            let (suite, name) = (self.name, row.name());
            let wrong = |what| Err(format!("{suite}: {name} {what} at {length} bytes, offset {offset}"));
            let _capabilities = row.capabilities.map(Capabilities::set);
            buffers.restore();
            if !pass(row, &mut buffers, 0) {
                return wrong("refuses an authentic message");
            }
            match &expected {
                None => expected = Some(buffers.contents()),
                Some(expected) if *expected == buffers.contents() => {}
                Some(_) => return wrong("differs"),
            }
            if self.prepare.is_some() {
                buffers.restore();
                buffers.change_tags();
                if pass(row, &mut buffers, 0) {
                    return wrong("takes a changed tag");
                }
            }
        }
        Ok(())
    }
}

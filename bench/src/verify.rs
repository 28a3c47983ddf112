//! Compares every row's output with the output of the first row, which is ours, before anything is
//! timed.

use sealane_measure::Messages;

use crate::harness::Suite;
use crate::peers::openssl_capabilities::Capabilities;

/// Every length up to this one is compared.
const SHORT_LENGTHS: usize = 600;
const LONG_LENGTHS: [usize; 12] = [1023, 1024, 1025, 1350, 2047, 4095, 4096, 4097, 16384, 16385, 65537, 100_003];

impl Suite {
    /// Compares messages and tags at many lengths, in aligned and unaligned buffers, and checks
    /// that nothing was written outside them. Where messages are opened, a changed tag must be
    /// refused.
    ///
    /// # Errors
    /// If a row differs. The error names the row, the length and the offset.
    pub fn verify(&mut self) -> Result<(), String> {
        for length in (0..=SHORT_LENGTHS).chain(LONG_LENGTHS) {
            for offset in [0, 1 + length % 63] {
                self.verify_at(length, offset)?;
            }
        }
        self.verified = true;
        Ok(())
    }

    fn verify_at(&mut self, length: usize, offset: usize) -> Result<(), String> {
        let mut messages = Messages::new(length, offset, self.batch, self.batch);
        self.seal.iter().for_each(|seal| messages.seal(&mut seal()));
        let mut expected = None;
        for row in self.rows.iter_mut().filter(|row| row.is_compared()) {
            let (suite, name) = (self.name, row.name());
            let wrong = |what| Err(format!("{suite}: {name} {what} at {length} bytes, offset {offset}"));
            let _capabilities = row.capabilities.map(Capabilities::set);
            messages.restore();
            if !messages.process(&mut row.processing, 0) {
                return wrong("refuses an authentic message");
            }
            match &expected {
                None => expected = Some(messages.contents()),
                Some(expected) if messages.have(expected) => {}
                Some(_) => return wrong("differs"),
            }
            if self.seal.is_some() {
                messages.restore();
                messages.change_tags();
                if messages.process(&mut row.processing, 0) {
                    return wrong("accepts a changed tag");
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use sealane_measure::Tag;
    use sealane_workloads::benchmarks::messages::{AAD, KEY, nonce};

    use crate::harness::Suite;
    use crate::peers::Peer;
    use crate::row::{Owner, Row};
    use crate::suites;

    /// Verifies our first row, and a row with this operation.
    fn verify(
        mut suite: Suite,
        operation: impl FnMut(u64, &mut [u8], &mut Tag) -> bool + 'static,
    ) -> Result<(), String> {
        suite.rows.truncate(1);
        suite.rows.push(Row::new(Owner::Peer(Peer::Ring), operation));
        suite.verify()
    }

    /// Verifies a row that seals and then spoils the result.
    fn after_sealing(spoil: impl Fn(&mut [u8], &mut Tag) + 'static) -> Result<(), String> {
        let cipher = sealane::ChaCha20Poly1305::new(&KEY);
        verify(suites::named("chacha20poly1305-seal"), move |message, data, tag| {
            *tag = cipher.seal_in_place(&nonce(message), &AAD, data);
            spoil(data, tag);
            true
        })
    }

    #[test]
    fn wrong_messages_and_tags_are_found() {
        assert_eq!(after_sealing(|_, _| ()), Ok(()));
        let wrong_message = after_sealing(|data, _| {
            if data.len() == 577 {
                data[576] ^= 1;
            }
        });
        assert!(wrong_message.unwrap_err().contains("ring differs at 577 bytes"));
        let wrong_tag = after_sealing(|_, tag| tag[15] ^= 0x80);
        assert!(wrong_tag.unwrap_err().contains("ring differs at 0 bytes"));
    }

    #[test]
    fn a_row_that_takes_any_tag_or_none_is_found() {
        let open = |message, data: &mut [u8], tag: &Tag| {
            sealane::ChaCha20Poly1305::new(&KEY).open_in_place(&nonce(message), &AAD, data, tag).is_ok()
        };
        assert_eq!(
            verify(suites::named("chacha20poly1305-open"), move |message, data, tag| open(message, data, tag)),
            Ok(())
        );
        let any = verify(suites::named("chacha20poly1305-open"), move |message, data, tag| {
            open(message, data, tag);
            true
        });
        assert!(any.unwrap_err().contains("ring accepts a changed tag"));
        let none = verify(suites::named("chacha20poly1305-open"), |_, _, _| false);
        assert!(none.unwrap_err().contains("ring refuses an authentic message"));
    }
}

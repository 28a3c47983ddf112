//! Messages in data that holds more than them.

use super::cipher::{ChaChaPoly1305, sealed};
use crate::poly1305::search::Search;
use crate::wipe::wipe;

/// For damaged files. Messages are without associated data, ciphertext first and its tag behind it.
/// A place that is found holds a message only if that can be opened.
///
/// Each place that is tried is a guess at a tag, as is each message that somebody else sends: n
/// places of messages of l blocks succeed with a probability of at most n l / 2^103.
impl<L: sealed::Aead> ChaChaPoly1305<L> {
    /// The first place in `data` where a message of `len` bytes is, followed by its tag: at any
    /// byte. It takes a few multiplications for each place, whatever the length.
    ///
    /// # Panics
    /// If `len` is 0 or not divisible by 16.
    #[must_use]
    pub fn find(&self, nonce: &L::Nonce, data: &[u8], len: usize) -> Option<usize> {
        self.search(nonce).window(data, len)
    }

    /// The length of the message that `data` starts with, if its tag follows it and is in `data`
    /// too: the first that fits, of 0 bytes or more.
    #[must_use]
    pub fn find_end(&self, nonce: &L::Nonce, data: &[u8]) -> Option<usize> {
        self.search(nonce).end(data)
    }

    /// The place in `data` where a message starts with whose tag `data` ends: the last one that
    /// fits.
    #[must_use]
    pub fn find_start(&self, nonce: &L::Nonce, data: &[u8]) -> Option<usize> {
        self.search(nonce).start(data)
    }

    fn search(&self, nonce: &L::Nonce) -> Search {
        let mut key = [0; 32];
        self.cipher(nonce).apply_keystream(&mut key).expect("block 0 of a new key stream");
        let search = Search::new(&key);
        wipe(&mut key);
        search
    }
}

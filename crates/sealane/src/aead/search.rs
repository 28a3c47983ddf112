//! Finds messages in longer data.

use super::cipher::{AeadLayout, ChaChaPoly1305};
use crate::poly1305::search::Search;
use crate::wipe::wipe;

/// These methods are for damaged files. They find messages without associated data, whose tag
/// follows the ciphertext. A found position may be wrong: it holds a message only if that message
/// can be opened.
///
/// Each position that is tried is a guess at a tag, like a forged message from an attacker. Among n
/// positions of messages of l blocks, a wrong one is found with a probability of at most n l /
/// 2^103.
impl<L: AeadLayout> ChaChaPoly1305<L> {
    /// Returns a position in `data` of a message of `len` bytes, followed by its tag. If there are
    /// several, returns any of them. The message may start at any byte. Each position takes a few
    /// multiplications, whatever the length.
    ///
    /// # Panics
    /// If `len` is 0 or not divisible by 16.
    #[must_use]
    pub fn find(&self, nonce: &L::Nonce, data: &[u8], len: usize) -> Option<usize> {
        self.search(nonce).window(data, len)
    }

    /// Returns the length of the message at the start of `data`, if its tag follows it in `data`.
    /// If several lengths fit, which only the author of the message can arrange, returns the
    /// longest.
    #[must_use]
    pub fn find_end(&self, nonce: &L::Nonce, data: &[u8]) -> Option<usize> {
        self.search(nonce).end(data)
    }

    /// Returns the position in `data` of the message whose tag is at the end of `data`. If several
    /// positions fit, returns the first, which belongs to the longest message.
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

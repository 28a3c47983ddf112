//! Benchmarks of a message of 64 KiB in pieces, with a new nonce or key for each message. The size
//! is that of a piece.

use sealane::{Backend, BackendError, ChaCha20Poly1305, Poly1305};
use sealane_measure::Tag;

use super::messages::{AAD, KEY, nonce, one_time_key};
use super::{Prepared, Size, data};

/// The length of the message.
pub const MESSAGE_BYTES: usize = 64 << 10;

/// The message that all calls process in place.
pub struct Message {
    /// The data, which each call replaces.
    pub data: Vec<u8>,
    /// The tag of the latest ciphertext.
    pub tag: Tag,
    number: u64,
}

impl Message {
    /// Returns the message before the first call.
    #[must_use]
    pub fn new() -> Self {
        Self { data: data(MESSAGE_BYTES), tag: [0; 16], number: 0 }
    }

    /// Returns the number of the next call.
    pub fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number - 1
    }
}

impl Default for Message {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns a benchmark of `call`.
fn prepared(call: impl FnMut(&mut Message) + 'static) -> Prepared {
    let result = |message: &Message| [&message.data[..], &message.tag].concat();
    Prepared::new((1, MESSAGE_BYTES), Message::new(), call, result)
}

/// Prepares sealing with ChaCha20-Poly1305.
pub fn seal(backend: &str, piece: Size) -> Result<Prepared, BackendError> {
    let cipher = ChaCha20Poly1305::with_backend(&KEY, Backend::by_name(backend)?);
    Ok(prepared(move |message| {
        let mut sealer = cipher.sealer(&nonce(message.next_number()), &AAD);
        for piece in message.data.chunks_mut(piece.length()) {
            sealer.seal(piece).expect("a short message");
        }
        message.tag = sealer.finish();
    }))
}

/// Prepares decryption with ChaCha20-Poly1305. The tag is computed, and no message has it.
pub fn decrypt(backend: &str, piece: Size) -> Result<Prepared, BackendError> {
    let cipher = ChaCha20Poly1305::with_backend(&KEY, Backend::by_name(backend)?);
    Ok(prepared(move |message| {
        let mut opener = cipher.opener(&nonce(message.next_number()), &AAD);
        for piece in message.data.chunks_mut(piece.length()) {
            opener.decrypt_unauthenticated(piece).expect("a short message");
        }
        let is_authentic = opener.verify(&message.tag).is_ok();
        message.tag = [is_authentic.into(); 16];
    }))
}

/// Prepares the Poly1305 tag.
pub fn poly1305(backend: &str, piece: Size) -> Result<Prepared, BackendError> {
    let backend = Backend::by_name(backend)?;
    Ok(prepared(move |message| {
        let mut poly1305 = Poly1305::with_backend(&one_time_key(message.next_number()), backend);
        message.data.chunks(piece.length()).for_each(|piece| poly1305.update(piece));
        message.tag = poly1305.finalize();
    }))
}

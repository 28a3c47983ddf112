//! ChaCha20 (RFC 8439), exclusive or in place, a new nonce for each message.

use ::chacha20::cipher::{KeyIvInit, StreamCipher};
use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;

use crate::harness::{Row, Suite};

const KEY: [u8; 32] = [0x42; 32];

pub fn nonce(message: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&message.to_le_bytes());
    nonce
}

pub fn suite() -> Suite {
    let mut rows = crate::sealane_rows(|name, backend| {
        Row::new(name, true, move |message, data| {
            let mut cipher = sealane::chacha20::ChaCha20::with_backend(&KEY, &nonce(message), backend);
            cipher.apply_keystream(data).expect("within the key stream");
            [0; 16]
        })
    });
    rows.push(openssl());
    rows.push(Row::new("RustCrypto chacha20", false, |message, data| {
        ::chacha20::ChaCha20::new(&KEY.into(), &nonce(message).into()).apply_keystream(data);
        [0; 16]
    }));
    Suite { name: "chacha20", rows }
}

/// The context and its key are kept, the nonce is set for each message.
fn openssl() -> Row {
    let mut context = CipherCtx::new().expect("OpenSSL context");
    context.encrypt_init(Some(Cipher::chacha20()), Some(&KEY), Some(&[0; 16])).expect("OpenSSL ChaCha20");
    Row::new("OpenSSL (context kept)", false, move |message, data| {
        // OpenSSL's IV is the whole last row of the state: counter, then nonce.
        let mut iv = [0; 16];
        iv[4..].copy_from_slice(&nonce(message));
        context.encrypt_init(None, None, Some(&iv)).expect("OpenSSL IV");
        let length = data.len();
        context.cipher_update_inplace(data, length).expect("OpenSSL update");
        [0; 16]
    })
}

//! Poly1305 (RFC 8439, section 2.5), a new key for each message.

use poly1305::universal_hash::KeyInit;

use crate::harness::{Row, Suite};
use crate::openssl_mac::Poly1305Context;

fn key(message: u64) -> [u8; 32] {
    let mut key = [0x42; 32];
    key[..8].copy_from_slice(&message.to_le_bytes());
    key
}

pub fn suite() -> Suite {
    let mut rows = crate::sealane_rows(|name, backend| {
        Row::new(name, true, move |message, data| {
            let mut mac = sealane::Poly1305::with_backend(&key(message), backend);
            mac.update(data);
            mac.finalize()
        })
    });
    let mut context = Poly1305Context::new();
    rows.push(Row::new("OpenSSL (context kept)", false, move |message, data| context.mac(&key(message), data)));
    rows.push(Row::new("RustCrypto poly1305", false, |message, data| {
        poly1305::Poly1305::new(&key(message).into()).compute_unpadded(data).into()
    }));
    Suite { name: "poly1305", rows }
}

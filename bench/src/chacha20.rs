//! The peers of ChaCha20 (RFC 8439): in place, with a new nonce for each message. The key stream
//! starts at block 1, as in ChaCha20-Poly1305, because ipsec-mb cannot start at another block.

use sealane_workloads::benchmarks::messages::{KEY, nonce};

use crate::peers::openssl::ChaCha20Context;
use crate::peers::{Peer, aws_lc, libsodium};
use crate::row::{self, Owner, Row};

const BLOCK_BYTES: usize = 64;

/// Returns the rows of all peers.
pub fn peers() -> Vec<Row> {
    let mut rows = row::of_openssl(|owner| {
        let mut cipher = ChaCha20Context::new();
        row(owner, move |nonce, data| cipher.apply(nonce, data))
    });
    rows.push(row(Owner::Peer(Peer::OpenSslFresh), |nonce, data| ChaCha20Context::new().apply(nonce, data)));
    rows.push(row(Owner::Peer(Peer::AwsLc), |nonce, data| aws_lc::chacha20(&KEY, nonce, data)));
    rows.push(row(Owner::Peer(Peer::Libsodium), |nonce, data| libsodium::chacha20(&KEY, nonce, data)));
    rows.push(row(Owner::Peer(Peer::RustCrypto), |nonce, data| {
        use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
        let mut cipher = chacha20::ChaCha20::new(&KEY.into(), &(*nonce).into());
        cipher.seek(BLOCK_BYTES);
        cipher.apply_keystream(data);
    }));
    rows.push(row(Owner::Peer(Peer::RustCryptoSoft), |nonce, data| {
        use chacha20_soft::cipher::{NewCipher, StreamCipher, StreamCipherSeek};
        let mut cipher = chacha20_soft::ChaCha20::new(&KEY.into(), &(*nonce).into());
        cipher.seek(BLOCK_BYTES);
        cipher.apply_keystream(data);
    }));
    #[cfg(feature = "ipsec-mb")]
    rows.push({
        let mut manager = crate::peers::ipsec_mb::IpsecMb::new();
        row(Owner::Peer(Peer::IpsecMb), move |nonce, data| manager.chacha20(&KEY, nonce, data))
    });
    rows
}

fn row(owner: Owner, mut apply: impl FnMut(&[u8; 12], &mut [u8]) + 'static) -> Row {
    Row::new(owner, move |message, data, _| {
        apply(&nonce(message), data);
        true
    })
}

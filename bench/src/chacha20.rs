//! ChaCha20 (RFC 8439) from block 1 on, XORed in place, a new nonce for each message. The message
//! of an AEAD begins at block 1, and ipsec-mb begins at no other block.

use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;
use sealane_measure::Work;

use crate::harness::Suite;
use crate::peers::{self, Peer, aws_lc, libsodium};
use crate::row::{self, Owner, Row};

const KEY: [u8; 32] = [0x42; 32];
const BLOCK_BYTES: usize = 64;

pub fn nonce(message: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&message.to_le_bytes());
    nonce
}

pub fn suite() -> Suite {
    let mut rows = row::of_sealane(|owner, backend| {
        row(owner, move |nonce, data| {
            let mut cipher = sealane::chacha20::ChaCha20::with_backend(&KEY, nonce, backend);
            cipher.seek(BLOCK_BYTES as u128).expect("within the key stream");
            cipher.apply_keystream(data).expect("within the key stream");
        })
    });
    rows.extend(peers::of_openssl(|owner| {
        let mut cipher = OpenSsl::new();
        row(owner, move |nonce, data| cipher.apply(nonce, data))
    }));
    rows.push(row(Owner::Peer(Peer::OpenSslFresh), |nonce, data| OpenSsl::new().apply(nonce, data)));
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
        let mut manager = peers::ipsec_mb::IpsecMb::new();
        row(Owner::Peer(Peer::IpsecMb), move |nonce, data| manager.chacha20(&KEY, nonce, data))
    });
    Suite::new("chacha20", Work::ChaCha20, rows)
}

fn row(owner: Owner, mut apply: impl FnMut(&[u8; 12], &mut [u8]) + 'static) -> Row {
    Row::new(owner, move |message, data, _| {
        apply(&nonce(message), data);
        true
    })
}

/// A context that keeps its key and takes a nonce for each message.
pub struct OpenSsl(CipherCtx);

impl OpenSsl {
    pub fn new() -> Self {
        let mut context = CipherCtx::new().expect("OpenSSL context");
        context.encrypt_init(Some(Cipher::chacha20()), Some(&KEY), Some(&[0; 16])).expect("OpenSSL ChaCha20");
        Self(context)
    }

    pub fn apply(&mut self, nonce: &[u8; 12], data: &mut [u8]) {
        // OpenSSL's IV is the whole last row of the state: counter, then nonce.
        let mut iv = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        iv[4..].copy_from_slice(nonce);
        self.0.encrypt_init(None, None, Some(&iv)).expect("OpenSSL IV");
        let length = data.len();
        self.0.cipher_update_inplace(data, length).expect("OpenSSL update");
    }
}

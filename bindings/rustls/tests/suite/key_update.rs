//! Key updates in TLS 1.3 (RFC 8446, section 4.6.3), started by either side.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use rustls::crypto::CryptoProvider;
use rustls::crypto::cipher::{
    AeadKey, Iv, MessageDecrypter, MessageEncrypter, Tls13AeadAlgorithm, UnsupportedOperationError,
};
use rustls::{
    CipherSuite, CipherSuiteCommon, ConnectionTrafficSecrets, SupportedCipherSuite, Tls13CipherSuite, version,
};

use crate::common::{only, pairs, test_bytes, tls13};
use crate::tls::{connections, send, transfer};

/// The numbers of keys that were created for encryption and for decryption.
#[derive(Default)]
struct Counts {
    encrypters: AtomicUsize,
    decrypters: AtomicUsize,
}

impl Counts {
    fn get(&self) -> [usize; 2] {
        [self.encrypters.load(Relaxed), self.decrypters.load(Relaxed)]
    }
}

/// An algorithm that counts its keys.
struct Counting {
    inner: &'static dyn Tls13AeadAlgorithm,
    counts: Arc<Counts>,
}

impl Tls13AeadAlgorithm for Counting {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        self.counts.encrypters.fetch_add(1, Relaxed);
        self.inner.encrypter(key, iv)
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        self.counts.decrypters.fetch_add(1, Relaxed);
        self.inner.decrypter(key, iv)
    }

    fn key_len(&self) -> usize {
        self.inner.key_len()
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        self.inner.extract_keys(key, iv)
    }
}

/// Returns the provider with only its ChaCha20-Poly1305 suite of TLS 1.3, and the numbers of keys
/// that the suite creates.
fn counting(provider: &CryptoProvider) -> (CryptoProvider, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let inner = tls13(provider);
    let CipherSuiteCommon { suite, hash_provider, confidentiality_limit } = inner.common;
    let aead_alg = Box::leak(Box::new(Counting { inner: inner.aead_alg, counts: counts.clone() }));
    let common = CipherSuiteCommon { suite, hash_provider, confidentiality_limit };
    let suite = Tls13CipherSuite { common, hkdf_provider: inner.hkdf_provider, aead_alg, quic: None };
    let mut provider = only(provider.clone(), &[CipherSuite::TLS13_CHACHA20_POLY1305_SHA256]);
    provider.cipher_suites = vec![SupportedCipherSuite::Tls13(Box::leak(Box::new(suite)))];
    (provider, counts)
}

fn updates(client: &CryptoProvider, server: &CryptoProvider) {
    let (client, client_counts) = counting(client);
    let (server, server_counts) = counting(server);
    let (mut c, mut s) = connections(client, server, &version::TLS13);
    while c.is_handshaking() || s.is_handshaking() {
        let moved = transfer(&mut c, &mut s, &mut Vec::new()) | transfer(&mut s, &mut c, &mut Vec::new());
        assert!(moved, "the handshake stopped");
    }
    let message = test_bytes(3, 100_000);
    for turn in 0..4 {
        let before = [client_counts.get(), server_counts.get()];
        if turn % 2 == 0 {
            c.refresh_traffic_keys().unwrap()
        } else {
            s.refresh_traffic_keys().unwrap()
        }
        // The side that starts the update sends with its new key, and the other side answers with
        // its new key.
        for _ in 0..2 {
            assert!(send(&mut c, &mut s, &message) == message, "client to server");
            assert!(send(&mut s, &mut c, &message) == message, "server to client");
        }
        let after = [client_counts.get(), server_counts.get()];
        assert_eq!(after, before.map(|counts| counts.map(|count| count + 1)), "turn {turn}: one new key each");
    }
}

#[test]
fn both_sides_update_keys() {
    for pair in pairs() {
        updates(&pair.ours, &pair.ours);
        updates(&pair.ours, &pair.wrapped);
        updates(&pair.wrapped, &pair.ours);
    }
}

//! The same checks for rustls 0.24.

use rustls_024::crypto::CipherSuite;
use rustls_024::{Tls12CipherSuite, Tls13CipherSuite};
use rustls_ring::DEFAULT_PROVIDER;
use rustls_sealane::rustls_024::with_sealane;

use crate::allocator::{HEADER_KEY, IV, KEY, Secret};
use crate::{MESSAGE_SECRETS, check};

fn tls13() -> &'static Tls13CipherSuite {
    let suites = with_sealane(DEFAULT_PROVIDER).tls13_cipher_suites;
    let number = CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;
    suites.iter().find(|suite| suite.common.suite == number).expect("the suite")
}

fn tls12() -> &'static Tls12CipherSuite {
    let suites = with_sealane(DEFAULT_PROVIDER).tls12_cipher_suites;
    let number = CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256;
    suites.iter().find(|suite| suite.common.suite == number).expect("the suite")
}

#[test]
fn records() {
    let (tls13, tls12) = (tls13().aead_alg, tls12().aead_alg);
    check("encrypter of TLS 1.3", MESSAGE_SECRETS, || tls13.encrypter(KEY.into(), IV.into()), |_| ());
    check("decrypter of TLS 1.3", MESSAGE_SECRETS, || tls13.decrypter(KEY.into(), IV.into()), |_| ());
    check("encrypter of TLS 1.2", MESSAGE_SECRETS, || tls12.encrypter(KEY.into(), &IV, &[]), |_| ());
    check("decrypter of TLS 1.2", MESSAGE_SECRETS, || tls12.decrypter(KEY.into(), &IV), |_| ());
}

#[test]
fn packets_of_quic() {
    let quic = tls13().quic.expect("the suite works with QUIC");
    check(
        "packets",
        MESSAGE_SECRETS,
        || quic.packet_key(KEY.into(), IV.into()),
        |key| {
            let mut payload = vec![7; 300];
            let tag = key.encrypt_in_place(5, b"header", &mut payload, None).expect("a packet");
            payload.extend_from_slice(tag.as_ref());
            assert_eq!(key.decrypt_in_place(5, b"header", &mut payload, None).expect("an authentic packet"), [7; 300]);
        },
    );
    check(
        "headers",
        &[Secret::HeaderKey],
        || quic.header_protection_key(HEADER_KEY.into()),
        |key| {
            let (mut first, mut number) = (0x43, [1, 2, 3, 4]);
            key.encrypt_in_place(&[1; 16], &mut first, &mut number).expect("a header");
        },
    );
}

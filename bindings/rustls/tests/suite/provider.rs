//! The contents of the providers.

use rustls::crypto::KeyExchangeAlgorithm;
use rustls::{CipherSuite, CipherSuiteCommon, SupportedCipherSuite, Tls12CipherSuite};

use crate::common::{only, pairs, quic, suite, tls12, tls13};

const CHACHA20: [CipherSuite; 3] = [
    CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
];

#[test]
fn the_suites_are_those_of_the_wrapped_provider_with_another_cipher() {
    for pair in pairs() {
        let numbers = |provider: &rustls::crypto::CryptoProvider| {
            provider.cipher_suites.iter().map(|suite| suite.suite()).collect::<Vec<_>>()
        };
        assert_eq!(numbers(&pair.ours), numbers(&pair.wrapped), "{}", pair.name);
        // rustls compares suites by their numbers, so the algorithms are compared here.
        let (ours, wrapped) = (tls13(&pair.ours), tls13(&pair.wrapped));
        assert!(!std::ptr::eq(ours, wrapped), "{}", pair.name);
        let hash = |suite: &rustls::Tls13CipherSuite| suite.common.hash_provider.algorithm();
        assert_eq!(hash(ours), hash(wrapped), "{}", pair.name);
        for number in &CHACHA20[1..] {
            let (ours, wrapped) = (tls12(&pair.ours, *number), tls12(&pair.wrapped, *number));
            assert!(!std::ptr::eq(ours, wrapped), "{}", pair.name);
            assert_eq!(ours.sign, wrapped.sign, "{}", pair.name);
        }
    }
}

#[test]
fn limits_are_those_of_the_standards() {
    for pair in pairs() {
        for number in CHACHA20 {
            let limit = |suite: SupportedCipherSuite| match suite {
                SupportedCipherSuite::Tls13(suite) => suite.common.confidentiality_limit,
                SupportedCipherSuite::Tls12(suite) => suite.common.confidentiality_limit,
            };
            assert_eq!(limit(suite(&pair.ours, number)), limit(suite(&pair.wrapped, number)), "{}", pair.name);
        }
        let [ours, wrapped] = [&pair.ours, &pair.wrapped].map(|provider| {
            let key = quic(provider).packet_key([1; 32].into(), [2; 12].into());
            (key.confidentiality_limit(), key.integrity_limit(), key.tag_len())
        });
        assert_eq!(ours, wrapped, "{}", pair.name);
        assert_eq!(ours, (u64::MAX, 1 << 36, 16), "{}", pair.name);
    }
}

#[test]
fn nothing_claims_fips() {
    for pair in pairs() {
        assert!(!tls13(&pair.ours).fips());
        assert!(!quic(&pair.ours).fips());
        assert!(CHACHA20.iter().all(|number| !suite(&pair.ours, *number).fips()));
        assert!(!only(pair.ours, &CHACHA20).fips());
    }
}

#[test]
fn chacha20_first() {
    for pair in pairs() {
        let wrapped: Vec<_> = pair.wrapped.cipher_suites.iter().map(|suite| suite.suite()).collect();
        let (chacha20, others): (Vec<_>, Vec<_>) = wrapped.iter().partition(|suite| CHACHA20.contains(suite));
        let sorted = rustls_sealane::chacha20_first(pair.ours);
        let numbers: Vec<_> = sorted.cipher_suites.iter().map(|suite| suite.suite()).collect();
        assert_eq!(numbers, [chacha20, others].concat(), "{}", pair.name);
    }
}

/// A program's own provider may have the suite with DHE, which rustls's providers lack.
#[test]
fn chacha20_first_with_dhe() {
    let mut provider = rustls_sealane::ring::default_provider();
    let rsa = tls12(&provider, CHACHA20[2]);
    let dhe = Tls12CipherSuite {
        common: CipherSuiteCommon {
            suite: CipherSuite::TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
            hash_provider: rsa.common.hash_provider,
            confidentiality_limit: rsa.common.confidentiality_limit,
        },
        prf_provider: rsa.prf_provider,
        kx: KeyExchangeAlgorithm::DHE,
        sign: rsa.sign,
        aead_alg: rsa.aead_alg,
    };
    let dhe = SupportedCipherSuite::Tls12(Box::leak(Box::new(dhe)));
    provider.cipher_suites.push(dhe);
    assert_eq!(rustls_sealane::chacha20_first(provider).cipher_suites[3].suite(), dhe.suite());
}

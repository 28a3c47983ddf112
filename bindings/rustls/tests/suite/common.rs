//! What the tests share: the providers, their cipher suites, and test data.

use rustls::crypto::CryptoProvider;
use rustls::quic::Algorithm;
use rustls::{CipherSuite, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};

/// A provider of ours, and the one that it wraps.
pub(crate) struct Pair {
    pub(crate) name: &'static str,
    pub(crate) ours: CryptoProvider,
    pub(crate) wrapped: CryptoProvider,
}

pub(crate) fn pairs() -> Vec<Pair> {
    vec![
        Pair {
            name: "ring",
            ours: rustls_sealane::ring::default_provider(),
            wrapped: rustls::crypto::ring::default_provider(),
        },
        #[cfg(feature = "aws-lc-rs")]
        Pair {
            name: "aws-lc-rs",
            ours: rustls_sealane::aws_lc_rs::default_provider(),
            wrapped: rustls::crypto::aws_lc_rs::default_provider(),
        },
    ]
}

/// Returns a provider's suite with this number.
pub(crate) fn suite(provider: &CryptoProvider, number: CipherSuite) -> SupportedCipherSuite {
    *provider.cipher_suites.iter().find(|suite| suite.suite() == number).expect("the provider has the suite")
}

/// Returns a provider's ChaCha20-Poly1305 suite of TLS 1.3.
pub(crate) fn tls13(provider: &CryptoProvider) -> &'static Tls13CipherSuite {
    suite(provider, CipherSuite::TLS13_CHACHA20_POLY1305_SHA256).tls13().expect("a suite of TLS 1.3")
}

/// Returns a provider's suite of TLS 1.2 with this number.
pub(crate) fn tls12(provider: &CryptoProvider, number: CipherSuite) -> &'static Tls12CipherSuite {
    match suite(provider, number) {
        SupportedCipherSuite::Tls12(suite) => suite,
        SupportedCipherSuite::Tls13(_) => panic!("the suite is of TLS 1.3"),
    }
}

/// Returns a provider's ChaCha20-Poly1305 for QUIC.
pub(crate) fn quic(provider: &CryptoProvider) -> &'static dyn Algorithm {
    tls13(provider).quic.expect("the suite works with QUIC")
}

/// Returns the provider with these suites only.
pub(crate) fn only(mut provider: CryptoProvider, numbers: &[CipherSuite]) -> CryptoProvider {
    provider.cipher_suites.retain(|suite| numbers.contains(&suite.suite()));
    assert_eq!(provider.cipher_suites.len(), numbers.len());
    provider
}

/// Returns pseudorandom bytes, which depend on the seed.
pub(crate) fn test_bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Returns a key or an IV.
pub(crate) fn array<const N: usize>(seed: u64) -> [u8; N] {
    test_bytes(seed, N).try_into().expect("N bytes")
}

/// Returns the lengths at which results are compared: all up to 2 KiB, and a whole record.
pub(crate) fn lengths() -> impl Iterator<Item = usize> {
    (0..=2048).chain([16_384])
}

//! The providers for rustls 0.23, and their suites.

mod algorithms;
mod generation;
mod packets;
#[cfg(feature = "tls12")]
mod tls12;
#[cfg(feature = "tls12")]
mod tls12_algorithm;
mod tls13;

#[cfg(feature = "tls12")]
use rustls::Tls12CipherSuite;
use rustls::crypto::CryptoProvider;
use rustls::{CipherSuiteCommon, Error, SupportedCipherSuite, Tls13CipherSuite};
use sealane::OpenError;

/// Defines the module of a provider.
macro_rules! provider {
    ($(#[$doc:meta])* $module:ident) => {
        $(#[$doc])*
        pub mod $module {
            use rustls::crypto::$module as wrapped;
            #[cfg(feature = "tls12")]
            use rustls::Tls12CipherSuite;
            use rustls::crypto::CryptoProvider;
            use rustls::{SupportedCipherSuite, Tls13CipherSuite};

            /// Returns rustls's default provider, with the suites of [`cipher_suite`] in place of
            /// those that have the same numbers. The order of preference is rustls's.
            #[must_use]
            pub fn default_provider() -> CryptoProvider {
                super::replace(wrapped::default_provider(), &[
                    cipher_suite::TLS13_CHACHA20_POLY1305_SHA256,
                    #[cfg(feature = "tls12")]
                    cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
                    #[cfg(feature = "tls12")]
                    cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
                ])
            }

            static TLS13: Tls13CipherSuite =
                super::tls13_suite(&wrapped::cipher_suite::TLS13_CHACHA20_POLY1305_SHA256);
            #[cfg(feature = "tls12")]
            static TLS12_ECDSA: Tls12CipherSuite =
                super::tls12_suite(&wrapped::cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256);
            #[cfg(feature = "tls12")]
            static TLS12_RSA: Tls12CipherSuite =
                super::tls12_suite(&wrapped::cipher_suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256);

            /// The suites with Sealane's cipher.
            pub mod cipher_suite {
                use super::SupportedCipherSuite;

                /// TLS_CHACHA20_POLY1305_SHA256 of TLS 1.3 (RFC 8446) and QUIC (RFC 9001).
                pub static TLS13_CHACHA20_POLY1305_SHA256: SupportedCipherSuite =
                    SupportedCipherSuite::Tls13(&super::TLS13);
                /// TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 of TLS 1.2 (RFC 7905).
                #[cfg(feature = "tls12")]
                pub static TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: SupportedCipherSuite =
                    SupportedCipherSuite::Tls12(&super::TLS12_ECDSA);
                /// TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 of TLS 1.2 (RFC 7905).
                #[cfg(feature = "tls12")]
                pub static TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: SupportedCipherSuite =
                    SupportedCipherSuite::Tls12(&super::TLS12_RSA);
            }
        }
    };
}

#[cfg(feature = "ring")]
provider! {
    /// Wraps `rustls::crypto::ring`.
    ring
}
#[cfg(feature = "aws-lc-rs")]
provider! {
    /// Wraps `rustls::crypto::aws_lc_rs`.
    aws_lc_rs
}

/// Returns the provider with its ChaCha20-Poly1305 suites before all others.
///
/// A client states this order as its preference. A rustls server follows the client's order, unless
/// [`ignore_client_order`](rustls::ServerConfig::ignore_client_order) is set. In that case, the
/// server's order decides.
#[must_use]
pub fn chacha20_first(mut provider: CryptoProvider) -> CryptoProvider {
    // The sort is stable, so the order is otherwise unchanged.
    provider.cipher_suites.sort_by_key(|suite| !algorithms::is_chacha20(suite.suite()));
    provider
}

/// Replaces each suite that has the number of one of `suites`.
fn replace(mut provider: CryptoProvider, suites: &[SupportedCipherSuite]) -> CryptoProvider {
    for suite in &mut provider.cipher_suites {
        if let Some(ours) = suites.iter().find(|ours| ours.suite() == suite.suite()) {
            *suite = *ours;
        }
    }
    provider
}

/// Returns the TLS 1.3 suite with Sealane's cipher.
#[allow(irrefutable_let_patterns, reason = "without `tls12` in rustls, every suite is of TLS 1.3")]
const fn tls13_suite(wrapped: &SupportedCipherSuite) -> Tls13CipherSuite {
    let SupportedCipherSuite::Tls13(wrapped) = wrapped else { panic!("a suite of TLS 1.3") };
    Tls13CipherSuite {
        common: common(&wrapped.common),
        hkdf_provider: wrapped.hkdf_provider,
        aead_alg: &algorithms::Tls13,
        quic: Some(&algorithms::Quic),
    }
}

/// Returns the TLS 1.2 suite with Sealane's cipher.
#[cfg(feature = "tls12")]
const fn tls12_suite(wrapped: &SupportedCipherSuite) -> Tls12CipherSuite {
    let SupportedCipherSuite::Tls12(wrapped) = wrapped else { panic!("a suite of TLS 1.2") };
    Tls12CipherSuite {
        common: common(&wrapped.common),
        prf_provider: wrapped.prf_provider,
        kx: wrapped.kx,
        sign: wrapped.sign,
        aead_alg: &tls12_algorithm::Tls12,
    }
}

const fn common(wrapped: &CipherSuiteCommon) -> CipherSuiteCommon {
    CipherSuiteCommon {
        suite: wrapped.suite,
        hash_provider: wrapped.hash_provider,
        confidentiality_limit: wrapped.confidentiality_limit,
    }
}

/// Returns rustls's error for a message that is not authentic.
fn decrypt_error(_: OpenError) -> Error {
    Error::DecryptError
}

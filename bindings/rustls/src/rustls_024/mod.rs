//! The suites for rustls 0.24, which is a pre-release: its interface may change.
//!
//! ```
//! use std::sync::Arc;
//!
//! let provider = rustls_sealane::rustls_024::with_sealane(rustls_ring::DEFAULT_PROVIDER);
//! let config = rustls_024::ClientConfig::builder(Arc::new(provider));
//! # drop(config);
//! ```

#[path = "../rustls_023/algorithms.rs"]
#[allow(clippy::duplicate_mod, reason = "each version compiles it with the names of its `generation`")]
mod algorithms;
mod generation;
mod packets;
mod tls12;
#[path = "../rustls_023/tls12_algorithm.rs"]
#[allow(clippy::duplicate_mod, reason = "as above")]
mod tls12_algorithm;
mod tls13;

use std::sync::{Mutex, PoisonError};

use rustls_024::crypto::CryptoProvider;
use rustls_024::error::Error;
use rustls_024::quic::Algorithm;
use rustls_024::{CipherSuiteCommon, Tls12CipherSuite, Tls13CipherSuite};
use sealane::OpenError;

use algorithms::is_chacha20;

/// Returns the provider with Sealane's cipher in its ChaCha20-Poly1305 suites. The order of
/// preference is unchanged, and a suite works with QUIC only if the provider's does.
#[must_use]
pub fn with_sealane(mut provider: CryptoProvider) -> CryptoProvider {
    for suite in provider.tls13_cipher_suites.to_mut() {
        if is_chacha20(suite.common.suite) {
            *suite = TLS13.replacement(suite, tls13_suite);
        }
    }
    for suite in provider.tls12_cipher_suites.to_mut() {
        if is_chacha20(suite.common.suite) {
            *suite = TLS12.replacement(suite, tls12_suite);
        }
    }
    provider
}

/// Returns the provider with its ChaCha20-Poly1305 suites before all others.
#[must_use]
pub fn chacha20_first(mut provider: CryptoProvider) -> CryptoProvider {
    // The sort is stable, so the order is otherwise unchanged.
    provider.tls13_cipher_suites.to_mut().sort_by_key(|suite| !is_chacha20(suite.common.suite));
    provider.tls12_cipher_suites.to_mut().sort_by_key(|suite| !is_chacha20(suite.common.suite));
    provider
}

static TLS13: Replacements<Tls13CipherSuite> = Replacements(Mutex::new(Vec::new()));
static TLS12: Replacements<Tls12CipherSuite> = Replacements(Mutex::new(Vec::new()));

/// The suites of other providers, each with its replacement. rustls requires `'static` suites, so
/// each replacement is created once and never freed.
struct Replacements<T: 'static>(Mutex<Vec<(&'static T, &'static T)>>);

impl<T: 'static> Replacements<T> {
    fn replacement(&self, wrapped: &'static T, make: fn(&T) -> T) -> &'static T {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ours)) =
            made.iter().find(|(theirs, ours)| [theirs, ours].iter().any(|it| std::ptr::eq(**it, wrapped)))
        {
            return ours;
        }
        let ours = Box::leak(Box::new(make(wrapped)));
        made.push((wrapped, ours));
        ours
    }
}

fn tls13_suite(wrapped: &Tls13CipherSuite) -> Tls13CipherSuite {
    Tls13CipherSuite {
        common: common(&wrapped.common),
        protocol_version: wrapped.protocol_version,
        hkdf_provider: wrapped.hkdf_provider,
        aead_alg: &algorithms::Tls13,
        quic: wrapped.quic.map(|_| &algorithms::Quic as &dyn Algorithm),
    }
}

fn tls12_suite(wrapped: &Tls12CipherSuite) -> Tls12CipherSuite {
    Tls12CipherSuite {
        common: common(&wrapped.common),
        protocol_version: wrapped.protocol_version,
        prf_provider: wrapped.prf_provider,
        kx: wrapped.kx,
        sign: wrapped.sign,
        aead_alg: &tls12_algorithm::Tls12,
    }
}

fn common(wrapped: &CipherSuiteCommon) -> CipherSuiteCommon {
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

//! Sealane's ChaCha20-Poly1305 for rustls: TLS 1.3, TLS 1.2 and QUIC.
//!
//! A provider of this crate is rustls's own provider, of ring or of AWS-LC, with other
//! ChaCha20-Poly1305 suites. Everything else, such as hashes, key exchange, signatures and AES-GCM,
//! stays with the provider that is wrapped.
//!
//! | feature | module | the provider that is wrapped |
//! |---|---|---|
//! | `ring` (default) | [`ring`] | `rustls::crypto::ring` |
//! | `aws-lc-rs` | `aws_lc_rs` | `rustls::crypto::aws_lc_rs` |
//!
//! rustls prefers AES-256-GCM. Use [`chacha20_first`] to prefer ChaCha20-Poly1305.
//!
//! ```
//! use std::sync::Arc;
//!
//! # #[cfg(feature = "ring")] {
//! let provider = rustls_sealane::chacha20_first(rustls_sealane::ring::default_provider());
//! let config = rustls::ClientConfig::builder_with_provider(Arc::new(provider))
//!     .with_safe_default_protocol_versions()?
//!     .with_root_certificates(rustls::RootCertStore::empty())
//!     .with_no_client_auth();
//! # drop(config);
//! # }
//! # Ok::<(), rustls::Error>(())
//! ```
//!
//! No suite of this crate is validated by FIPS: `fips()` returns `false`. Keys are wiped when they
//! are dropped, except those that a program takes out with
//! `dangerous_extract_secrets`.
#![forbid(unsafe_code)]

#[cfg(not(any(feature = "ring", feature = "aws-lc-rs")))]
compile_error!("one of the features `ring` and `aws-lc-rs` must be enabled");

mod aead;
mod provider;
mod quic;
mod tls12;
mod tls13;

#[cfg(feature = "aws-lc-rs")]
pub use provider::aws_lc_rs;
pub use provider::chacha20_first;
#[cfg(feature = "ring")]
pub use provider::ring;

/// Runs the program of the guide with the documentation's.
#[cfg(all(doctest, feature = "ring"))]
#[doc = include_str!("../../../docs/rustls.md")]
struct Guide;

//! Sealane's ChaCha20-Poly1305 for rustls: TLS 1.3, TLS 1.2 and QUIC.
//!
//! Each provider of this crate is one of rustls's own providers, for ring or AWS-LC, with Sealane's
//! ChaCha20-Poly1305 suites. Everything else, such as hashes, key exchange, signatures and AES-GCM,
//! comes from the wrapped provider.
//!
//! | feature | module | the provider that is wrapped |
//! |---|---|---|
//! | `ring` (default) | [`ring`] | `rustls::crypto::ring` |
//! | `aws-lc-rs` | `aws_lc_rs` | `rustls::crypto::aws_lc_rs` |
//! | `rustls-024` | `rustls_024` | any provider for rustls 0.24, which is a pre-release |
//!
//! Choose the provider that your program already has, which `cargo tree -e features -i rustls`
//! shows. If rustls has both ring and AWS-LC, `rustls::ClientConfig::builder()` and
//! `rustls::ServerConfig::builder()` panic unless `install_default()` was called on a provider.
//!
//! The feature `tls12` (default) enables TLS 1.2 in rustls 0.23, for the whole program, and
//! Sealane's suites for it. Without it, a program has TLS 1.3 alone, unless another crate enables
//! `tls12` in rustls.
//!
//! The features `simd`, `avx2` and `avx512` (default) add vectors of up to 128, 256 and 512 bits on
//! x86; any of them adds those of other CPUs. Without them, there is portable code alone.
//!
//! The module [`quic`] is for QUIC stacks that send many packets at once.
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
//! No suite of this crate is FIPS-validated: `fips()` returns `false` (`FipsStatus::Unvalidated`
//! with rustls 0.24). Keys are wiped when they are dropped, except those that a program extracts
//! with `dangerous_extract_secrets`.
#![forbid(unsafe_code)]
// Marks items that need a feature, on docs.rs.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(not(any(feature = "ring", feature = "aws-lc-rs", feature = "rustls-024")))]
compile_error!("one of the features `ring`, `aws-lc-rs` and `rustls-024` must be enabled");

mod aead;
pub mod quic;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
mod rustls_023;
#[cfg(feature = "rustls-024")]
pub mod rustls_024;

#[cfg(feature = "aws-lc-rs")]
pub use rustls_023::aws_lc_rs;
#[cfg(any(feature = "ring", feature = "aws-lc-rs"))]
pub use rustls_023::chacha20_first;
#[cfg(feature = "ring")]
pub use rustls_023::ring;

/// Includes the guide's programs in the doc tests.
#[cfg(all(doctest, feature = "ring", feature = "rustls-024"))]
#[doc = include_str!("../../../docs/rustls.md")]
struct Guide;

/// Includes the README's program in the doc tests.
#[cfg(all(doctest, feature = "ring"))]
#[doc = include_str!("../README.md")]
struct Readme;

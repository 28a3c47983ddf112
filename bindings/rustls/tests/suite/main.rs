//! Compares the suites with RFC 9001 and with those of rustls's own providers, and runs TLS and
//! QUIC with them.
#![forbid(unsafe_code)]

mod batch;
mod common;
mod key_update;
mod openssl;
mod packets;
mod provider;
mod quinn;
mod records;
mod rfc9001;
#[cfg(feature = "rustls-024")]
mod rustls_024;
mod tls;
mod tls13_vectors;

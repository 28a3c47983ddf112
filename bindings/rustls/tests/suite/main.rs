//! Compares the suites with RFC 9001 and with those of rustls's own providers, and runs TLS and
//! QUIC with them.
#![forbid(unsafe_code)]

mod common;
mod packets;
mod provider;
mod quinn;
mod records;
mod rfc9001;
mod tls;

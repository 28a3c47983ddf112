//! Sealane's ChaCha20-Poly1305, XChaCha20-Poly1305, ChaCha20 and Poly1305 as a provider for OpenSSL
//! 3: `sealane.so`.
//!
//! OpenSSL passes its functions to `OSSL_provider_init` and gets tables of functions back, so
//! OpenSSL is not linked, and one file serves all versions from 3.0 on. `abi` has OpenSSL's types
//! and numbers. `aead` (with `direction`, `nonce`, `record`, `short_aad` and `pieces`), `stream`
//! and `mac` hold the algorithms, in safe code. `provider` holds the configuration.
//! `cipher_functions`, `mac_functions` and `entry` have the functions that OpenSSL calls. Through
//! `boundary` and `param` they read its pointers and catch panics. `core` calls OpenSSL, `reason`
//! has the errors, and `usage` counts.
//!
//! `docs/openssl.md` says how to use the provider, and where it differs from OpenSSL's own.
#![allow(non_camel_case_types, reason = "the names of OpenSSL")]

// The name in `buffers`, which other bindings compile too.
extern crate sealane as primitives;

mod abi;
mod aead;
mod boundary;
#[path = "../../buffers.rs"]
mod buffers;
mod cipher;
mod cipher_functions;
mod core;
mod direction;
mod entry;
mod mac;
mod mac_functions;
mod nonce;
mod param;
mod pieces;
mod provider;
mod reason;
mod record;
mod short_aad;
mod stream;
mod usage;
#[path = "../../wiped.rs"]
mod wiped;

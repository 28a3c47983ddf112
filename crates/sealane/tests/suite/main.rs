//! Compares the primitives with the references of `sealane-spec`, with published vectors, and with
//! each other, on every backend.
//!
//! `SEALANE_BACKEND=avx2 cargo test -p sealane` runs every test on that backend only, and fails if
//! this CPU cannot run it.

#![forbid(unsafe_code)]

mod aead_forgery;
mod aead_forgery_switches;
#[cfg(all(feature = "alloc", feature = "getrandom"))]
mod aead_generic;
mod aead_lengths;
mod aead_openssh;
mod aead_pieces;
mod aead_search;
mod aead_slices;
mod aead_switches;
mod backend;
mod batch;
mod batch_header_protection;
mod chacha20_counter;
mod chacha20_lengths;
mod chacha20_position;
mod committing;
mod common;
mod exercised;
mod fields;
mod gf2n;
mod gf2n_serde;
mod gf8;
mod gf8_matrix;
// Other systems have no pages to protect, or no interface to protect them.
#[cfg(unix)]
mod guard_pages;
mod haraka;
mod haraka_sponge;
mod poly1305;
mod poly1305_carries;
#[cfg(all(feature = "alloc", feature = "getrandom"))]
mod random_nonce;
#[cfg(feature = "rustcrypto")]
mod redaction;
#[cfg(feature = "rustcrypto")]
mod rng;
#[cfg(feature = "rustcrypto")]
mod rustcrypto;
#[cfg(feature = "rustcrypto")]
mod rustcrypto_rounds;
mod self_test;
mod shamir_bytes;
mod shamir_bytes_check;
mod shamir_bytes_random;
#[cfg(feature = "alloc")]
mod shamir_element;
mod vectors;
mod wiped;
mod wycheproof;

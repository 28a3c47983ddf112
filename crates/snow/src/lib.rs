//! Sealane's ChaCha20-Poly1305 for `snow`, an implementation of the Noise protocol framework.
//!
//! [`SealaneResolver`] gives `snow` the cipher `ChaChaPoly` (Noise specification, revision 34,
//! section 12.3). `resolver` and `builder` (feature `fallback`, on by default) add `snow`'s own
//! implementations of everything else.
#![cfg_attr(
    feature = "fallback",
    doc = "
```
let params: snow::params::NoiseParams = \"Noise_NN_25519_ChaChaPoly_SHA256\".parse()?;
let mut initiator = sealane_snow::builder(params.clone()).build_initiator()?;
let mut responder = sealane_snow::builder(params).build_responder()?;

let (mut message, mut payload) = ([0; 1024], [0; 1024]);
let length = initiator.write_message(b\"\", &mut message)?; // -> e
responder.read_message(&message[..length], &mut payload)?;
let length = responder.write_message(b\"\", &mut message)?; // <- e, ee
initiator.read_message(&message[..length], &mut payload)?;

let mut initiator = initiator.into_transport_mode()?;
let mut responder = responder.into_transport_mode()?;
let length = initiator.write_message(b\"attack at dawn\", &mut message)?;
let length = responder.read_message(&message[..length], &mut payload)?;
assert_eq!(&payload[..length], b\"attack at dawn\");
# Ok::<(), snow::Error>(())
```
"
)]
//!
//! `snow`'s feature `std` adds the crate `ring`, which has code in C and assembly. Nothing here
//! needs `ring`, so this crate leaves the feature off. If your program also depends on `snow`, set
//! `default-features = false` to leave it off there, too.
//!
//! The features `simd`, `avx2` and `avx512` (default) add vectors of up to 128, 256 and 512 bits on
//! x86; any of them adds those of other CPUs. Without them, there is portable code alone.
//!
//! Keys are wiped when they are dropped or replaced. `snow` keeps copies of handshake secrets that
//! it does not wipe.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod cipher;
mod resolver;

pub use resolver::SealaneResolver;
#[cfg(feature = "fallback")]
pub use resolver::{builder, resolver};
pub use sealane::Backend;
// The version whose types are in this crate's interface.
pub use snow;

/// Runs the README's example as a doc test.
#[cfg(all(doctest, feature = "fallback"))]
#[doc = include_str!("../README.md")]
struct Readme;

//! Shamir's secret sharing: a secret becomes n shares, of which any k give it back and fewer say nothing about it.
//!
//! The secret is the value at 0 of a polynomial of degree below k, the *threshold*, whose other coefficients are uniformly random;
//! a share is its value at an *evaluation point* other than 0 (Shamir, "How to share a secret", 1979).
//!
//! - [`bytes`]: secrets of any length, byte by byte over GF(2^8).
//! - `element`: a secret that is one element of a field GF(2^n). Needs the feature `alloc`.

mod arithmetic;
pub mod bytes;
#[cfg(feature = "alloc")]
pub mod dynamic;
#[cfg(feature = "alloc")]
pub mod element;
mod error;
mod reed_solomon;

pub use bytes::Backend;
pub use error::Error;

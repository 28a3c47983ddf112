//! Shamir's secret sharing: any k of n shares restore the secret, and fewer reveal nothing about
//! it.
//!
//! The secret is the value at 0 of a polynomial. The degree of the polynomial is below k, the
//! *threshold*, and the other coefficients are uniformly random. A share is the value of the
//! polynomial at an *evaluation point* other than 0 (Shamir, "How to share a secret", 1979).
//!
//! A threshold of 1 is allowed: then each share is the secret itself.
//!
//! - [`bytes`]: secrets of any length, byte by byte over GF(2^8).
//! - `element`: a secret that is one element of a field GF(2^n). Needs the feature `alloc`.
//! - `dynamic`: the same for fields whose degree is chosen at run time. Needs the feature `alloc`.

mod arithmetic;
pub mod bytes;
#[cfg(feature = "alloc")]
pub mod dynamic;
#[cfg(feature = "alloc")]
pub mod element;
mod error;
mod reed_solomon;

pub use bytes::Gf8Backend;
pub use error::Error;

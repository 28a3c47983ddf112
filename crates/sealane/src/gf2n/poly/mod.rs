//! Polynomials over GF(2) in registers: products by Karatsuba's method, and reduction.
//!
//! A polynomial is a structure of 128-bit blocks, nested in halves or thirds. The polynomials in
//! `limbs.rs` have one or three limbs of 64 bits instead. The algorithm has the same recursion as
//! the structure. All of it is straight-line code, and small polynomials never leave the registers.
//! Each lane of a vector holds a separate element.
//!
//! Schoolbook multiplication was not faster at any size (docs/performance/fields.md).

#![allow(missing_debug_implementations, reason = "the coefficients are secret, and nothing prints them")]

mod blocks;
mod limbs;
mod reduction;

pub(super) use blocks::{Block, Double, Triple};
pub(super) use limbs::{Small, Trio};
pub(super) use reduction::Exponents;
pub(super) use reduction::Poly;

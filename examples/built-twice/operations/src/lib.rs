//! The library that is built twice: the arguments of calls, kernels that are generic over a token,
//! and functions for the instruction set that this crate is compiled for.

mod compiled;
mod kernels;

pub use compiled::*;
pub use kernels::*;

/// An element of GF(2^128): bit i of limb j is the coefficient of x^(64 j + i).
pub type Element = [u64; 2];

/// Number of shares that a split creates.
pub const SHARES: usize = 5;
/// Number of shares that reconstruct the secret.
pub const THRESHOLD: usize = 3;
/// Number of elements in a secret of 1 KiB.
pub const MANY: usize = 64;

/// Two polynomials over GF(2) of degree below 64, and their product.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Product {
    /// The product, the low half first. It is the first field: a kernel may load a factor together
    /// with the 8 bytes after it, and these must not be bytes that were just stored.
    pub product: [u64; 2],
    /// One factor.
    pub a: u64,
    /// The other factor.
    pub b: u64,
}

/// An input and its Haraka-256, with 5 rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Hash {
    /// The input.
    pub input: [u8; 32],
    /// The hash.
    pub output: [u8; 32],
}

/// Data that is combined with a block of the key stream of ChaCha20.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Stream {
    /// The data. It is the first field for the same reason as [`Product::product`]: a kernel may
    /// load the last row of the state together with the 48 bytes after it.
    pub data: [u8; 64],
    /// The input of the block function (RFC 8439, section 2.3), whose counter is ignored.
    pub state: [u32; 16],
    /// The number of the block.
    pub counter: u32,
}

/// A message that is sealed, in place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Packet {
    /// The message. It is the first field for the same reason as in [`Stream`].
    pub message: [u8; 64],
    /// Its tag.
    pub tag: [u8; 16],
    /// Key and nonce: the input of the block function, whose counter is ignored.
    pub state: [u32; 16],
    /// Associated data.
    pub aad: [u8; 13],
}

/// A secret of `N` elements that is split.
#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Split<const N: usize> {
    /// A polynomial for each element of the secret, which is its first coefficient. The other
    /// coefficients are random, and drawing them is not part of this library's work.
    pub polynomials: [[Element; THRESHOLD]; N],
    /// The points at which the polynomials are evaluated.
    pub points: [Element; SHARES],
    /// One element of each share for each element of the secret.
    pub shares: [[Element; SHARES]; N],
}

/// A secret of `N` elements that is reconstructed.
#[derive(Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Combine<const N: usize> {
    /// The shares' points.
    pub points: [Element; THRESHOLD],
    /// One element of each share for each element of the secret.
    pub shares: [[Element; THRESHOLD]; N],
    /// The secret.
    pub secret: [Element; N],
}

//! Arithmetic in the fields GF(2^n).
//!
//! - [`Gf2n`]: an element of one of thirteen fields of 8 to 2048 bits, with the operators of
//!   arithmetic.
//! - [`ClmulBackend`]: operations on many elements, or on a chosen instruction set.
//! - [`with_field!`](crate::with_field): runs a loop of operations, and chooses the instruction set
//!   once for all of them.
//! - `DynamicField`: a field whose degree is chosen at run time. Needs the feature `alloc`.
//!
//! Every operation takes the same time for all elements, unless its documentation says otherwise.
//! With the feature `serde`, elements implement serde's traits.
//!
//! | bits | modulus |
//! | --- | --- |
//! | 8 | x^8 + x^4 + x^3 + x + 1 |
//! | 16 | x^16 + x^5 + x^3 + x + 1 |
//! | 32 | x^32 + x^7 + x^3 + x^2 + 1 |
//! | 64 | x^64 + x^4 + x^3 + x + 1 |
//! | 128 | x^128 + x^7 + x^2 + x + 1 |
//! | 192 | x^192 + x^7 + x^2 + x + 1 |
//! | 256 | x^256 + x^10 + x^5 + x^2 + 1 |
//! | 384 | x^384 + x^12 + x^3 + x^2 + 1 |
//! | 512 | x^512 + x^8 + x^5 + x^2 + 1 |
//! | 768 | x^768 + x^19 + x^17 + x^4 + 1 |
//! | 1024 | x^1024 + x^19 + x^6 + x + 1 |
//! | 1536 | x^1536 + x^21 + x^6 + x^2 + 1 |
//! | 2048 | x^2048 + x^19 + x^14 + x^13 + 1 |
//!
//! ```
//! use sealane::gf2n::{ClmulBackend, ClmulFamily, Degree, Element, Field};
//! use sealane::gf2n::{Gf8, Gf16, Gf32, Gf64, Gf128, Gf192, Gf256, Gf384, Gf512, Gf768, Gf1024, Gf1536, Gf2048};
//!
//! // In the field of AES: FIPS 197, section 4.2.
//! assert!(Gf8::from_bytes(&[0x57]) * Gf8::from_bytes(&[0x83]) == Gf8::from_bytes(&[0xc1]));
//!
//! /// Computes x^3 + x in any field.
//! fn value<F: Field>(x: Element<F>) -> Element<F> {
//!     x * x * x + x
//! }
//! assert!(value::<Degree<256>>(Gf256::ONE) == Gf256::ZERO);
//!
//! let lengths = [Gf8::BYTES, Gf16::BYTES, Gf32::BYTES, Gf64::BYTES, Gf128::BYTES, Gf192::BYTES, Gf256::BYTES];
//! assert_eq!(lengths, [1, 2, 4, 8, 16, 24, 32]);
//! let lengths = [Gf384::BYTES, Gf512::BYTES, Gf768::BYTES, Gf1024::BYTES, Gf1536::BYTES, Gf2048::BYTES];
//! assert_eq!(lengths, [48, 64, 96, 128, 192, 256]);
//!
//! // `ClmulBackend` is the backend of the family `ClmulFamily`.
//! let backend: sealane::BackendOf<ClmulFamily> = ClmulBackend::detect();
//! assert!(backend.multiply(&Gf64::ONE, &Gf64::ONE) == Gf64::ONE);
//! ```

mod backend;
pub(crate) mod division_steps;
#[cfg(feature = "alloc")]
mod dynamic;
mod element;
mod field;
mod held;
pub(crate) mod kernel;
mod poly;
mod product;
#[cfg(feature = "serde")]
mod serde;
pub(crate) mod slices;

pub use crate::backend::{ClmulBackend, ClmulFamily};
#[cfg(feature = "alloc")]
pub use dynamic::{DynamicElement, DynamicField};
pub use element::{Element, Gf2n};
pub use field::{Degree, Field};
pub use held::HeldField;
pub use sealane_simd::Clmul;
#[doc(hidden)]
pub use sealane_simd::dispatch_clmul as __dispatch_clmul;

/// Returns the level that selects a backend's token, for `with_field!`.
#[doc(hidden)]
#[must_use]
#[inline]
pub fn __level(backend: ClmulBackend) -> sealane_simd::ClmulLevel {
    backend.level()
}

/// An element of GF(2^8), with the polynomial of AES.
pub type Gf8 = Gf2n<8>;
/// An element of GF(2^16).
pub type Gf16 = Gf2n<16>;
/// An element of GF(2^32).
pub type Gf32 = Gf2n<32>;
/// An element of GF(2^64).
pub type Gf64 = Gf2n<64>;
/// An element of GF(2^128), with the polynomial of GCM.
pub type Gf128 = Gf2n<128>;
/// An element of GF(2^192).
pub type Gf192 = Gf2n<192>;
/// An element of GF(2^256).
pub type Gf256 = Gf2n<256>;
/// An element of GF(2^384).
pub type Gf384 = Gf2n<384>;
/// An element of GF(2^512).
pub type Gf512 = Gf2n<512>;
/// An element of GF(2^768).
pub type Gf768 = Gf2n<768>;
/// An element of GF(2^1024).
pub type Gf1024 = Gf2n<1024>;
/// An element of GF(2^1536).
pub type Gf1536 = Gf2n<1536>;
/// An element of GF(2^2048).
pub type Gf2048 = Gf2n<2048>;

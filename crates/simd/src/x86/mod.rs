//! Backends of x86 and x86-64.
//!
//! ```
//! use sealane_simd::x86::{AesNi, Avx2, Avx512, Avx512Ifma, Avx512Vl, Features, Gfni, Gfni512};
//! use sealane_simd::x86::{Pclmulqdq, ProvesAvx2, ProvesAvx512, Ssse3, Vaes, Vaes512};
//! use sealane_simd::x86::{Vpclmulqdq, Vpclmulqdq512};
//! use sealane_simd::{AesBlocks, ClmulLanes, Gf8Bytes, U64Lanes, Words};
//!
//! // A token exists if the CPU has its features.
//! let features = Features::detect();
//! assert_eq!(Ssse3::detect().is_some(), features.contains(Features::SSSE3));
//! let ciphers = [AesNi::detect().is_some(), Vaes::detect().is_some(), Vaes512::detect().is_some()];
//! let products = [Pclmulqdq::detect().is_some(), Vpclmulqdq::detect().is_some(), Vpclmulqdq512::detect().is_some()];
//! let bytes = [Avx2::detect().is_some(), Gfni::detect().is_some(), Gfni512::detect().is_some()];
//! println!("{ciphers:?} {products:?} {bytes:?}");
//!
//! /// Converts a token to one with fewer features.
//! fn narrower(token: impl ProvesAvx512) -> Avx512 {
//!     token.avx512()
//! }
//! fn narrowest(token: impl ProvesAvx2) -> Avx2 {
//!     token.avx2()
//! }
//! if let Some(token) = Avx512Ifma::detect() {
//!     narrower(token);
//! }
//! if let Some(token) = Avx512Vl::detect() {
//!     narrowest(token);
//! }
//!
//! // The vectors of each token.
//! use sealane_simd::x86::{Avx2U64Lanes, Avx2Words, Avx512U64Lanes, Avx512Words, Ssse3U64Lanes, Ssse3Words};
//! assert_eq!([Ssse3Words::LANES, Avx2Words::<Avx2>::LANES], [4, 8]);
//! assert_eq!(Avx512Words::<Avx512>::LANES, 16);
//! assert_eq!([Ssse3U64Lanes::LANES, Avx2U64Lanes::<Avx2>::LANES], [2, 4]);
//! assert_eq!(Avx512U64Lanes::<Avx512>::LANES, 8);
//! use sealane_simd::x86::{Avx2Bytes, Avx512Bytes, Gfni512Bytes, GfniBytes, Ssse3Bytes};
//! assert_eq!([Ssse3Bytes::BYTES, Avx2Bytes::BYTES, GfniBytes::BYTES], [16, 32, 32]);
//! assert_eq!([Avx512Bytes::BYTES, Gfni512Bytes::BYTES], [64, 64]);
//! use sealane_simd::x86::{AesNiBlocks, Vaes512Blocks, VaesBlocks};
//! assert_eq!([AesNiBlocks::BLOCKS, VaesBlocks::BLOCKS, Vaes512Blocks::BLOCKS], [1, 2, 4]);
//! use sealane_simd::x86::{PclmulqdqLane, Vpclmulqdq512Lane, Vpclmulqdq512Lanes, VpclmulqdqLane, VpclmulqdqLanes};
//! assert_eq!([PclmulqdqLane::LANES, VpclmulqdqLane::LANES, Vpclmulqdq512Lane::LANES], [1, 1, 1]);
//! assert_eq!([VpclmulqdqLanes::LANES, Vpclmulqdq512Lanes::LANES], [2, 4]);
//! ```

mod aes;
mod avx2;
mod avx512;
mod avx512vl;
mod bytes512;
mod clmul;
mod feature_sets;
mod gf8;
mod gf8_gfni;
mod macros;
mod messages512;
mod ssse3;

pub use aes::{AesNi, AesNiBlocks, Vaes, Vaes512, Vaes512Blocks, VaesBlocks};
pub use avx2::{Avx2, Avx2U64Lanes, Avx2Words, ProvesAvx2};
pub use avx512::{Avx512, Avx512Ifma, Avx512U64Lanes, Avx512Words, ProvesAvx512};
pub use avx512vl::Avx512Vl;
pub use clmul::{
    Pclmulqdq, PclmulqdqLane, Vpclmulqdq, Vpclmulqdq512, Vpclmulqdq512Lane, Vpclmulqdq512Lanes, VpclmulqdqLane,
    VpclmulqdqLanes,
};
pub use gf8::{Avx2Bytes, Avx512Bytes, Ssse3Bytes};
pub use gf8_gfni::{Gfni, Gfni512, Gfni512Bytes, GfniBytes};
pub use ssse3::{Ssse3, Ssse3U64Lanes, Ssse3Words};

pub use crate::cpuid::Features;

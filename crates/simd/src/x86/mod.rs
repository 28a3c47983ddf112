//! Backends of x86 and x86-64.

mod aes;
mod avx2;
mod avx512;
mod clmul;
mod detect;
mod gf8;
mod gf8_gfni;
mod macros;
mod ssse3;

pub use aes::{AesNi, AesNiBlocks, Vaes, Vaes512, Vaes512Blocks, VaesBlocks};
pub use avx2::{Avx2, Avx2U64Lanes, Avx2Words};
pub use avx512::{Avx512, Avx512Ifma, Avx512U64Lanes, Avx512Words, ProvesAvx512};
pub use clmul::{
    Pclmulqdq, PclmulqdqLane, Vpclmulqdq, Vpclmulqdq512, Vpclmulqdq512Lane, Vpclmulqdq512Lanes, VpclmulqdqLane,
    VpclmulqdqLanes,
};
pub use detect::Features;
pub use gf8::{Avx2Bytes, Avx512Bytes, Ssse3Bytes};
pub use gf8_gfni::{Gfni, Gfni512, Gfni512Bytes, GfniBytes};
pub use ssse3::{Ssse3, Ssse3U64Lanes, Ssse3Words};

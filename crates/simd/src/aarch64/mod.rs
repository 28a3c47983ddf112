//! Backends of AArch64.

mod aes;
mod clmul;
mod gf8;
mod neon;

pub use aes::{NeonAes, NeonAesBlocks};
pub use clmul::{Pmull, PmullLane};
pub use gf8::NeonBytes;
pub use neon::{Neon, NeonWide, NeonWords};

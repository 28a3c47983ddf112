//! Backends of AArch64.

mod clmul;
mod gf8;
mod neon;

pub use clmul::{Pmull, PmullLane};
pub use gf8::NeonBytes;
pub use neon::{Neon, NeonWide, NeonWords};

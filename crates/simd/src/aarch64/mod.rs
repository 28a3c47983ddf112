//! Backends of AArch64.

mod gf8;
mod neon;

pub use gf8::NeonBytes;
pub use neon::{Neon, NeonWide, NeonWords};

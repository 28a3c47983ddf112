//! Backends of AArch64.

mod neon;

pub use neon::{Neon, NeonWide, NeonWords};

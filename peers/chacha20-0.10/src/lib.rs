//! The name `chacha20` for our module of that name, as the tests of the crate see it.

pub use sealane::rustcrypto::chacha20::*;

//! The name `chacha20poly1305` for our module of that name, as the tests of the crate see it.

pub use sealane::rustcrypto05::chacha20poly1305::*;

//! Exports our module `chacha20` under the name of RustCrypto's crate, whose tests run on it.

pub use sealane::rustcrypto05::chacha20::*;

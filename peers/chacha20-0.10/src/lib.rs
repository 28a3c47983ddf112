//! Exports our module `chacha20` under the name of RustCrypto's crate, so that the crate's tests
//! run on our code.

pub use sealane::rustcrypto::chacha20::*;

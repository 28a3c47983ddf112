//! Exports our module `poly1305` under the name of RustCrypto's crate, whose tests run on it.

pub use sealane::rustcrypto::poly1305::*;

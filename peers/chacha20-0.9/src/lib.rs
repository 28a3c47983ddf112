//! Gives our module `chacha20` the name of the crate, for the tests of the crate.

pub use sealane::rustcrypto05::chacha20::*;

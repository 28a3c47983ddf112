//! The backends of secret sharing byte by byte.

use crate::backend::{BackendOf, Gf8Family};

/// An instruction set that GF(2^8) can run on. This CPU has it, and it has passed its self-test.
pub type Backend = BackendOf<Gf8Family>;

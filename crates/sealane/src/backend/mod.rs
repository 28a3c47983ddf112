//! The instruction sets that do the work: the families of primitives, and the choice of a backend.
//! `self_test` has the known answers that a backend must give.

mod families;
mod family;

pub(crate) use families::BatchFamily;
pub use families::{AesFamily, ChaChaFamily, ClmulFamily, Gf8Family};
pub(crate) use family::SelfTestCache;
pub use family::{BackendOf, BackendStatusOf, Family, SelfTestOf};

/// An instruction set for ChaCha, Poly1305 and their combinations. The CPU has it, and it has
/// computed right results.
pub type Backend = BackendOf<ChaChaFamily>;

/// A [`Backend`] that was compiled for this architecture, whether or not this CPU can run it.
pub type BackendStatus = BackendStatusOf<ChaChaFamily>;

/// The results of a [`Backend`]'s known-answer test, primitive by primitive.
pub type SelfTest = SelfTestOf<ChaChaFamily>;

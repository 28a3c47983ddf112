//! The instruction sets that do the work.

mod aes;
mod chacha;
mod family;
mod gf8;

pub use aes::AesFamily;
pub use chacha::ChaChaFamily;
pub use family::{BackendOf, BackendStatusOf, Family, SelfTestOf};
pub(crate) use family::{Sealed, SelfTestCache, absorb};
pub use gf8::Gf8Family;

/// An instruction set for ChaCha, Poly1305 and their combinations. The CPU has it, and it has
/// computed right results.
pub type Backend = BackendOf<ChaChaFamily>;

/// A [`Backend`] that was compiled for this architecture, whether or not this CPU can run it.
pub type BackendStatus = BackendStatusOf<ChaChaFamily>;

/// The results of a [`Backend`]'s known-answer test, primitive by primitive.
pub type SelfTest = SelfTestOf<ChaChaFamily>;

/// The names of the backends of every family.
#[cfg(feature = "std")]
const NAMES_OF_FAMILIES: [&[&str]; 4] =
    [ChaChaFamily::NAMES, AesFamily::NAMES, Gf8Family::NAMES, crate::gf2n::ClmulFamily::NAMES];

/// Returns whether any family has a backend of that name.
#[cfg(feature = "std")]
fn is_known(name: &str) -> bool {
    NAMES_OF_FAMILIES.iter().any(|names| names.contains(&name))
}

//! Backends are the instruction sets that the primitives run on. This module has the families of
//! primitives that share a list of backends, and the choice of a backend. `self_test` has the known
//! answers that a backend must give.

mod families;
mod family;

#[cfg(feature = "alloc")]
pub use families::PiecesFamily;
pub use families::{AesFamily, BatchFamily, ChaChaFamily, ClmulFamily, Gf8Family};
pub(crate) use family::SelfTestCache;
pub use family::{BackendOf, BackendStatusOf, Family, SelfTestOf};

/// An instruction set for ChaCha, Poly1305 and their combinations. The CPU has it, and it has
/// computed right results.
pub type Backend = BackendOf<ChaChaFamily>;

/// An instruction set for AES rounds: Haraka. The CPU has it, and it has computed right results.
pub type AesBackend = BackendOf<AesFamily>;

/// An instruction set for arithmetic on bytes of GF(2^8): secret sharing of bytes, and
/// multiplication by a constant or a matrix. The CPU has it, and it has computed right results.
///
/// ```
/// use sealane::gf8::Gf8Backend;
///
/// // FIPS 197, section 4.2: {57}·{83} = {c1}.
/// for backend in Gf8Backend::available() {
///     let mut bytes = [0x57; 100];
///     backend.multiply_slice(0x83, &mut bytes);
///     assert_eq!(bytes, [0xc1; 100]);
/// }
/// ```
pub type Gf8Backend = BackendOf<Gf8Family>;

/// An instruction set for carry-less multiplication: arithmetic in GF(2^n) (see
/// [`gf2n`](crate::gf2n)), and secret sharing of field elements. The CPU has it, and it has
/// computed right results.
///
/// ```
/// use sealane::gf2n::{ClmulBackend, Gf2n};
///
/// let (a, b) = (Gf2n::<256>::from_bytes(&[3; 32]), Gf2n::from_bytes(&[5; 32]));
/// for backend in ClmulBackend::available() {
///     assert_eq!(backend.multiply(&a, &b), a * b);
/// }
/// ```
pub type ClmulBackend = BackendOf<ClmulFamily>;

/// A [`Backend`] that was compiled for this architecture, whether or not this CPU can run it.
pub type BackendStatus = BackendStatusOf<ChaChaFamily>;

/// The results of a [`Backend`]'s known-answer test, primitive by primitive.
pub type SelfTest = SelfTestOf<ChaChaFamily>;

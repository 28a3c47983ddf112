//! The families of primitives. The kernels of [`BatchFamily`] and `PiecesFamily` are tested when
//! they are first used, those of the others when a backend is chosen.

mod sealed {
    pub trait Sealed {}
}
pub(super) use sealed::Sealed;

/// The family of primitives built on 32-bit words and 64-bit products: ChaCha, Poly1305, and their
/// combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChaChaFamily;

impl Sealed for ChaChaFamily {}

/// Batches of messages, and of masks for QUIC's header protection. Their kernels are tested before
/// the first batch of a process, not before the first message, so that only programs with batches
/// contain them. If a backend fails, it processes the messages of a batch one by one.
///
/// A batch always runs on the backend of its cipher, so only the results of the self-tests are of
/// use.
///
/// ```
/// use sealane::{BackendStatusOf, BatchFamily, Family, PiecesFamily};
///
/// fn check<F: Family>() {
///     for backend in BackendStatusOf::<F>::all().filter(|backend| backend.supported()) {
///         assert!(backend.self_test().is_some_and(|test| test.passed()), "{}", backend.name());
///     }
/// }
/// check::<BatchFamily>();
/// check::<PiecesFamily>();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchFamily;

impl Sealed for BatchFamily {}

/// Poly1305 of a message in many pieces. Its kernels are tested before the first such message, for
/// the same reason as those of [`BatchFamily`], which has an example. If a backend fails, each
/// piece is added by itself.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiecesFamily;

#[cfg(feature = "alloc")]
impl Sealed for PiecesFamily {}

/// The family of primitives built on AES rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AesFamily;

impl Sealed for AesFamily {}

/// The family of primitives built on arithmetic in GF(2^8): secret sharing, and multiplication by a
/// constant or a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gf8Family;

impl Sealed for Gf8Family {}

/// The family of primitives built on carry-less multiplication: arithmetic in GF(2^n), and secret
/// sharing of field elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClmulFamily;

impl Sealed for ClmulFamily {}

//! The families of primitives. The kernels of two of them are tested only when they are first used.

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
/// ```
/// use sealane::{BackendStatusOf, BatchFamily};
///
/// let mut backends = BackendStatusOf::<BatchFamily>::all().filter(|backend| backend.supported());
/// assert!(backends.all(|backend| backend.self_test().is_some_and(|test| test.passed())));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchFamily;

impl Sealed for BatchFamily {}

/// Poly1305 of a message in many pieces. Its kernels are tested before the first such message, for
/// the same reason as those of [`BatchFamily`]. If a backend fails, each piece is added by itself.
#[cfg(any(feature = "alloc", feature = "std"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PiecesFamily;

#[cfg(any(feature = "alloc", feature = "std"))]
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

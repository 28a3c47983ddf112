//! Traits that only this crate implements, and how a token is made again.

/// Seals [`crate::Token`] and [`crate::LevelList`], because kernels rely on the proof of a
/// token.
pub trait Sealed {}

/// Makes a token again that was made before.
pub(crate) trait Assume: Sealed + Sized {
    /// Returns the token.
    ///
    /// # Safety
    /// The CPU has the features, and the operating system saves their registers.
    unsafe fn assume() -> Self;
}

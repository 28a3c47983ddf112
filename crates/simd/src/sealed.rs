//! Traits that only this crate implements.

/// Seals [`crate::Token`] and [`crate::LevelList`], because kernels rely on a token as a proof.
pub trait Sealed {}

/// Creates a token without detection, where the features have been detected before.
pub(crate) trait Assume: Sealed + Sized {
    /// Returns the token.
    ///
    /// # Safety
    /// The CPU has the features, and the operating system saves their registers.
    unsafe fn assume() -> Self;
}

//! Proofs that the CPU has features.

use crate::sealed::Sealed;

/// A zero-sized proof that the CPU has a set of features.
///
/// The trait is sealed; its implementations are the tokens of this crate.
///
/// ```
/// use sealane_simd::{Scalar, Token};
///
/// // `dispatch!` writes this.
/// let sum = Scalar::new().enter(
///     #[inline(always)]
///     |_token| 1 + 1,
/// );
/// assert_eq!(sum, 2);
/// ```
pub trait Token: Copy + Send + Sync + Sealed + 'static {
    /// Runs `kernel` in a function that is compiled with this token's features, and inlines
    /// `kernel` into it.
    ///
    /// The closure must be marked `#[inline(always)]`, as [`dispatch!`](crate::dispatch) does. It
    /// receives the token as an argument, because a captured token is a reference, which takes a
    /// register although the token has no data.
    fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R;

    /// Does the same as [`Token::enter`]. Tokens of x86 run the kernel in a function that is never
    /// inlined, so that it has one copy with its own stack frame.
    #[inline(always)]
    fn enter_apart<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
        self.enter(kernel)
    }
}

//! Backends of Arm: AArch64, and 32-bit programs with the feature `armv7`.

// In 32-bit programs, the vectors require a version of the architecture, which is also a feature.
// Every CPU with the vectors has that version.

/// Implements the traits of a token for a type with a function `detect`, and defines the function
/// that is compiled with the token's features.
macro_rules! token {
    ($token:ident: $features:literal, $on_32_bits:literal) => {
        impl $crate::sealed::Sealed for $token {}

        impl $crate::sealed::Assume for $token {
            #[inline(always)]
            unsafe fn assume() -> Self {
                Self(())
            }
        }

        impl $crate::token::Token for $token {
            #[inline(always)]
            fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
                #[target_feature(enable = $features)]
                #[cfg_attr(target_arch = "arm", target_feature(enable = $on_32_bits))]
                fn entry<R>(token: $token, kernel: impl FnOnce($token) -> R) -> R {
                    kernel(token)
                }
                // SAFETY: `self` was made by `detect`, so the CPU has the features.
                unsafe { entry(self, kernel) }
            }
        }
    };
}

/// Runs vector instructions on behalf of a value that holds a token.
///
/// Expands to a function compiled with the features, which inlines to its instructions, and the
/// call to it. The token must have the features.
macro_rules! with_features {
    (
        $token:ty: $features:literal, $on_32_bits:literal, $proof:expr,
        ($($name:ident: $ty:ty = $value:expr),*) -> $ret:ty $body:block
    ) => {{
        #[inline]
        #[target_feature(enable = $features)]
        #[cfg_attr(target_arch = "arm", target_feature(enable = $on_32_bits))]
        fn instructions($($name: $ty),*) -> $ret $body
        let _: $token = $proof;
        // SAFETY: the line above holds a token, which only detection of these features makes.
        unsafe { instructions($($value),*) }
    }};
}

/// Whether the CPU was found to have the features. Programs cannot ask the CPU, only the operating
/// system, which needs the feature `std`. Without it, only the features of the target count.
macro_rules! detected {
    ($($feature:tt),*) => {{
        #[cfg(not(feature = "std"))]
        let found = cfg!(all($(target_feature = $feature),*));
        #[cfg(all(feature = "std", target_arch = "arm"))]
        let found = $(std::arch::is_arm_feature_detected!($feature))&&*;
        #[cfg(all(feature = "std", target_arch = "aarch64"))]
        let found = $(std::arch::is_aarch64_feature_detected!($feature))&&*;
        found
    }};
}

/// Returns whether the CPU has what the compiler's feature `aes` stands for: the AES instructions
/// and PMULL.
fn has_aes_and_pmull() -> bool {
    // Detection at run time tells them apart; the list of the target's features does not.
    #[cfg(feature = "std")]
    let found = detected!("neon", "aes", "pmull");
    #[cfg(not(feature = "std"))]
    let found = detected!("neon", "aes");
    found
}

#[cfg(target_arch = "arm")]
mod a32;
mod aes;
mod clmul;
mod gf8;
mod intrinsics;
mod neon;

pub use aes::{NeonAes, NeonAesBlocks};
pub use clmul::{Pmull, PmullLane};
pub use gf8::NeonBytes;
pub use neon::{Neon, NeonU64Lanes, NeonWords};

//! Backends of AArch64.

/// Makes a type that `detect` gives out a token: the function that is compiled with its features.
macro_rules! token {
    ($token:ident: $features:literal) => {
        impl $crate::sealed::Sealed for $token {}

        impl $crate::sealed::Assume for $token {
            #[inline(always)]
            unsafe fn assume() -> Self {
                Self(())
            }
        }

        impl $crate::Token for $token {
            #[inline(always)]
            fn enter<R>(self, kernel: impl FnOnce(Self) -> R) -> R {
                #[target_feature(enable = $features)]
                fn entry<R>(token: $token, kernel: impl FnOnce($token) -> R) -> R {
                    kernel(token)
                }
                // SAFETY: `self` was made by `detect`, so the CPU has the features.
                unsafe { entry(self, kernel) }
            }
        }
    };
}

mod aes;
mod clmul;
mod gf8;
mod neon;

pub use aes::{NeonAes, NeonAesBlocks};
pub use clmul::{Pmull, PmullLane};
pub use gf8::NeonBytes;
pub use neon::{Neon, NeonWide, NeonWords};

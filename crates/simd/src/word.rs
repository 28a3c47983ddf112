//! Words of integer registers.

/// A word of an integer register.
///
/// ```
/// use sealane_simd::Word;
///
/// assert_eq!(7_u32.opaque(), 7);
/// ```
pub trait Word: Copy {
    /// Returns the same word. On x86-64, its value is hidden from the compiler, which then does not
    /// combine such words into vectors.
    #[must_use]
    fn opaque(self) -> Self;
}

macro_rules! word {
    ($word:ident, $register:literal) => {
        impl Word for $word {
            #[inline(always)]
            fn opaque(self) -> Self {
                #[cfg(target_arch = "x86_64")]
                {
                    let mut opaque = self;
                    // SAFETY: the assembly is empty.
                    unsafe {
                        core::arch::asm!($register, inout(reg) opaque, options(pure, nomem, nostack, preserves_flags))
                    };
                    opaque
                }
                #[cfg(not(target_arch = "x86_64"))]
                self
            }
        }
    };
}

word!(u32, "/* {0:e} */");
word!(u64, "/* {0:r} */");

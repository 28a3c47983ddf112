//! Words of integer registers.

/// A word of an integer register.
///
/// ```
/// use sealane_simd::Word;
///
/// assert_eq!(7_u32.opaque(), 7);
/// ```
pub trait Word: Copy {
    /// Returns the word, hidden from the compiler, so that it makes no vectors of such words.
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

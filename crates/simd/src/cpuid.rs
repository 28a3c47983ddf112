//! Detects the features of x86 CPUs with `cpuid`, without `std`.

#[cfg(target_arch = "x86")]
use core::arch::x86 as arch;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64 as arch;
use core::sync::atomic::{AtomicU32, Ordering};

/// A set of instruction-set extensions that can be used: the CPU has them and the operating system
/// saves their registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features(u32);

macro_rules! features {
    ($($constant:ident = $bit:literal, $name:tt;)*) => {
        impl Features {
            $(#[doc = concat!("`", $name, "`")] pub const $constant: Self = Self(1 << $bit);)*

            /// The features that were enabled at compile time. Tokens that need only these skip
            /// detection.
            pub const COMPILED_FOR: Self = Self(0 $(| (cfg!(target_feature = $name) as u32) << $bit)*);

            /// Returns the names of the extensions in this set.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                [$((Self::$constant, $name)),*]
                    .into_iter()
                    .filter_map(move |(feature, name)| self.contains(feature).then_some(name))
            }
        }
    };
}

features! {
    SSE2 = 0, "sse2";
    SSE3 = 16, "sse3";
    SSSE3 = 1, "ssse3";
    SSE41 = 2, "sse4.1";
    SSE42 = 17, "sse4.2";
    AES = 3, "aes";
    PCLMULQDQ = 4, "pclmulqdq";
    AVX = 5, "avx";
    FMA = 18, "fma";
    F16C = 19, "f16c";
    AVX2 = 6, "avx2";
    BMI2 = 7, "bmi2";
    VAES = 8, "vaes";
    VPCLMULQDQ = 9, "vpclmulqdq";
    GFNI = 10, "gfni";
    AVX512F = 11, "avx512f";
    AVX512BW = 12, "avx512bw";
    AVX512VL = 13, "avx512vl";
    AVX512DQ = 14, "avx512dq";
    AVX512IFMA = 15, "avx512ifma";
}

/// Set in the cache after detection has run. It is not a feature.
const DETECTED: u32 = 1 << 31;

impl Features {
    /// Returns whether all of `other` are in this set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the features of this CPU. The first call asks the CPU, later ones read an atomic.
    #[must_use]
    pub fn detect() -> Self {
        static CACHE: AtomicU32 = AtomicU32::new(0);
        // Relaxed, because no other data depends on the value, and every thread computes the same
        // one.
        let mut bits = CACHE.load(Ordering::Relaxed);
        if bits == 0 {
            bits = Self::ask_cpu().0 | DETECTED;
            CACHE.store(bits, Ordering::Relaxed);
        }
        Self(bits & !DETECTED)
    }

    fn ask_cpu() -> Self {
        let max_leaf = cpuid(0).eax;
        let leaf1 = cpuid(1);
        let (leaf7_ebx, leaf7_ecx) = if max_leaf >= 7 {
            let leaf7 = cpuid(7);
            (leaf7.ebx, leaf7.ecx)
        } else {
            (0, 0)
        };
        let saved = saved_state(leaf1.ecx);
        let bit = |register: u32, bit: u32| register >> bit & 1 == 1;
        // XCR0 (Intel SDM vol. 1, 13.3): 1 SSE, 2 upper halves of YMM, 5 mask registers, 6 upper
        // halves of ZMM, 7 ZMM16 to 31.
        let ymm = saved & 0b110 == 0b110;
        let zmm = ymm && saved & 0b1110_0000 == 0b1110_0000;

        let mut found = Self(0);
        let mut add = |feature: Self, present: bool| {
            if present {
                found = found.union(feature);
            }
        };
        add(Self::SSE2, bit(leaf1.edx, 26));
        add(Self::SSE3, bit(leaf1.ecx, 0));
        add(Self::SSSE3, bit(leaf1.ecx, 9));
        add(Self::SSE41, bit(leaf1.ecx, 19));
        add(Self::SSE42, bit(leaf1.ecx, 20));
        add(Self::AES, bit(leaf1.ecx, 25));
        add(Self::PCLMULQDQ, bit(leaf1.ecx, 1));
        add(Self::BMI2, bit(leaf7_ebx, 8));
        add(Self::GFNI, bit(leaf7_ecx, 8));
        add(Self::AVX, ymm && bit(leaf1.ecx, 28));
        add(Self::FMA, ymm && bit(leaf1.ecx, 12));
        add(Self::F16C, ymm && bit(leaf1.ecx, 29));
        add(Self::AVX2, ymm && bit(leaf7_ebx, 5));
        add(Self::VAES, ymm && bit(leaf7_ecx, 9));
        add(Self::VPCLMULQDQ, ymm && bit(leaf7_ecx, 10));
        add(Self::AVX512F, zmm && bit(leaf7_ebx, 16));
        add(Self::AVX512DQ, zmm && bit(leaf7_ebx, 17));
        add(Self::AVX512IFMA, zmm && bit(leaf7_ebx, 21));
        add(Self::AVX512BW, zmm && bit(leaf7_ebx, 30));
        add(Self::AVX512VL, zmm && bit(leaf7_ebx, 31));
        found
    }
}

/// Returns the CPU's answer for a leaf, or for its first subleaf.
// Newer compilers let safe code call the intrinsic.
#[allow(unused_unsafe)]
pub(crate) fn cpuid(leaf: u32) -> arch::CpuidResult {
    // SAFETY: every CPU that this module is compiled for has the instruction: it has SSE2.
    unsafe { arch::__cpuid_count(leaf, 0) }
}

/// Returns XCR0, the register state that the operating system saves, or 0 without OSXSAVE.
fn saved_state(leaf1_ecx: u32) -> u64 {
    #[target_feature(enable = "xsave")]
    fn read() -> u64 {
        // SAFETY: reading XCR0 is allowed at every privilege level where OSXSAVE is set, which the
        // caller has checked.
        unsafe { arch::_xgetbv(0) }
    }
    const OSXSAVE: u32 = 1 << 27;
    if leaf1_ecx & OSXSAVE == 0 {
        return 0;
    }
    // SAFETY: OSXSAVE says that the CPU has XSAVE and XGETBV and that the operating system has
    // enabled them.
    unsafe { read() }
}

#[cfg(test)]
mod tests {
    use super::Features;

    #[test]
    fn a_program_runs_where_there_is_what_it_was_compiled_for() {
        assert!(Features::COMPILED_FOR.contains(Features::SSE2));
        assert!(Features::detect().contains(Features::COMPILED_FOR));
    }
}

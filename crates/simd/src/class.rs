//! CPU classes, which select the fastest variant of each kernel. Feature flags tell which
//! instructions a CPU has, not how fast they are.

use core::sync::atomic::{AtomicU8, Ordering};

/// A class of CPUs on which the same variants of kernels are fast. The class changes speed, never
/// results.
///
/// ```
/// use sealane_simd::CpuClass;
///
/// let class = CpuClass::detect();
/// println!("{}", class.name());
/// assert!(CpuClass::ALL.contains(&class));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CpuClass {
    /// A vector addition takes one cycle, and the CPU starts at most two 512-bit additions in a
    /// cycle. One group of ChaCha, with sixteen vectors, fills the vector units and leaves the
    /// integer units free. A block on integers, interleaved with two sets or more, takes less time
    /// than a set of its own. Measured on Granite Rapids and Emerald Rapids; Intel's other CPUs
    /// have the same counts. Unknown CPUs belong here.
    OneCycle,
    /// The vector units have 256 bits. An operation of 512 bits occupies one of the four units for
    /// two cycles, so vectors of 512 bits save instructions but no time in the units. The result of
    /// a vector addition can be used after one cycle, and that of a rotation after two, which
    /// leaves time for a block on integers, interleaved with one to seven sets. Measured on Zen 4.
    HalfWidth,
    /// A vector addition can take two cycles, and the CPU starts up to four 512-bit additions in a
    /// cycle. One group leaves half of the units idle: two groups advance together, and a block on
    /// integers, interleaved with sets, is nearly free. Measured on Zen 5.
    TwoCycles,
}

/// The class in use: 0 until it is known, otherwise 1 + its position in [`CpuClass::ALL`].
static CLASS: AtomicU8 = AtomicU8::new(0);

impl CpuClass {
    /// All classes.
    pub const ALL: [Self; 3] = [Self::OneCycle, Self::HalfWidth, Self::TwoCycles];

    /// Returns the class of this CPU, or the one set by [`CpuClass::force`]. The first call asks
    /// the CPU, later ones read an atomic.
    #[inline]
    #[must_use]
    pub fn detect() -> Self {
        // Relaxed, because no other data depends on the value.
        Self::from_code(CLASS.load(Ordering::Relaxed)).unwrap_or_else(Self::of_cpu)
    }

    /// Sets the class for the whole process, for tests and measurements. `None` restores the class
    /// of the CPU.
    ///
    /// It may be called at any time. A call that another thread has begun uses the old class or the
    /// new one, with the same result.
    pub fn force(class: Option<Self>) {
        CLASS.store(class.map_or(0, Self::code), Ordering::Relaxed);
    }

    /// Returns the name: `one-cycle`, `half-width` or `two-cycles`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OneCycle => "one-cycle",
            Self::HalfWidth => "half-width",
            Self::TwoCycles => "two-cycles",
        }
    }

    const fn code(self) -> u8 {
        match self {
            Self::OneCycle => 1,
            Self::HalfWidth => 2,
            Self::TwoCycles => 3,
        }
    }

    #[inline(always)]
    const fn from_code(code: u8) -> Option<Self> {
        match code {
            1 => Some(Self::OneCycle),
            2 => Some(Self::HalfWidth),
            3 => Some(Self::TwoCycles),
            _ => None,
        }
    }

    /// Asks the CPU for its class and stores it. If another thread has set a class meanwhile,
    /// returns that one instead.
    #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
    #[cold]
    #[inline(never)]
    fn of_cpu() -> Self {
        let class = class_of_x86();
        match CLASS.compare_exchange(0, class.code(), Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => class,
            Err(code) => Self::from_code(code).unwrap_or(class),
        }
    }

    /// Returns the class of all CPUs but x86. It is not stored: some of these CPUs lack the atomic
    /// exchange that leaves a forced class alone.
    #[cfg(not(all(target_feature = "sse2", not(target_env = "sgx"))))]
    #[inline(always)]
    const fn of_cpu() -> Self {
        Self::OneCycle
    }
}

/// Asks the CPU for its vendor, signature and AVX-512.
#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
fn class_of_x86() -> CpuClass {
    use crate::cpuid::{Features, cpuid};

    let vendor = cpuid(0);
    let has_avx512 = Features::detect().contains(Features::AVX512F);
    class_of([vendor.ebx, vendor.edx, vendor.ecx], cpuid(1).eax, has_avx512)
}

/// Returns the class of the CPU with this vendor and signature, which has the family. AMD's family
/// 1Ah is Zen 5, and family 19h with AVX-512 is Zen 4; Zen 3 is family 19h without it.
#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
fn class_of(vendor: [u32; 3], signature: u32, has_avx512: bool) -> CpuClass {
    let is_amd = vendor.map(u32::to_le_bytes).as_flattened() == b"AuthenticAMD";
    // AMD64 Architecture Programmer's Manual, volume 3, appendix E.3.2: the family is the sum of
    // both fields.
    let family = (signature >> 8 & 0xf) + (signature >> 20 & 0xff);
    match family {
        0x1a if is_amd => CpuClass::TwoCycles,
        0x19 if is_amd && has_avx512 => CpuClass::HalfWidth,
        _ => CpuClass::OneCycle,
    }
}

#[cfg(all(test, target_feature = "sse2", not(target_env = "sgx")))]
mod tests {
    use super::*;

    /// A thread may find no class, and another one may force one before the first has asked the
    /// CPU.
    #[test]
    fn a_forced_class_outlasts_detection() {
        for class in CpuClass::ALL {
            CpuClass::force(Some(class));
            assert_eq!(CpuClass::of_cpu(), class);
            assert_eq!(CpuClass::detect(), class);
        }
        CpuClass::force(None);
        assert_eq!(CpuClass::detect(), class_of_x86());
        assert_eq!(CpuClass::of_cpu(), class_of_x86());
    }

    #[test]
    fn known_cpus_have_their_class() {
        let vendor = |name: &[u8; 12]| [0, 4, 8].map(|i| u32::from_le_bytes(*name[i..].first_chunk().unwrap()));
        let (amd, intel) = (vendor(b"AuthenticAMD"), vendor(b"GenuineIntel"));
        // Milan, Genoa and Turin; Emerald Rapids; and an Intel CPU of a later family.
        assert_eq!(class_of(amd, 0x00a0_0f11, false), CpuClass::OneCycle);
        assert_eq!(class_of(amd, 0x00a1_0f11, true), CpuClass::HalfWidth);
        assert_eq!(class_of(amd, 0x00b0_0f21, true), CpuClass::TwoCycles);
        assert_eq!(class_of(intel, 0x000c_06f2, true), CpuClass::OneCycle);
        assert_eq!(class_of(intel, 0x00a1_0f11, true), CpuClass::OneCycle);
    }
}

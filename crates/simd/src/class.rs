//! Classes of CPUs: they say which variants of a kernel are fast. Feature flags do not say it.

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
    /// integer units free. A scalar block beside two sets or more takes less time than a set of its
    /// own. Measured on Granite Rapids and Emerald Rapids; Intel's other CPUs have the same counts.
    /// Unknown CPUs belong here.
    OneCycle,
    /// The vector units have 256 bits. An operation of 512 bits occupies one of the four units for
    /// two cycles, so vectors of 512 bits save instructions but no time in the units. A vector
    /// addition takes one cycle, and a rotation takes two, which leaves time for a scalar block
    /// beside two sets. Measured on Zen 4.
    HalfWidth,
    /// A vector addition can take two cycles, and the CPU starts up to four 512-bit additions in a
    /// cycle. One group leaves half of the units idle: two groups advance together, and a scalar
    /// block beside sets is nearly free. Measured on Zen 5.
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
        // Relaxed, because no other data depends on the value, and every thread computes the same
        // one.
        match CLASS.load(Ordering::Relaxed) {
            1 => Self::OneCycle,
            2 => Self::HalfWidth,
            3 => Self::TwoCycles,
            _ => Self::ask_cpu(),
        }
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

    #[cold]
    #[inline(never)]
    fn ask_cpu() -> Self {
        #[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
        let class = class_of_x86();
        #[cfg(not(all(target_feature = "sse2", not(target_env = "sgx"))))]
        let class = Self::OneCycle;
        CLASS.store(class.code(), Ordering::Relaxed);
        class
    }
}

/// Returns the class of this CPU: AMD's family 1Ah is Zen 5, and family 19h with AVX-512 is Zen 4.
/// Zen 3 has the same family without AVX-512.
#[cfg(all(target_feature = "sse2", not(target_env = "sgx")))]
fn class_of_x86() -> CpuClass {
    #[cfg(target_arch = "x86")]
    use core::arch::x86::__cpuid_count;
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::__cpuid_count;

    // SAFETY: every CPU with SSE2 has the instruction `cpuid`.
    // Newer compilers let safe code call the intrinsic.
    #[allow(unused_unsafe)]
    let leaf = |leaf| unsafe { __cpuid_count(leaf, 0) };
    let (vendor, leaf1) = (leaf(0), leaf(1));
    // AMD64 Architecture Programmer's Manual, volume 3, appendix E.3.2: the family is the sum of
    // both fields.
    let family = (leaf1.eax >> 8 & 0xf) + (leaf1.eax >> 20 & 0xff);
    let is_amd = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"AuthenticAMD";
    // Appendix E.3.6: bit 16 of EBX is AVX-512F.
    let has_avx512 = || vendor.eax >= 7 && leaf(7).ebx >> 16 & 1 == 1;
    match family {
        0x1a if is_amd => CpuClass::TwoCycles,
        0x19 if is_amd && has_avx512() => CpuClass::HalfWidth,
        _ => CpuClass::OneCycle,
    }
}

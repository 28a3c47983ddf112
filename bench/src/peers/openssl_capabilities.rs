//! The CPU features that OpenSSL sees.
//!
//! OpenSSL keeps the detected features in a vector, `OPENSSL_ia32cap_P`. Its ChaCha20 reads the
//! vector in each call, its Poly1305 when a key is set. OpenSSL clears AVX-512F there for some CPUs
//! that have it. The environment variable `OPENSSL_ia32cap` also changes the vector, but only when
//! the process starts, so it applies to all rows of OpenSSL. AWS-LC reads the variable too.
//!
//! Rows with different features can take turns in one process, because a statically linked
//! libcrypto exposes the vector itself. `check` verifies that the vector has the expected layout,
//! and that changing it has an effect.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of words in the vector (`OPENSSL_IA32CAP_P_MAX_INDEXES`), as of OpenSSL 3.5: CPUID
/// leaf 1 EDX and ECX, leaf 7 EBX, ECX and EDX, then leaf 7 subleaf 1, and leaf 24h.
const WORDS: usize = 10;
const LEAF_1_ECX: usize = 1;
const LEAF_7_EBX: usize = 2;
const LEAF_7_ECX: usize = 3;

/// Bits of the word for leaf 1, ECX. OpenSSL keeps AMD's XOP there too, as bit 11.
const SSSE3: u32 = 1 << 9;
const AVX_FMA_XOP: u32 = 1 << 28 | 1 << 12 | 1 << 11;
const AVX: u32 = 1 << 28;
/// Bits of leaf 7, EBX.
const AVX2: u32 = 1 << 5;
const AVX512F: u32 = 1 << 16;
/// The features of AVX-512 in leaf 7, EBX: F, DQ, IFMA, CD, BW and VL.
const AVX512: u32 = AVX512F | 1 << 17 | 1 << 21 | 1 << 28 | 1 << 30 | 1 << 31;

/// A value for the whole vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Capabilities([u32; WORDS]);

/// A guard that restores the vector's earlier value when it is dropped.
pub struct Reset(Capabilities);

impl Drop for Reset {
    fn drop(&mut self) {
        self.0.write();
    }
}

#[cfg(target_arch = "x86_64")]
mod vector {
    use super::{AtomicU32, WORDS};

    unsafe extern "C" {
        #[link_name = "OPENSSL_ia32cap_P"]
        safe static VECTOR: [AtomicU32; WORDS];
    }

    pub fn get() -> Option<&'static [AtomicU32; WORDS]> {
        openssl_sys::init();
        Some(&VECTOR)
    }

    /// Returns EAX, EBX, ECX and EDX.
    pub fn cpuid(leaf: u32) -> [u32; 4] {
        let result = std::arch::x86_64::__cpuid_count(leaf, 0);
        [result.eax, result.ebx, result.ecx, result.edx]
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod vector {
    use super::{AtomicU32, WORDS};

    pub fn get() -> Option<&'static [AtomicU32; WORDS]> {
        None
    }

    pub fn cpuid(_leaf: u32) -> [u32; 4] {
        [0; 4]
    }
}

impl Capabilities {
    /// Returns the capabilities that OpenSSL found when the process started, or `None` on
    /// architectures without this vector.
    pub fn found() -> Option<Self> {
        static FOUND: OnceLock<Option<Capabilities>> = OnceLock::new();
        *FOUND.get_or_init(Self::read)
    }

    /// Returns the capabilities as CPUID reports them, or `None` if OpenSSL does not hide AVX-512F
    /// or the environment sets the features.
    pub fn forced() -> Option<Self> {
        // `has_avx512` also tests that the operating system saves the registers.
        if is_held() || !has_avx512() {
            return None;
        }
        let [_, ebx, ecx, _] = vector::cpuid(7);
        Self::found()?.unhidden(ebx, ecx)
    }

    /// Replaces leaf 7's EBX and ECX with the values of CPUID. Returns `None` if AVX-512F is not
    /// hidden.
    fn unhidden(self, ebx: u32, ecx: u32) -> Option<Self> {
        let Self(mut words) = self;
        (words[LEAF_7_EBX], words[LEAF_7_ECX]) = (ebx, ecx);
        let unhidden = Self(words);
        (unhidden.avx512() && !self.avx512()).then_some(unhidden)
    }

    /// Returns the capabilities without AVX and all later features, or `None` if OpenSSL sees no
    /// AVX.
    pub fn without_avx() -> Option<Self> {
        let Self(mut words) = Self::found()?;
        if words[LEAF_1_ECX] & AVX == 0 {
            return None;
        }
        words[LEAF_1_ECX] &= !AVX_FMA_XOP;
        words[LEAF_7_EBX..].fill(0);
        Some(Self(words))
    }

    /// Returns the capabilities without AVX-512, or `None` if OpenSSL sees no AVX-512F.
    pub fn without_avx512() -> Option<Self> {
        let found = Self::found()?;
        found.avx512().then(|| found.hiding_avx512())
    }

    fn hiding_avx512(self) -> Self {
        let Self(mut words) = self;
        words[LEAF_7_EBX] &= !AVX512;
        Self(words)
    }

    /// Sets these capabilities in OpenSSL until the returned guard is dropped.
    pub fn set(self) -> Reset {
        let before = Self::read().expect("these were made from the vector");
        self.write();
        Reset(before)
    }

    /// Returns whether OpenSSL sees AVX-512F.
    pub fn avx512(self) -> bool {
        self.0[LEAF_7_EBX] & AVX512F != 0
    }

    fn read() -> Option<Self> {
        Some(Self(vector::get()?.each_ref().map(|word| word.load(Ordering::Relaxed))))
    }

    fn write(self) {
        for (word, value) in vector::get().into_iter().flatten().zip(self.0) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

/// Returns whether an environment variable sets the features that OpenSSL sees.
pub fn is_held() -> bool {
    std::env::var_os("OPENSSL_ia32cap").is_some()
}

fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Checks that the vector has the expected layout, and that hiding AVX changes OpenSSL's speed.
/// Returns notes about the measured effects.
///
/// # Errors
/// If the vector has an unexpected layout, or hiding AVX has no effect: the figures of rows that
/// change the vector would mean nothing.
pub fn check() -> Result<Vec<String>, String> {
    let Some(Capabilities(words)) = Capabilities::found() else { return Ok(Vec::new()) };
    let ([_, _, ecx_1, _], [_, ebx_7, ecx_7, _]) = (vector::cpuid(1), vector::cpuid(7));
    let leaf_1 = SSSE3 | AVX;
    // BMI1, AVX2, BMI2, ADX, SHA
    let leaf_7 = 1 << 3 | AVX2 | 1 << 8 | 1 << 19 | 1 << 29;
    if words[LEAF_1_ECX] & leaf_1 != ecx_1 & leaf_1
        || words[LEAF_7_EBX] & leaf_7 != ebx_7 & leaf_7
        || words[LEAF_7_ECX] & !ecx_7 != 0
        || (!is_held() && words[LEAF_7_ECX] != ecx_7)
    {
        return Err(format!(
            "OPENSSL_ia32cap_P is not laid out as expected: it has {words:08x?}, CPUID has {ecx_1:08x} in leaf 1 ECX and \
             {ebx_7:08x} {ecx_7:08x} in leaf 7 EBX ECX"
        ));
    }
    let usual = chacha20_ns();
    let ns_with = |capabilities: Capabilities| {
        let _reset = capabilities.set();
        chacha20_ns()
    };
    let mut notes = Vec::new();
    if is_held() {
        let avx512 = if Capabilities(words).avx512() { "sees" } else { "does not see" };
        notes.push(format!("OPENSSL_ia32cap is set: OpenSSL {avx512} AVX-512F; AWS-LC reads the variable, too"));
    }
    if let Some(forced) = Capabilities::forced() {
        let ratio = ns_with(forced) / usual;
        notes.push(format!("OpenSSL forced to AVX-512 takes {ratio:.2} times its usual time for ChaCha20 of 16 KiB"));
    }
    if let Some(no_avx512) = Capabilities::without_avx512() {
        let ratio = ns_with(no_avx512) / usual;
        notes.push(format!("OpenSSL without AVX-512 takes {ratio:.2} times its usual time for ChaCha20 of 16 KiB"));
    }
    if let Some(no_avx) = Capabilities::without_avx() {
        let ratio = ns_with(no_avx) / usual;
        // OpenSSL's AVX2 code does twice as many blocks at a time as its SSSE3 code. On a CPU with
        // AVX but not AVX2, hiding AVX need not change the speed.
        if words[LEAF_7_EBX] & AVX2 != 0 && ratio < 1.25 {
            return Err(format!(
                "without AVX, OpenSSL takes {ratio:.2} times its usual time: so hiding AVX has no effect"
            ));
        }
        notes.push(format!("OpenSSL without AVX takes {ratio:.2} times its usual time for ChaCha20 of 16 KiB"));
    }
    Ok(notes)
}

/// Returns the best of many times for ChaCha20 of 16 KiB, in nanoseconds.
fn chacha20_ns() -> f64 {
    let mut cipher = super::openssl::ChaCha20Context::new();
    let mut data = vec![0; 16384];
    let once = |_| {
        let start = std::time::Instant::now();
        cipher.apply(&[0; 12], &mut data);
        start.elapsed().as_nanos() as f64
    };
    (0..200).map(once).fold(f64::MAX, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avx512_is_forced_only_where_it_is_hidden() {
        // A Cascade Lake Xeon.
        let (ebx, ecx) = (0xd19f_67eb, 0x81c);
        let vector = |ebx| Capabilities([0, SSSE3 | AVX, ebx, ecx, 1, 2, 3, 4, 5, 6]);
        assert_eq!(vector(ebx & !AVX512F).unhidden(ebx, ecx), Some(vector(ebx)));
        assert_eq!(vector(ebx).unhidden(ebx, ecx), None);
        // The features that bench/README.md clears.
        assert_eq!(vector(ebx).hiding_avx512(), vector(ebx & !0xd023_0000));
        let no_avx512 = ebx & !AVX512F;
        assert_eq!(vector(no_avx512).unhidden(no_avx512, ecx), None);
    }

    #[test]
    fn capabilities_are_as_expected_and_are_restored() {
        check().unwrap();
        let found = Capabilities::read();
        let changed = [Capabilities::without_avx(), Capabilities::without_avx512(), Capabilities::forced()];
        for capabilities in changed.into_iter().flatten() {
            assert_ne!(Some(capabilities), found);
            let reset = capabilities.set();
            assert_eq!(Capabilities::read(), Some(capabilities));
            drop(reset);
            assert_eq!(Capabilities::read(), found);
        }
    }
}

//! The name and the features of the CPU.

use std::fs;

use crate::error::printable;

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) fn features() -> Vec<&'static str> {
    sealane_simd::x86::Features::detect().names().collect()
}

#[cfg(target_arch = "aarch64")]
pub(crate) fn features() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as has;
    let known = [("neon", has!("neon")), ("aes", has!("aes")), ("pmull", has!("pmull"))];
    known.into_iter().filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn features() -> Vec<&'static str> {
    // Other architectures list their features as backends.
    Vec::new()
}

/// Returns the name that Linux shows: "model name" on x86, "Model" or "Hardware" on many others.
pub(crate) fn model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    ["model name", "Model", "Hardware", "cpu model", "uarch"].iter().find_map(|field| {
        let value = text.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == *field)?.1;
        Some(printable(value.trim())).filter(|value| !value.is_empty())
    })
}

//! Deliberate faults, which test the tests. In a build with `--cfg sealane_fault`, the environment
//! variable `SEALANE_FAULT=PRIMITIVE:BACKEND` makes that primitive compute wrong results on that
//! backend, except in the self-tests: these would notice the fault first, and the tests would never
//! compare a result. In other builds, everything here compiles to nothing.

use sealane_simd::LevelList;

/// Returns whether `primitive` must compute wrong results on `level`.
#[inline(always)]
pub(crate) fn is_injected(primitive: &str, level: impl LevelList) -> bool {
    #[cfg(sealane_fault)]
    {
        static FAULT: std::sync::OnceLock<std::string::String> = std::sync::OnceLock::new();
        let fault = FAULT.get_or_init(|| std::env::var("SEALANE_FAULT").unwrap_or_default());
        fault.split_once(':') == Some((primitive, level.name())) && !PAUSED.get()
    }
    #[cfg(not(sealane_fault))]
    {
        let _ = (primitive, level);
        false
    }
}

#[cfg(sealane_fault)]
std::thread_local! {
    static PAUSED: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
}

/// Runs a self-test on this thread, without the fault.
#[inline(always)]
pub(crate) fn paused(self_test: impl FnOnce() -> bool) -> bool {
    #[cfg(sealane_fault)]
    let before = PAUSED.replace(true);
    let passed = self_test();
    #[cfg(sealane_fault)]
    PAUSED.set(before);
    passed
}

/// Flips a bit of `result` if `primitive` must compute wrong results on `level`.
#[inline(always)]
pub(crate) fn flip(primitive: &str, level: impl LevelList, result: &mut [u8]) {
    if is_injected(primitive, level)
        && let Some(byte) = result.last_mut()
    {
        *byte ^= 1;
    }
}

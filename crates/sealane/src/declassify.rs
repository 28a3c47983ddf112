//! Verdicts and syndromes: the only secret-dependent values that code may branch on.

/// Declassifies and returns a verdict: whether a tag or shares are right, or whether two seeds are
/// equal. A verdict is public although it depends on secrets.
///
/// In a build with `--cfg sealane_declassify`, a constant-time checker receives the verdict: see
/// [`on_declassify`].
#[inline(always)]
pub(crate) fn declassify(verdict: bool) -> bool {
    #[cfg(sealane_declassify)]
    let verdict = {
        let mut byte = [u8::from(verdict)];
        if let Some(hook) = HOOK.get() {
            hook(&mut byte);
        }
        byte[0] == 1
    };
    verdict
}

/// Declassifies the syndromes of shares, which depend only on the errors in the shares.
#[inline(always)]
pub(crate) fn declassify_bytes(_syndromes: &mut [u8]) {
    #[cfg(sealane_declassify)]
    if let Some(hook) = HOOK.get() {
        hook(_syndromes);
    }
}

/// Declassifies syndromes that are elements of limbs.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn declassify_limbs(limbs: &mut [u64]) {
    for limb in limbs {
        let mut bytes = limb.to_le_bytes();
        declassify_bytes(&mut bytes);
        *limb = u64::from_le_bytes(bytes);
    }
}

#[cfg(sealane_declassify)]
static HOOK: std::sync::OnceLock<fn(&mut [u8])> = std::sync::OnceLock::new();

/// Sets the function that receives verdicts and syndromes before the library branches on them. Only
/// the first call has an effect.
#[cfg(sealane_declassify)]
#[doc(hidden)]
pub fn on_declassify(hook: fn(&mut [u8])) {
    HOOK.get_or_init(|| hook);
}

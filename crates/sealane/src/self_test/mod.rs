//! Known answers: a family of primitives uses a backend only if the backend computes them.
//!
//! `backend/` declares the families and their backends, and imports no primitive. The self-tests
//! import both, so they are here.

/// Writes the functions of [`crate::Family`] that return the caches of a family.
macro_rules! caches {
    ($level:ty) => {
        fn chosen() -> &'static sealane_simd::CachedLevel<$level> {
            static CHOSEN: sealane_simd::CachedLevel<$level> = sealane_simd::CachedLevel::new();
            &CHOSEN
        }

        fn tested() -> &'static crate::backend::SelfTestCache {
            static TESTED: crate::backend::SelfTestCache = crate::backend::SelfTestCache::new();
            &TESTED
        }
    };
}

mod aes;
mod chacha;
mod clmul;
mod gf8;
#[cfg(feature = "alloc")]
mod pieces;

/// Returns a digest of `digest` and all `bytes`. It guards against faults, not against attackers.
fn absorb(digest: u64, bytes: &[u8]) -> u64 {
    let mut digest = digest;
    for word in bytes.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        digest = (digest ^ u64::from_le_bytes(padded)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    digest
}

/// Panics unless every backend of this CPU gives the known answers.
#[cfg(feature = "checks")]
pub fn check_every_level() {
    aes::check_every_level();
    chacha::check_every_level();
    clmul::check_every_level();
    gf8::check_every_level();
    #[cfg(feature = "alloc")]
    pieces::check_every_level();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_sees_every_byte() {
        let bytes = [7; 100];
        for i in 0..bytes.len() {
            let mut wrong = bytes;
            wrong[i] ^= 0x10;
            assert_ne!(absorb(0, &wrong), absorb(0, &bytes));
        }
    }
}

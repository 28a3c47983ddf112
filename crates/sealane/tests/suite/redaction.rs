//! `Debug` output of everything that holds a secret is the same for all secrets. This also covers
//! values that are derived from the secret.

use std::fmt::Debug;

use sealane::chacha20::{ChaCha8Rng, ChaCha12, ChaCha20, ChaCha20Original, XChaCha20};
use sealane::gf2n::{DynamicField, Gf256};
use sealane::haraka::HarakaS;
use sealane::quic::HeaderProtectionKey;
use sealane::shamir::{bytes, element};
use sealane::{
    ChaCha20Poly1305, CommittingChaCha20Poly1305, CommittingXChaCha20Poly1305, OpenRequest, OpenSshChaCha20Poly1305,
    Poly1305, SealRequest, XChaCha20Poly1305,
};

/// Checks that the output does not depend on the secret of the value that `make` returns.
#[track_caller]
fn is_redacted<T: Debug>(make: impl Fn(u8) -> T) {
    let shown = |secret| format!("{:?} {:#?}", make(secret), make(secret));
    for secret in [0x5a, 0xe1] {
        assert_eq!(shown(secret), shown(0));
    }
}

#[test]
#[should_panic(expected = "left == right")]
fn a_secret_would_be_noticed() {
    is_redacted(|secret| [secret]);
}

#[test]
fn ciphers() {
    is_redacted(|byte| ChaCha20Poly1305::new(&[byte; 32]));
    is_redacted(|byte| XChaCha20Poly1305::new(&[byte; 32]));
    is_redacted(|byte| CommittingChaCha20Poly1305::new(&[byte; 32]));
    is_redacted(|byte| CommittingXChaCha20Poly1305::new(&[byte; 32]));
    is_redacted(|byte| OpenSshChaCha20Poly1305::new(&[byte; 64]));
    is_redacted(|byte| ChaCha20Poly1305::new(&[byte; 32]).sealer(&[0; 12], b""));
    is_redacted(|byte| ChaCha20Poly1305::new(&[byte; 32]).opener(&[0; 12], b""));
    is_redacted(|byte| Poly1305::new(&[byte; 32]));
    is_redacted(|byte| ChaCha20::new(&[byte; 32], &[0; 12]));
    is_redacted(|byte| ChaCha12::new(&[byte; 32], &[0; 12]));
    is_redacted(|byte| ChaCha20Original::new(&[byte; 32], &[0; 8]));
    is_redacted(|byte| XChaCha20::new(&[byte; 32], &[0; 24]));
    is_redacted(|byte| HeaderProtectionKey::new(&[byte; 32]));
    is_redacted(|byte| {
        let mut sponge = HarakaS::new();
        sponge.absorb(&[byte; 40]);
        sponge
    });
    is_redacted(|byte| {
        let mut sponge = HarakaS::new();
        sponge.absorb(&[byte; 40]);
        sponge.finish()
    });
}

#[test]
fn requests_of_a_batch() {
    let shown = |byte| {
        let (mut message, mut tag) = ([byte; 5], [0; 16]);
        format!("{:?}", SealRequest::new(&[0; 12], b"", &mut message, &mut tag))
    };
    assert_eq!(shown(1), shown(2));
    let shown = |byte| format!("{:?}", OpenRequest::new(&[0; 12], b"", &mut [byte; 5], &[0; 16]));
    assert_eq!(shown(1), shown(2));
}

#[test]
fn generators() {
    use rand_core::{Rng as _, SeedableRng as _};
    is_redacted(|byte| ChaCha8Rng::from_seed([byte; 32]));
    is_redacted(|byte| {
        let mut rng = ChaCha8Rng::from_seed([byte; 32]);
        let _ = rng.next_u32();
        rng
    });
}

#[test]
fn elements_and_shares() {
    let field = DynamicField::of_degree(256).unwrap();
    is_redacted(|byte| Gf256::from_bytes(&[byte; 32]));
    is_redacted(|byte| field.from_be_bytes(&[byte; 32]));
    is_redacted(|byte| element::Share::new(Gf256::ONE, Gf256::from_bytes(&[byte; 32])));
    is_redacted(|byte| bytes::Splitter::from_seed(2, &[1, 2], &[byte; 32]));
    is_redacted(|byte| bytes::Refresher::from_seed(2, &[1, 2], &[byte; 32]));
    is_redacted(|byte| {
        let mut checker = bytes::Checker::new(1, &[1, 2, 3]).unwrap();
        checker.check(&[&[byte], &[byte], &[byte]]).unwrap();
        checker
    });
}

#[test]
fn keys_with_the_interface_of_ring() {
    use sealane::ring::aead::{
        BoundKey as _, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, NonceSequence, OpeningKey, SealingKey,
        UnboundKey, chacha20_poly1305_openssh,
    };
    use sealane::ring::error::Unspecified;

    struct Once;

    impl NonceSequence for Once {
        fn advance(&mut self) -> Result<Nonce, Unspecified> {
            Ok(Nonce::assume_unique_for_key([0; NONCE_LEN]))
        }
    }

    let unbound = |byte| UnboundKey::new(&CHACHA20_POLY1305, &[byte; 32]).unwrap();
    is_redacted(unbound);
    is_redacted(|byte| LessSafeKey::new(unbound(byte)));
    is_redacted(|byte| SealingKey::new(unbound(byte), Once));
    is_redacted(|byte| OpeningKey::new(unbound(byte), Once));
    is_redacted(|byte| chacha20_poly1305_openssh::SealingKey::new(&[byte; 64]));
    is_redacted(|byte| chacha20_poly1305_openssh::OpeningKey::new(&[byte; 64]));
}

/// The types with the traits of one generation of RustCrypto's crates.
macro_rules! rustcrypto {
    ($name:ident, $generation:ident) => {
        #[test]
        fn $name() {
            use sealane::$generation::chacha20::cipher::KeyIvInit as _;
            use sealane::$generation::chacha20poly1305::KeyInit as _;
            use sealane::$generation::{chacha20, chacha20poly1305, poly1305};

            is_redacted(|byte| chacha20poly1305::ChaCha20Poly1305::new(&[byte; 32].into()));
            is_redacted(|byte| chacha20poly1305::XChaCha20Poly1305::new(&[byte; 32].into()));
            is_redacted(|byte| chacha20::ChaCha20::new(&[byte; 32].into(), &[0; 12].into()));
            is_redacted(|byte| chacha20::XChaCha12::new(&[byte; 32].into(), &[0; 24].into()));
            is_redacted(|byte| poly1305::Poly1305::new(&[byte; 32].into()));
        }
    };
}

#[cfg(feature = "rustcrypto")]
rustcrypto!(types_with_the_traits_of_rustcrypto, rustcrypto);
#[cfg(feature = "rustcrypto-05")]
rustcrypto!(types_with_the_older_traits_of_rustcrypto, rustcrypto05);

//! Each type that holds a secret promises to wipe it when it is dropped.

use sealane::chacha20::{ChaCha8, ChaCha12, ChaCha20, ChaCha20Original, XChaCha20};
use sealane::haraka::{HarakaS, Squeezer};
use sealane::quic::HeaderProtectionKey;
use sealane::shamir::bytes::{Refresher, Splitter};
use sealane::{
    ChaCha20Poly1305, CommittingChaCha20Poly1305, CommittingXChaCha20Poly1305, OpenSshChaCha20Poly1305, Opener,
    Poly1305, Sealer, Verified, XChaCha20Poly1305,
};
use zeroize::ZeroizeOnDrop;

/// Compiles only for types with the promise.
fn is_wiped<T: ZeroizeOnDrop>() {}

#[test]
fn ciphers_and_authenticators() {
    is_wiped::<ChaCha20Poly1305>();
    is_wiped::<XChaCha20Poly1305>();
    is_wiped::<CommittingChaCha20Poly1305>();
    is_wiped::<CommittingXChaCha20Poly1305>();
    is_wiped::<OpenSshChaCha20Poly1305>();
    is_wiped::<Sealer>();
    is_wiped::<Opener>();
    is_wiped::<Verified>();
    is_wiped::<Poly1305>();
    is_wiped::<ChaCha8>();
    is_wiped::<ChaCha12>();
    is_wiped::<ChaCha20>();
    is_wiped::<ChaCha20Original>();
    is_wiped::<XChaCha20>();
    is_wiped::<HeaderProtectionKey>();
}

#[test]
fn sponges() {
    is_wiped::<HarakaS<'_>>();
    is_wiped::<Squeezer<'_>>();
}

#[test]
fn coefficients() {
    is_wiped::<Splitter>();
    is_wiped::<Refresher>();
}

#[cfg(feature = "alloc")]
#[test]
fn elements_shares_and_matrices() {
    is_wiped::<sealane::gf2n::DynamicElement>();
    is_wiped::<sealane::gf8::Matrix>();
    is_wiped::<sealane::shamir::element::Share<sealane::gf2n::Degree<256>>>();
}

#[cfg(feature = "rand_core")]
#[test]
fn generators() {
    is_wiped::<sealane::chacha20::ChaCha8Rng>();
    is_wiped::<sealane::chacha20::ChaCha20Rng>();
}

#[test]
fn keys_with_the_interface_of_ring() {
    use sealane::ring::aead::{
        LessSafeKey, Nonce, NonceSequence, OpeningKey, SealingKey, UnboundKey, chacha20_poly1305_openssh,
    };
    use sealane::ring::error::Unspecified;

    struct Never;

    impl NonceSequence for Never {
        fn advance(&mut self) -> Result<Nonce, Unspecified> {
            Err(Unspecified)
        }
    }

    is_wiped::<UnboundKey>();
    is_wiped::<LessSafeKey>();
    is_wiped::<SealingKey<Never>>();
    is_wiped::<OpeningKey<Never>>();
    is_wiped::<chacha20_poly1305_openssh::SealingKey>();
    is_wiped::<chacha20_poly1305_openssh::OpeningKey>();
}

/// The types with the traits of one generation of RustCrypto's crates.
macro_rules! rustcrypto {
    ($name:ident, $generation:ident) => {
        #[test]
        fn $name() {
            use sealane::$generation::{chacha20, chacha20poly1305, poly1305};

            is_wiped::<chacha20poly1305::ChaCha20Poly1305>();
            is_wiped::<chacha20poly1305::XChaCha20Poly1305>();
            is_wiped::<chacha20::ChaCha20>();
            is_wiped::<chacha20::XChaCha12>();
            is_wiped::<poly1305::Poly1305>();
        }
    };
}

#[cfg(feature = "rustcrypto")]
rustcrypto!(types_with_the_traits_of_rustcrypto, rustcrypto);
#[cfg(feature = "rustcrypto-05")]
rustcrypto!(types_with_the_older_traits_of_rustcrypto, rustcrypto05);

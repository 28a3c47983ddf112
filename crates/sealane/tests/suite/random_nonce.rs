//! Sealing under random nonces.

use std::collections::HashSet;

use rand_core::{SeedableRng, TryCryptoRng, TryRng};
use sealane::chacha20::ChaCha20Rng;
use sealane::{CommittingXChaCha20Poly1305, OpenError, RandomError, XChaCha20Poly1305};

use crate::common::{array, test_bytes};

/// A generator that always fails, after it has written something.
pub(crate) struct Broken;

impl TryRng for Broken {
    type Error = std::fmt::Error;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Err(std::fmt::Error)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Err(std::fmt::Error)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(1);
        Err(std::fmt::Error)
    }
}

impl TryCryptoRng for Broken {}

macro_rules! random_nonces {
    ($name:ident, $cipher:ty, $tag_bytes:literal) => {
        mod $name {
            use super::*;

            /// The generator's bytes become the nonce, in order, and each byte is used only once.
            #[test]
            fn nonces_are_the_generators_bytes() {
                let cipher = <$cipher>::new(&array(1));
                let (mut rng, mut same) = (ChaCha20Rng::from_seed(array(2)), ChaCha20Rng::from_seed(array(2)));
                let mut expected = || {
                    let mut nonce = [0; 24];
                    same.try_fill_bytes(&mut nonce).unwrap();
                    nonce
                };
                for length in [0, 1, 100, 5000] {
                    let plaintext = test_bytes(3, length);
                    assert_eq!(<$cipher>::random_nonce_with_rng(&mut rng), Ok(expected()));

                    let mut buffer = plaintext.clone();
                    let (nonce, tag) = cipher.seal_in_place_random_with_rng(&mut rng, b"aad", &mut buffer).unwrap();
                    assert_eq!(nonce, expected());
                    let mut ciphertext = plaintext.clone();
                    assert_eq!(tag, cipher.seal_in_place(&nonce, b"aad", &mut ciphertext));
                    assert!(buffer == ciphertext);

                    let message = cipher.seal_random_with_rng(&mut rng, b"aad", &plaintext).unwrap();
                    let nonce = expected();
                    let mut ciphertext = plaintext.clone();
                    let tag = cipher.seal_in_place(&nonce, b"aad", &mut ciphertext);
                    assert!(message == [&nonce[..], &ciphertext, &tag].concat());
                    assert_eq!(cipher.open_random(b"aad", &message), Ok(plaintext));
                }
            }

            #[test]
            fn no_nonce_of_the_system_comes_twice() {
                let cipher = <$cipher>::new(&array(4));
                let mut nonces = HashSet::new();
                for _ in 0..100 {
                    assert!(nonces.insert(<$cipher>::random_nonce().unwrap()));
                    let mut buffer = [7; 40];
                    let (nonce, tag) = cipher.seal_in_place_random(b"aad", &mut buffer).unwrap();
                    assert!(nonces.insert(nonce));
                    cipher.open_in_place(&nonce, b"aad", &mut buffer, &tag).unwrap();
                    assert_eq!(buffer, [7; 40]);
                    let message = cipher.seal_random(b"aad", &buffer).unwrap();
                    assert!(nonces.insert(message[..24].try_into().unwrap()));
                    assert_eq!(cipher.open_random(b"aad", &message).unwrap(), buffer);
                }
            }

            #[test]
            fn a_generator_that_fails_leaves_the_plaintext() {
                let cipher = <$cipher>::new(&array(5));
                let mut buffer = [9; 30];
                assert_eq!(cipher.seal_in_place_random_with_rng(&mut Broken, b"", &mut buffer), Err(RandomError));
                assert_eq!(buffer, [9; 30]);
                assert_eq!(cipher.seal_random_with_rng(&mut Broken, b"", &buffer), Err(RandomError));
                assert_eq!(<$cipher>::random_nonce_with_rng(&mut Broken), Err(RandomError));
            }

            #[test]
            fn changed_and_short_messages_are_refused() {
                let cipher = <$cipher>::new(&array(6));
                let message = cipher.seal_random(b"aad", b"some plaintext").unwrap();
                for length in 0..message.len() {
                    assert_eq!(cipher.open_random(b"aad", &message[..length]), Err(OpenError), "{length} bytes");
                    let mut bad = message.clone();
                    bad[length] ^= 1;
                    assert_eq!(cipher.open_random(b"aad", &bad), Err(OpenError), "byte {length} changed");
                }
                assert_eq!(cipher.open_random(b"", &message), Err(OpenError));
                let empty = cipher.seal_random(b"", b"").unwrap();
                assert_eq!(empty.len(), 24 + $tag_bytes);
                assert_eq!(cipher.open_random(b"", &empty), Ok(Vec::new()));
            }
        }
    };
}

random_nonces!(xchacha20_poly1305, XChaCha20Poly1305, 16);
random_nonces!(committing_xchacha20_poly1305, CommittingXChaCha20Poly1305, 32);

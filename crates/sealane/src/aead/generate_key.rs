//! Keys from a generator of random numbers.

#[cfg(feature = "rand_core")]
use rand_core::TryCryptoRng;
use zeroize::Zeroizing;

use super::cipher::{AeadLayout, ChaChaPoly1305, KEY_BYTES};
#[cfg(feature = "commit")]
use super::committing::CommittingChaChaPoly1305;
use crate::error::RandomError;
use crate::random::Random;

fn generate(random: &mut impl Random) -> Result<Zeroizing<[u8; KEY_BYTES]>, RandomError> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    random.fill(&mut *key)?;
    Ok(key)
}

macro_rules! keys {
    ($cipher:ident) => {
        impl<L: AeadLayout> $cipher<L> {
            /// Draws a key from the operating system's generator. The result is wiped when it is
            /// dropped.
            ///
            /// ```
            /// use sealane::ChaCha20Poly1305;
            ///
            /// let key = ChaCha20Poly1305::generate_key()?;
            /// let cipher = ChaCha20Poly1305::new(&key);
            /// # Ok::<(), sealane::RandomError>(())
            /// ```
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            #[cfg(feature = "getrandom")]
            pub fn generate_key() -> Result<Zeroizing<[u8; KEY_BYTES]>, RandomError> {
                generate(&mut crate::random::System)
            }

            /// Draws a key from `rng`, which must be seeded with enough entropy.
            ///
            /// # Errors
            /// [`RandomError`] if the generator fails.
            #[cfg(feature = "rand_core")]
            pub fn generate_key_with_rng(
                rng: &mut impl TryCryptoRng,
            ) -> Result<Zeroizing<[u8; KEY_BYTES]>, RandomError> {
                generate(&mut crate::random::Given(rng))
            }
        }
    };
}

keys!(ChaChaPoly1305);
#[cfg(feature = "commit")]
keys!(CommittingChaChaPoly1305);

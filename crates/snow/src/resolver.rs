//! Tells `snow` which implementations to use.

use alloc::boxed::Box;

use sealane::Backend;
#[cfg(feature = "fallback")]
use snow::Builder;
#[cfg(feature = "fallback")]
use snow::params::NoiseParams;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::CryptoResolver;
#[cfg(feature = "fallback")]
use snow::resolvers::{BoxedCryptoResolver, DefaultResolver, FallbackResolver};
use snow::types::{Cipher, Dh, Hash, Random};

use crate::cipher::ChaChaPoly;

/// Resolves the cipher `ChaChaPoly`, and nothing else.
///
/// A `snow::resolvers::FallbackResolver` can add other implementations. `resolver` adds `snow`'s
/// own.
///
/// ```
/// use sealane_snow::SealaneResolver;
/// use sealane_snow::snow::params::CipherChoice;
/// use sealane_snow::snow::resolvers::CryptoResolver;
///
/// let resolver = SealaneResolver::new();
/// let mut cipher = resolver.resolve_cipher(&CipherChoice::ChaChaPoly).expect("what it is for");
/// cipher.set(&[0x42; 32]);
///
/// let (mut sealed, mut opened) = ([0; 14 + 16], [0; 14]);
/// cipher.encrypt(0, b"", b"attack at dawn", &mut sealed);
/// cipher.decrypt(0, b"", &sealed, &mut opened)?;
/// assert_eq!(&opened, b"attack at dawn");
/// assert!(resolver.resolve_cipher(&CipherChoice::AESGCM).is_none());
/// # Ok::<(), sealane_snow::snow::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SealaneResolver {
    backend: Backend,
}

impl SealaneResolver {
    /// Returns a resolver whose cipher runs on the backend of [`Backend::detect`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_backend(Backend::detect())
    }

    /// Returns a resolver whose cipher runs on the given backend.
    #[must_use]
    pub fn with_backend(backend: Backend) -> Self {
        Self { backend }
    }
}

impl Default for SealaneResolver {
    fn default() -> Self {
        Self::new()
    }
}

impl CryptoResolver for SealaneResolver {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        None
    }

    fn resolve_dh(&self, _: &DHChoice) -> Option<Box<dyn Dh>> {
        None
    }

    fn resolve_hash(&self, _: &HashChoice) -> Option<Box<dyn Hash>> {
        None
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        match choice {
            CipherChoice::ChaChaPoly => Some(Box::new(ChaChaPoly::new(self.backend))),
            _ => None,
        }
    }
}

/// Returns a resolver with Sealane's `ChaChaPoly`, and `snow`'s own implementations of everything
/// else.
#[cfg(feature = "fallback")]
#[must_use]
pub fn resolver() -> BoxedCryptoResolver {
    Box::new(FallbackResolver::new(Box::new(SealaneResolver::new()), Box::new(DefaultResolver)))
}

/// Returns a builder of sessions that uses [`resolver`]. Call it in place of `snow::Builder::new`.
#[cfg(feature = "fallback")]
#[must_use]
pub fn builder<'builder>(params: NoiseParams) -> Builder<'builder> {
    Builder::with_resolver(params, resolver())
}

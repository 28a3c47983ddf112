//! The types of the ciphers.

use core::fmt::{self, Debug};

use sealane_simd::{Level, Output};

use super::byte_array::ByteArray;
use super::entry;
use super::streaming::{Opener, Sealer};
use crate::backend::Backend;
use crate::chacha20::{ChaCha, Extended, Ietf, Layout, State};
use crate::error::OpenError;
use crate::poly1305::Tag;
use crate::wipe::wipe;

/// Length of a key in bytes.
pub const KEY_BYTES: usize = 32;
/// The longest message in bytes: 2^32 - 1 blocks, because block 0 gives the one-time key (RFC 8439,
/// section 2.8).
pub const MAX_MESSAGE_BYTES: u64 = (1 << 38) - 64;

/// ChaCha20-Poly1305: authenticated encryption with a 96-bit nonce (RFC 8439).
///
/// A nonce must never be used for two messages under one key: that reveals both and lets anyone
/// forge more. 96 bits are enough for a counter; to draw nonces at random, use
/// [`XChaCha20Poly1305`].
pub type ChaCha20Poly1305 = ChaChaPoly1305<Ietf>;

/// XChaCha20-Poly1305: authenticated encryption with a 192-bit nonce, which may be drawn at random
/// (draft-irtf-cfrg-xchacha-03).
///
/// `seal_in_place_random` draws the nonce and returns it with the tag; `seal_random`
/// returns nonce, ciphertext and tag in one piece. Both take the operating system's generator
/// (feature `getrandom`), and have a form for any other.
#[cfg_attr(
    all(feature = "alloc", feature = "getrandom"),
    doc = "
```
use sealane::XChaCha20Poly1305;

let cipher = XChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
let message = cipher.seal_random(b\"header\", b\"attack at dawn\")?;
assert_eq!(message.len(), 24 + 14 + 16);
assert_eq!(cipher.open_random(b\"header\", &message)?, b\"attack at dawn\");
# Ok::<(), Box<dyn std::error::Error>>(())
```
"
)]
pub type XChaCha20Poly1305 = ChaChaPoly1305<Extended>;

/// A key stream layout for which there is an AEAD: [`Ietf`] or [`Extended`].
///
/// Code that is generic over [`ChaChaPoly1305`] uses this trait as its bound. The trait is sealed.
///
/// ```
/// use sealane::{AeadLayout, ChaCha20Poly1305, ChaChaPoly1305, XChaCha20Poly1305};
///
/// /// Returns the length of a sealed message and its nonce.
/// fn sealed_bytes<L: AeadLayout>(_: &ChaChaPoly1305<L>, message: usize) -> usize {
///     size_of::<L::Nonce>() + message + sealane::TAG_BYTES
/// }
///
/// assert_eq!(sealed_bytes(&ChaCha20Poly1305::new(&[0x42; 32]), 100), 128);
/// assert_eq!(sealed_bytes(&XChaCha20Poly1305::new(&[0x42; 32]), 100), 140);
/// ```
pub trait AeadLayout: Layout<Nonce: ByteArray> + Debug + Send + Sync + 'static {}

impl AeadLayout for Ietf {}
impl AeadLayout for Extended {}

/// A key and the backend that works with it: [`ChaCha20Poly1305`] or [`XChaCha20Poly1305`].
///
/// Keys have 32 bytes, tags 16; a ciphertext is as long as its plaintext, and the tag is kept apart
/// from it.
#[derive(Clone)]
pub struct ChaChaPoly1305<L: AeadLayout> {
    pub(super) key: [u8; KEY_BYTES],
    pub(super) level: Level,
    layout: core::marker::PhantomData<L>,
}

impl<L: AeadLayout> ChaChaPoly1305<L> {
    /// Length of a nonce in bytes: 12, or 24 for XChaCha20-Poly1305.
    pub const NONCE_BYTES: usize = size_of::<L::Nonce>();

    /// Returns a cipher on the backend of [`Backend::detect`].
    #[must_use]
    #[inline]
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self::with_backend(key, Backend::detect())
    }

    /// Returns a cipher on the given backend.
    #[must_use]
    #[inline]
    pub fn with_backend(key: &[u8; KEY_BYTES], backend: Backend) -> Self {
        Self { key: *key, level: backend.level(), layout: core::marker::PhantomData }
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Backend {
        Backend::of(self.level)
    }

    /// Encrypts `buffer` in place and authenticates it together with the associated data `aad`.
    ///
    /// # Panics
    /// If `buffer` is longer than [`MAX_MESSAGE_BYTES`]; nothing is written then.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn seal_in_place(&self, nonce: &L::Nonce, aad: &[u8], buffer: &mut [u8]) -> Tag {
        check_length(buffer.len());
        let mut state = [0; 16];
        self.fill_state(nonce, &mut state);
        let tag = entry::seal_in_place(self.level, &state, aad, buffer);
        wipe(&mut state);
        tag
    }

    /// Decrypts `buffer` in place if it, `aad`, `nonce` and `tag` are authentic together.
    ///
    /// During the call, the buffer may hold plaintext that is not yet known to be authentic. After
    /// the call, it never does.
    ///
    /// # Errors
    /// [`OpenError`] if they are not; `buffer` then holds the ciphertext as before.
    pub fn open_in_place(&self, nonce: &L::Nonce, aad: &[u8], buffer: &mut [u8], tag: &Tag) -> Result<(), OpenError> {
        self.with_state(nonce, buffer.len(), |state| entry::open_in_place(self.level, state, aad, buffer, tag))
    }

    /// Encrypts `plaintext` into `ciphertext` and authenticates it together with `aad`. Returns
    /// `ciphertext` and the tag.
    ///
    /// `ciphertext` is a `&mut [u8]`, or a `&mut [MaybeUninit<u8>]`, which may be uninitialised.
    /// Do not pass memory that another process can read: the plaintext is copied there first.
    ///
    /// # Panics
    /// If the lengths differ or are above [`MAX_MESSAGE_BYTES`]; nothing is written then.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn seal_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: impl Into<Output<'o>>,
    ) -> (&'o mut [u8], Tag) {
        self.seal_slices_into(nonce, aad, &[plaintext], ciphertext)
    }

    /// Encrypts the message in the slices of `plaintext`, one after the other, into `ciphertext`,
    /// and authenticates it together with `aad`. Returns `ciphertext` and the tag.
    ///
    /// The message is the same as if the slices were one, and can be opened in any way.
    /// `ciphertext` is a `&mut [u8]`, or a `&mut [MaybeUninit<u8>]`, which may be uninitialised.
    /// Do not pass memory that another process can read: the plaintext is copied there first.
    ///
    /// ```
    /// use sealane::ChaCha20Poly1305;
    ///
    /// let cipher = ChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
    /// let (mut ciphertext, mut plaintext) = ([0; 14], [0; 14]);
    /// let message: [&[u8]; 3] = [b"attack ", b"at ", b"dawn"];
    /// let (_, tag) = cipher.seal_slices_into(&[0; 12], b"", &message, &mut ciphertext);
    ///
    /// let parts = [&ciphertext[..5], &ciphertext[5..]];
    /// cipher.open_slices_into(&[0; 12], b"", &parts, &tag, &mut plaintext)?;
    /// assert_eq!(&plaintext, b"attack at dawn");
    /// # Ok::<(), sealane::OpenError>(())
    /// ```
    ///
    /// # Panics
    /// If the lengths differ or are above [`MAX_MESSAGE_BYTES`]; nothing is written then.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn seal_slices_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        plaintext: &[&[u8]],
        ciphertext: impl Into<Output<'o>>,
    ) -> (&'o mut [u8], Tag) {
        let length = total_length(plaintext);
        let mut output = empty_output(ciphertext, length);
        check_length(length);
        let mut state = [0; 16];
        self.fill_state(nonce, &mut state);
        let tag = entry::seal_gathered(self.level, &state, aad, plaintext, &mut output);
        wipe(&mut state);
        (output.finish(), tag)
    }

    /// Decrypts `ciphertext` into `plaintext` if it, `aad`, `nonce` and `tag` are authentic
    /// together. Returns `plaintext`.
    ///
    /// `plaintext` is a `&mut [u8]`, or a `&mut [MaybeUninit<u8>]`, which may be uninitialised.
    ///
    /// # Errors
    /// [`OpenError`] if they are not. `plaintext` then holds no part of the message: all bytes that
    /// were written have been wiped.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn open_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Tag,
        plaintext: impl Into<Output<'o>>,
    ) -> Result<&'o mut [u8], OpenError> {
        let mut output = empty_output(plaintext, ciphertext.len());
        let opened = self.with_state(nonce, ciphertext.len(), |state| {
            entry::open_copied(self.level, state, aad, ciphertext, tag, &mut output)
        });
        opened?;
        Ok(output.finish())
    }

    /// Decrypts the message in the slices of `ciphertext`, one after the other, into `plaintext` if
    /// it, `aad`, `nonce` and `tag` are authentic together. Returns `plaintext`.
    ///
    /// [`Self::seal_slices_into`] has an example. `plaintext` is a `&mut [u8]`, or a `&mut
    /// [MaybeUninit<u8>]`, which may be uninitialised. The whole ciphertext is copied there first,
    /// because the kernels authenticate it in one piece. [`Self::open_into`] copies a ciphertext in
    /// one slice part by part.
    ///
    /// # Errors
    /// [`OpenError`] if they are not. `plaintext` then holds no part of the message: all bytes that
    /// were written have been wiped.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn open_slices_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        ciphertext: &[&[u8]],
        tag: &Tag,
        plaintext: impl Into<Output<'o>>,
    ) -> Result<&'o mut [u8], OpenError> {
        let length = total_length(ciphertext);
        let mut output = empty_output(plaintext, length);
        self.with_state(nonce, length, |state| {
            ciphertext.iter().for_each(|slice| _ = output.append(slice));
            entry::open_in_place(self.level, state, aad, output.filled_mut(), tag)
                .inspect_err(|_| wipe(output.filled_mut()))
        })?;
        Ok(output.finish())
    }

    /// Starts a message that is encrypted in pieces.
    #[must_use]
    pub fn sealer(&self, nonce: &L::Nonce, aad: &[u8]) -> Sealer {
        Sealer::new(self.level, |state| self.fill_state(nonce, state), aad)
    }

    /// Starts a message that is authenticated, then decrypted, in pieces.
    #[must_use]
    pub fn opener(&self, nonce: &L::Nonce, aad: &[u8]) -> Opener {
        Opener::new(self.level, |state| self.fill_state(nonce, state), aad)
    }

    fn with_state(
        &self,
        nonce: &L::Nonce,
        length: usize,
        open: impl FnOnce(&State) -> Result<(), OpenError>,
    ) -> Result<(), OpenError> {
        if length as u64 > MAX_MESSAGE_BYTES {
            return Err(OpenError);
        }
        let mut state = [0; 16];
        self.fill_state(nonce, &mut state);
        let result = open(&state);
        wipe(&mut state);
        result
    }

    /// Fills the state in place, because returning a state leaves a copy behind.
    pub(super) fn fill_state(&self, nonce: &L::Nonce, state: &mut State) {
        L::fill_state::<20>(&self.key, nonce, self.level, state);
    }

    /// Returns the key stream from block 0.
    pub(super) fn cipher(&self, nonce: &L::Nonce) -> ChaCha<20, Ietf> {
        let mut cipher = ChaCha::empty(self.level);
        self.fill_state(nonce, cipher.state_mut());
        cipher
    }
}

/// Returns the length of the message in these slices. The length exceeds the address space only if
/// slices share memory.
fn total_length(slices: &[&[u8]]) -> usize {
    slices.iter().try_fold(0, |sum: usize, slice| sum.checked_add(slice.len())).expect("a message in memory")
}

/// Returns an output for exactly `length` bytes.
pub(super) fn empty_output<'o>(output: impl Into<Output<'o>>, length: usize) -> Output<'o> {
    let output = output.into();
    assert!(
        output.remaining() == length && output.capacity() == length,
        "plaintext and ciphertext must have the same length"
    );
    output
}

pub(super) fn check_length(length: usize) {
    assert!(length as u64 <= MAX_MESSAGE_BYTES, "a message has at most 2^38 - 64 bytes");
}

impl<L: AeadLayout> Drop for ChaChaPoly1305<L> {
    fn drop(&mut self) {
        wipe(&mut self.key);
    }
}

impl<L: AeadLayout> zeroize::ZeroizeOnDrop for ChaChaPoly1305<L> {}

impl<L: AeadLayout> Debug for ChaChaPoly1305<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChaChaPoly1305").field("backend", &self.level).finish_non_exhaustive()
    }
}

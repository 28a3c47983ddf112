//! Messages in pieces.
//!
//! [`state`] defines the order of the work. Key stream is computed ahead in a [`window`]. The
//! ciphertext takes its place there until it is authenticated, so that both kernels process many
//! blocks in each call. On CPUs that do vector and scalar work side by side, the window is one
//! group of blocks: [`groups`] authenticates a group while it computes the key stream of the next
//! one, or, to decrypt, of the same one. A long piece is processed in place. If there are many
//! pieces, [`crate::poly1305::Pieces`] keeps their sum on CPUs that do such work in turns, and on
//! all CPUs if the pieces are only authenticated.

mod authenticator;
mod direction;
mod groups;
mod pairs;
mod state;
mod window;

use core::fmt;

use sealane_simd::Level;

use self::direction::Direction;
use self::state::StreamState;
use self::window::Window;
use crate::backend::Backend;
use crate::chacha20::{BLOCK_BYTES, State};
use crate::error::{CounterOverflow, OpenError};
use crate::poly1305::Tag;
use crate::wipe::wipe;

/// Encrypts one message in pieces of any length.
///
/// The value takes about 1.3 KiB, because it holds key stream that was computed ahead for short
/// pieces. With the feature `alloc`, a message of more than 1 KiB allocates 4 KiB more on some
/// backends. This memory is wiped with the value.
///
/// A clone continues the same message with the same nonce. Two different continuations reveal both
/// messages to anyone who sees them, and let them forge messages with this nonce, so send only one.
///
/// ```
/// # use sealane::ChaCha20Poly1305;
/// let cipher = ChaCha20Poly1305::new(&[1; 32]);
/// let mut pieces = [*b"first ", *b"second"];
/// let mut sealer = cipher.sealer(&[0; 12], b"");
/// for piece in &mut pieces {
///     sealer.seal(piece)?;
/// }
/// assert_eq!(sealer.remaining(), sealane::MAX_MESSAGE_BYTES - 12);
/// let tag = sealer.finish();
/// # let mut whole = *b"first second";
/// # assert_eq!(tag, cipher.seal_in_place(&[0; 12], b"", &mut whole));
/// # assert_eq!(pieces.as_flattened(), whole);
/// # Ok::<(), sealane::CounterOverflow>(())
/// ```
#[derive(Clone)]
pub struct Sealer(StreamState);

impl Sealer {
    pub(super) fn new(level: Level, fill: impl FnOnce(&mut State), aad: &[u8]) -> Self {
        Self(StreamState::new(level, fill, aad))
    }

    /// Returns the number of bytes that the message may still have.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.0.remaining()
    }

    /// Encrypts the next piece in place.
    ///
    /// # Errors
    /// [`CounterOverflow`] if the message would be longer than [`crate::MAX_MESSAGE_BYTES`];
    /// nothing is written then.
    pub fn seal(&mut self, piece: &mut [u8]) -> Result<(), CounterOverflow> {
        if piece.len() as u64 > self.0.remaining() {
            return Err(CounterOverflow);
        }
        self.0.apply(piece, Direction::Encrypt);
        Ok(())
    }

    /// Adds the next piece, which is already encrypted with this key and nonce at this position. To
    /// encrypt a piece, use [`Sealer::seal`].
    ///
    /// ```
    /// # use sealane::ChaCha20Poly1305;
    /// # let cipher = ChaCha20Poly1305::new(&[1; 32]);
    /// let mut pieces = [*b"first ", *b"second"];
    /// // The tag of the first piece alone is never sent.
    /// let _ = cipher.seal_in_place(&[0; 12], b"", &mut pieces[0]);
    /// let mut sealer = cipher.sealer(&[0; 12], b"");
    /// sealer.add_ciphertext(&pieces[0])?;
    /// sealer.seal(&mut pieces[1])?;
    /// let tag = sealer.finish();
    /// # let mut whole = *b"first second";
    /// # assert_eq!(tag, cipher.seal_in_place(&[0; 12], b"", &mut whole));
    /// # assert_eq!(pieces.as_flattened(), whole);
    /// # Ok::<(), sealane::CounterOverflow>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Sealer::seal`]. The piece is then not part of the message.
    pub fn add_ciphertext(&mut self, ciphertext: &[u8]) -> Result<(), CounterOverflow> {
        if ciphertext.len() as u64 > self.0.remaining() {
            return Err(CounterOverflow);
        }
        self.0.authenticate(ciphertext);
        Ok(())
    }

    /// Returns the tag of the message.
    #[inline]
    #[must_use = "without its tag a message cannot be opened"]
    pub fn finish(mut self) -> Tag {
        self.0.tag()
    }
}

/// Authenticates one message in pieces of any length. If the tag is right, [`Verified`] decrypts
/// the message.
///
/// The ciphertext is read twice, so that no plaintext exists before it is authentic. If the
/// ciphertext can be read only once, use [`Opener::decrypt_unauthenticated`], whose plaintext may
/// be an attacker's.
///
/// With the feature `alloc`, a message of more than 1 KiB allocates 4 KiB on some backends. This
/// memory is wiped with the value.
///
/// ```
/// # use sealane::ChaCha20Poly1305;
/// # let cipher = ChaCha20Poly1305::new(&[1; 32]);
/// # let mut message = *b"first second";
/// # let tag = cipher.seal_in_place(&[0; 12], b"", &mut message);
/// let mut opener = cipher.opener(&[0; 12], b"");
/// for piece in message.chunks(5) {
///     opener.update(piece)?;
/// }
/// assert_eq!(opener.remaining(), sealane::MAX_MESSAGE_BYTES - 12);
/// let mut verified = opener.verify(&tag)?;
/// for piece in message.chunks_mut(7) {
///     verified.decrypt(piece)?;
/// }
/// assert_eq!(&message, b"first second");
/// # Ok::<(), sealane::OpenError>(())
/// ```
#[derive(Clone)]
pub struct Opener {
    message: StreamState,
    /// Whether a piece was refused. The accepted pieces are then not the whole message.
    too_long: bool,
}

impl Opener {
    pub(super) fn new(level: Level, fill: impl FnOnce(&mut State), aad: &[u8]) -> Self {
        Self { message: StreamState::new(level, fill, aad), too_long: false }
    }

    /// Returns the number of bytes that the message may still have: 0 after a piece was refused.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        if self.too_long { 0 } else { self.message.remaining() }
    }

    /// Adds the next piece of ciphertext, without decrypting it.
    ///
    /// # Errors
    /// [`OpenError`] if the message is longer than [`crate::MAX_MESSAGE_BYTES`]: then it is not
    /// authentic, and [`Opener::verify`] fails too.
    pub fn update(&mut self, ciphertext: &[u8]) -> Result<(), OpenError> {
        self.check_length(ciphertext)?;
        self.message.authenticate(ciphertext);
        Ok(())
    }

    /// Adds the next piece and decrypts it in place **before it is known to be authentic**.
    ///
    /// The plaintext must not be used, nor may its effects be visible from outside, until
    /// [`Opener::verify`] has succeeded. If it fails, all pieces must be discarded. If all pieces
    /// were decrypted, the [`Verified`] that it returns is not needed: it would encrypt them again.
    ///
    /// # Errors
    /// The errors of [`Opener::update`]. After an error, nothing is written.
    pub fn decrypt_unauthenticated(&mut self, piece: &mut [u8]) -> Result<(), OpenError> {
        self.check_length(piece)?;
        self.message.apply(piece, Direction::Decrypt);
        Ok(())
    }

    fn check_length(&mut self, piece: &[u8]) -> Result<(), OpenError> {
        self.too_long |= piece.len() as u64 > self.message.remaining();
        if self.too_long { Err(OpenError) } else { Ok(()) }
    }

    /// Compares the tag of all pieces with `tag`, in constant time.
    ///
    /// # Errors
    /// [`OpenError`] if the message is not authentic.
    pub fn verify(self, tag: &Tag) -> Result<Verified, OpenError> {
        self.verify_by(|computed| crate::poly1305::tags_equal(computed, tag))
    }

    /// Does the same as [`Opener::verify`] for protocols with truncated tags: `tag` is the first 1
    /// to 16 bytes of the tag. An attacker forges a message with `n` of these bytes in about
    /// 2^(8·n) attempts, so use [`Opener::verify`] wherever the whole tag is sent.
    ///
    /// ```
    /// # use sealane::ChaCha20Poly1305;
    /// # let cipher = ChaCha20Poly1305::new(&[1; 32]);
    /// # let mut message = *b"attack at dawn";
    /// # let tag = cipher.seal_in_place(&[0; 12], b"", &mut message);
    /// let mut opener = cipher.opener(&[0; 12], b"");
    /// opener.update(&message)?;
    /// opener.verify_truncated(&tag[..12])?.decrypt(&mut message)?;
    /// assert_eq!(&message, b"attack at dawn");
    /// # Ok::<(), sealane::OpenError>(())
    /// ```
    ///
    /// # Errors
    /// [`OpenError`] if the message is not authentic, or `tag` has another length.
    pub fn verify_truncated(self, tag: &[u8]) -> Result<Verified, OpenError> {
        self.verify_by(|computed| {
            if !(1..=computed.len()).contains(&tag.len()) {
                return Err(OpenError);
            }
            let mut expected = *computed;
            expected[..tag.len()].copy_from_slice(tag);
            let result = crate::poly1305::tags_equal(computed, &expected);
            // A forger must not find the right bytes.
            wipe(&mut expected);
            result
        })
    }

    /// Does the same as [`Opener::verify`], with `check` in place of the comparison.
    pub(super) fn verify_by(
        mut self,
        check: impl FnOnce(&Tag) -> Result<(), OpenError>,
    ) -> Result<Verified, OpenError> {
        let mut tag = self.message.tag();
        let result = check(&tag);
        wipe(&mut tag);
        result?;
        if self.too_long {
            return Err(OpenError);
        }
        self.message.window.seek(BLOCK_BYTES as u64);
        Ok(Verified { remaining: self.message.bytes, window: self.message.window })
    }
}

/// A message with a verified tag, to be decrypted in pieces of any length.
///
/// The pieces must be the bytes that the [`Opener`] received, from the first one on, as ciphertext.
/// This type cannot check them again. Plaintext, such as a piece that
/// [`Opener::decrypt_unauthenticated`] has decrypted, would be encrypted.
///
/// ```
/// use sealane::{ChaCha20Poly1305, Verified};
///
/// let cipher = ChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
/// let mut message = *b"attack at dawn";
/// let tag = cipher.seal_in_place(&[0; 12], b"", &mut message);
///
/// let mut opener = cipher.opener(&[0; 12], b"");
/// opener.update(&message)?;
/// let mut verified: Verified = opener.verify(&tag)?;
/// verified.decrypt(&mut message)?;
/// assert_eq!(&message, b"attack at dawn");
/// # Ok::<(), sealane::OpenError>(())
/// ```
#[derive(Clone)]
pub struct Verified {
    window: Window,
    remaining: u64,
}

impl Verified {
    /// Returns the number of bytes of the message that have not been decrypted.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Decrypts the next piece of ciphertext in place.
    ///
    /// # Errors
    /// [`OpenError`] if the piece extends beyond the end of the authenticated message; nothing is
    /// written then.
    pub fn decrypt(&mut self, piece: &mut [u8]) -> Result<(), OpenError> {
        let rest = self.remaining.checked_sub(piece.len() as u64).ok_or(OpenError)?;
        self.window.apply(piece, self.remaining);
        self.remaining = rest;
        Ok(())
    }
}

macro_rules! common {
    ($($name:ident => |$this:ident| $level:expr;)*) => {$(
        impl $name {
            /// Returns the backend.
            #[must_use]
            pub fn backend(&self) -> Backend {
                let $this = self;
                Backend::of($level)
            }
        }

        // The cipher and the authenticator inside wipe themselves.
        impl zeroize::ZeroizeOnDrop for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("backend", &self.backend()).finish_non_exhaustive()
            }
        }
    )*};
}

common! {
    Sealer => |sealer| sealer.0.window.level;
    Opener => |opener| opener.message.window.level;
    Verified => |verified| verified.window.level;
}

#[cfg(feature = "checks")]
mod checks;

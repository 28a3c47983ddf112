//! Messages in pieces.

use core::fmt;

use crate::backend::Backend;
use crate::chacha20::{BLOCK_BYTES, ChaCha20};
use crate::error::{CounterOverflow, OpenError};
use crate::poly1305::Poly1305;
use crate::poly1305::Tag;
use crate::wipe::wipe;

/// The cipher and the authenticator of one message, and the number of bytes that they have
/// processed.
#[derive(Clone)]
struct StreamState {
    cipher: ChaCha20,
    mac: Poly1305,
    aad_bytes: u64,
    bytes: u64,
}

impl StreamState {
    /// Takes the one-time key from block 0 (RFC 8439, section 2.6) and starts with the associated
    /// data.
    fn new(mut cipher: ChaCha20, aad: &[u8]) -> Self {
        let mut one_time_key = [0; 32];
        cipher.apply_keystream(&mut one_time_key).expect("block 0 of a new key stream");
        cipher.seek(BLOCK_BYTES as u128).expect("block 1 of a new key stream");
        let mut mac = Poly1305::with_backend(&one_time_key, cipher.backend());
        wipe(&mut one_time_key);
        mac.update(aad);
        mac.pad();
        Self { cipher, mac, aad_bytes: aad.len() as u64, bytes: 0 }
    }

    /// Adds ciphertext. The key stream must not end before the ciphertext.
    fn authenticate(&mut self, ciphertext: &[u8]) {
        self.mac.update(ciphertext);
        self.bytes += ciphertext.len() as u64;
    }

    fn skip(&mut self, bytes: usize) -> Result<(), CounterOverflow> {
        self.cipher.seek(self.cipher.position() + bytes as u128)
    }

    fn tag(&mut self) -> Tag {
        self.mac.pad();
        self.mac.update(&self.aad_bytes.to_le_bytes());
        self.mac.update(&self.bytes.to_le_bytes());
        self.mac.tag()
    }
}

/// Encrypts one message in pieces of any length.
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
/// let tag = sealer.finish();
/// # let mut whole = *b"first second";
/// # assert_eq!(tag, cipher.seal_in_place(&[0; 12], b"", &mut whole));
/// # assert_eq!(pieces.as_flattened(), whole);
/// # Ok::<(), sealane::CounterOverflow>(())
/// ```
#[derive(Clone)]
pub struct Sealer(StreamState);

impl Sealer {
    pub(super) fn new(cipher: ChaCha20, aad: &[u8]) -> Self {
        Self(StreamState::new(cipher, aad))
    }

    /// Encrypts the next piece in place.
    ///
    /// # Errors
    /// [`CounterOverflow`] if the message would be longer than [`crate::MAX_MESSAGE_BYTES`];
    /// nothing is written then.
    pub fn seal(&mut self, piece: &mut [u8]) -> Result<(), CounterOverflow> {
        self.0.cipher.apply_keystream(piece)?;
        self.0.authenticate(piece);
        Ok(())
    }

    /// Returns the tag of the message.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn finish(mut self) -> Tag {
        self.0.tag()
    }
}

/// Authenticates one message in pieces of any length. If the tag is right, [`Verified`] decrypts
/// the message.
///
/// The ciphertext is read twice, so that no plaintext exists before it is authentic. If it can be
/// read only once, [`Opener::decrypt_unauthenticated`] returns plaintext that may be an attacker's.
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
    /// A piece was refused, so the pieces are not the whole message.
    too_long: bool,
}

impl Opener {
    pub(super) fn new(cipher: ChaCha20, aad: &[u8]) -> Self {
        Self { message: StreamState::new(cipher, aad), too_long: false }
    }

    /// Adds the next piece of ciphertext, without decrypting it.
    ///
    /// # Errors
    /// [`OpenError`] if the message is longer than [`crate::MAX_MESSAGE_BYTES`]: then it is not
    /// authentic, and [`Opener::verify`] fails too.
    pub fn update(&mut self, ciphertext: &[u8]) -> Result<(), OpenError> {
        self.check_length(ciphertext)?;
        self.message.skip(ciphertext.len())?;
        self.message.authenticate(ciphertext);
        Ok(())
    }

    /// Adds the next piece and decrypts it in place **before it is known to be authentic**.
    ///
    /// The plaintext must not be used, nor may its effects be visible from outside, until
    /// [`Opener::verify`] has succeeded. If it fails, all pieces must be discarded.
    ///
    /// # Errors
    /// The errors of [`Opener::update`]. After an error, nothing is written.
    pub fn decrypt_unauthenticated(&mut self, piece: &mut [u8]) -> Result<(), OpenError> {
        self.check_length(piece)?;
        self.message.authenticate(piece);
        Ok(self.message.cipher.apply_keystream(piece)?)
    }

    fn check_length(&mut self, piece: &[u8]) -> Result<(), OpenError> {
        self.too_long |= piece.len() as u128 > self.message.cipher.remaining();
        if self.too_long { Err(OpenError) } else { Ok(()) }
    }

    /// Compares the tag of all pieces with `tag`, in constant time.
    ///
    /// # Errors
    /// [`OpenError`] if the message is not authentic.
    pub fn verify(self, tag: &Tag) -> Result<Verified, OpenError> {
        self.verify_by(|computed| crate::poly1305::tags_equal(computed, tag))
    }

    /// Does the same as [`Opener::verify`], but `check` compares the tag of all pieces.
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
        let mut cipher = self.message.cipher;
        cipher.seek(BLOCK_BYTES as u128)?;
        Ok(Verified { cipher, remaining: self.message.bytes })
    }
}

/// A message with a verified tag, to be decrypted in pieces of any length.
///
/// The pieces must be the bytes that the [`Opener`] received, from the first one on. This type
/// cannot check them again.
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
    cipher: ChaCha20,
    remaining: u64,
}

impl Verified {
    /// Returns the number of bytes of the message that have not been decrypted.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Decrypts the next piece in place.
    ///
    /// # Errors
    /// [`OpenError`] if the piece extends beyond the end of the authenticated message; nothing is
    /// written then.
    pub fn decrypt(&mut self, piece: &mut [u8]) -> Result<(), OpenError> {
        self.remaining = self.remaining.checked_sub(piece.len() as u64).ok_or(OpenError)?;
        Ok(self.cipher.apply_keystream(piece)?)
    }
}

macro_rules! common {
    ($($name:ident => |$this:ident| $cipher:expr;)*) => {$(
        impl $name {
            /// Returns the backend.
            #[must_use]
            pub fn backend(&self) -> Backend {
                let $this = self;
                $cipher.backend()
            }
        }

        // The cipher and the authenticator in it wipe themselves.
        impl zeroize::ZeroizeOnDrop for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("backend", &self.backend()).finish_non_exhaustive()
            }
        }
    )*};
}

common! {
    Sealer => |sealer| sealer.0.cipher;
    Opener => |opener| opener.message.cipher;
    Verified => |verified| verified.cipher;
}

#[cfg(feature = "checks")]
mod checks;

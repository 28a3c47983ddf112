//! AEADs whose tag commits to the key, the nonce and the associated data: CTX (Chan and Rogaway,
//! "On Committing Authenticated-Encryption", ESORICS 2022, figure 2).

use core::fmt;

use blake2::digest::Digest;
use blake2::digest::consts::U32;
use sealane_simd::Output;
use sealane_simd::tuning::TWO_PASS_PIECE_BYTES;
use subtle::ConstantTimeEq;

use super::cipher::{AeadLayout, ChaChaPoly1305, KEY_BYTES, check_length, empty_output};
use crate::backend::Backend;
use crate::chacha20::{Extended, Ietf};
use crate::declassify::declassify;
use crate::error::OpenError;
use crate::poly1305::Tag;
use crate::wipe::wipe;

/// Length of a committing tag in bytes: two tags of random inputs are equal with a probability of
/// 2^-256, and finding two inputs with the same tag takes about 2^128 work.
pub const COMMITTING_TAG_BYTES: usize = 32;

/// A tag that commits to the key, the nonce and the associated data and, together with the
/// ciphertext, to the message.
///
/// ```
/// use sealane::{CommittingChaCha20Poly1305, CommittingTag};
///
/// let cipher = CommittingChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
/// let mut message = *b"attack at dawn";
/// let tag: CommittingTag = cipher.seal_in_place(&[0; 12], b"", &mut message);
/// assert_eq!(tag.len(), sealane::COMMITTING_TAG_BYTES);
/// ```
pub type CommittingTag = [u8; COMMITTING_TAG_BYTES];

/// ChaCha20-Poly1305 with a tag that commits to the key. See [`CommittingChaChaPoly1305`].
pub type CommittingChaCha20Poly1305 = CommittingChaChaPoly1305<Ietf>;

/// XChaCha20-Poly1305, whose nonces may be drawn at random, with a tag that commits to the key. See
/// [`CommittingChaChaPoly1305`].
pub type CommittingXChaCha20Poly1305 = CommittingChaChaPoly1305<Extended>;

/// Authenticated encryption that commits: it is infeasible to find a ciphertext and a tag that open
/// under two keys, under two nonces, or with two different associated data.
///
/// The plain AEADs do not commit. Anyone with two keys can create one ciphertext and tag of
/// ChaCha20-Poly1305 that open under both, to two different plaintexts. Commitment matters where a
/// ciphertext stands for one message (reports of abuse), where a receiver tries several keys or
/// passwords (partitioning oracles), or where the sender's data selects the key.
///
/// The construction is CTX (Chan and Rogaway, "On Committing Authenticated-Encryption", ESORICS
/// 2022, IACR ePrint 2022/1260, figure 2). The ciphertext is the same as the plain AEAD's. The tag
/// is BLAKE2b-256 (RFC 7693) of key, nonce, associated data and the plain AEAD's tag, one after the
/// other. It commits to these, and so the ciphertext and the tag together commit to the plaintext
/// (the paper's theorem 2; Bellare and Hoang call this CMT-4). **The tag alone does not commit to
/// the message**: anyone who knows the key can make two messages of one length with the same tag.
/// To prove later which message was sent, keep the ciphertext too, or a hash of it. The commitment
/// is as strong as the collision resistance of BLAKE2b-256: 128 bits. Privacy, authenticity and the
/// limits on the use of a key are the same as the plain AEAD's. The crate `orion` computes the same
/// (its module `hazardous::cae`).
///
/// # Cost
/// 16 bytes more than a plain tag, and one block of BLAKE2b for up to 56 bytes of associated data
/// (68 with a nonce of 12 bytes), then one for each further 128 bytes: BLAKE2b reads long
/// associated data several times slower than Poly1305. Opening authenticates the whole message
/// before it decrypts any of it, so it reads the ciphertext twice.
///
/// # Keys
/// Use a key with this type or with the plain AEAD, never with both: the plain tag is secret here,
/// and both would use the same key stream.
///
/// ```
/// use sealane::{CommittingXChaCha20Poly1305, OpenError};
///
/// let cipher = CommittingXChaCha20Poly1305::new(&[0x42; 32]); // from a secure generator
/// let nonce = [7; 24]; // never used twice with one key
/// let mut message = *b"attack at dawn";
/// let tag = cipher.seal_in_place(&nonce, b"header", &mut message);
///
/// let other_key = CommittingXChaCha20Poly1305::new(&[0x43; 32]);
/// assert_eq!(other_key.open_in_place(&nonce, b"header", &mut message, &tag), Err(OpenError));
/// cipher.open_in_place(&nonce, b"header", &mut message, &tag)?;
/// assert_eq!(&message, b"attack at dawn");
/// # Ok::<(), OpenError>(())
/// ```
#[derive(Clone)]
pub struct CommittingChaChaPoly1305<L: AeadLayout> {
    cipher: ChaChaPoly1305<L>,
}

impl<L: AeadLayout> CommittingChaChaPoly1305<L> {
    /// Length of a nonce in bytes: 12, or 24 for XChaCha20-Poly1305.
    pub const NONCE_BYTES: usize = size_of::<L::Nonce>();

    /// Returns a cipher on the backend of [`Backend::detect`].
    #[must_use]
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self::with_backend(key, Backend::detect())
    }

    /// Returns a cipher on the given backend.
    #[must_use]
    pub fn with_backend(key: &[u8; KEY_BYTES], backend: Backend) -> Self {
        Self { cipher: ChaChaPoly1305::with_backend(key, backend) }
    }

    /// Returns the backend.
    #[must_use]
    pub fn backend(&self) -> Backend {
        self.cipher.backend()
    }

    /// Encrypts `buffer` in place and authenticates it together with the associated data `aad`.
    ///
    /// # Panics
    /// If `buffer` is longer than [`MAX_MESSAGE_BYTES`](crate::MAX_MESSAGE_BYTES); nothing is
    /// written then.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn seal_in_place(&self, nonce: &L::Nonce, aad: &[u8], buffer: &mut [u8]) -> CommittingTag {
        check_length(buffer.len());
        let mut tag = self.cipher.seal_in_place(nonce, aad, buffer);
        let commitment = self.commitment(nonce, aad, &tag);
        wipe(&mut tag);
        commitment
    }

    /// Decrypts `buffer` in place if it, `aad`, `nonce` and `tag` are authentic together.
    ///
    /// The buffer holds no plaintext before it is known to be authentic.
    ///
    /// # Errors
    /// [`OpenError`] if they are not; `buffer` then holds the ciphertext as before.
    pub fn open_in_place(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        buffer: &mut [u8],
        tag: &CommittingTag,
    ) -> Result<(), OpenError> {
        self.verify(nonce, aad, buffer, tag)?.decrypt(buffer)
    }

    /// Encrypts `plaintext` into `ciphertext` and authenticates it together with `aad`. Returns
    /// `ciphertext` and the tag.
    ///
    /// `ciphertext` is a `&mut [u8]`, or a `&mut [MaybeUninit<u8>]`, which may be uninitialised.
    /// Do not pass memory that another process can read: the plaintext is copied there first.
    ///
    /// # Panics
    /// If the lengths differ or are above [`MAX_MESSAGE_BYTES`](crate::MAX_MESSAGE_BYTES); nothing
    /// is written then.
    #[must_use = "without its tag a message cannot be opened"]
    pub fn seal_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        plaintext: &[u8],
        ciphertext: impl Into<Output<'o>>,
    ) -> (&'o mut [u8], CommittingTag) {
        let (ciphertext, mut tag) = self.cipher.seal_into(nonce, aad, plaintext, ciphertext);
        let commitment = self.commitment(nonce, aad, &tag);
        wipe(&mut tag);
        (ciphertext, commitment)
    }

    /// Decrypts `ciphertext` into `plaintext` if it, `aad`, `nonce` and `tag` are authentic
    /// together. Returns `plaintext`.
    ///
    /// `plaintext` is a `&mut [u8]`, or a `&mut [MaybeUninit<u8>]`, which may be uninitialised.
    ///
    /// # Errors
    /// [`OpenError`] if they are not; nothing is written to `plaintext` then.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn open_into<'o>(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &CommittingTag,
        plaintext: impl Into<Output<'o>>,
    ) -> Result<&'o mut [u8], OpenError> {
        let mut output = empty_output(plaintext, ciphertext.len());
        let mut verified = self.verify(nonce, aad, ciphertext, tag)?;
        for piece in ciphertext.chunks(TWO_PASS_PIECE_BYTES) {
            verified.decrypt(output.append(piece))?;
        }
        Ok(output.finish())
    }

    /// Compares the tag of `ciphertext` with `tag`. Returns the cipher that decrypts `ciphertext`.
    fn verify(
        &self,
        nonce: &L::Nonce,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &CommittingTag,
    ) -> Result<super::Verified, OpenError> {
        let mut opener = self.cipher.opener(nonce, aad);
        opener.update(ciphertext)?;
        opener.verify_by(|plain_tag| tags_equal(&self.commitment(nonce, aad, plain_tag), tag))
    }

    /// Returns the committing tag: H(K, N, A, T) in the paper. Key, nonce and plain tag have fixed
    /// lengths, so different inputs give the hash different messages.
    fn commitment(&self, nonce: &L::Nonce, aad: &[u8], plain_tag: &Tag) -> CommittingTag {
        // The state and the buffer of the hash wipe themselves, but the crate copies each block to
        // the stack, where the key remains (SECURITY.md).
        let mut hash = blake2::Blake2b::<U32>::new();
        // By reference, because nothing would wipe one more copy of the key.
        hash.update(&self.cipher.key);
        hash.update(nonce.as_ref());
        hash.update(aad);
        hash.update(plain_tag);
        hash.finalize().into()
    }
}

/// Compares in constant time.
fn tags_equal(a: &CommittingTag, b: &CommittingTag) -> Result<(), OpenError> {
    let mut difference = 0;
    for (a, b) in a.as_chunks().0.iter().zip(b.as_chunks().0) {
        difference |= u64::from_ne_bytes(*a) ^ u64::from_ne_bytes(*b);
    }
    if declassify(difference.ct_eq(&0).into()) { Ok(()) } else { Err(OpenError) }
}

// The cipher inside wipes itself.
impl<L: AeadLayout> zeroize::ZeroizeOnDrop for CommittingChaChaPoly1305<L> {}

impl<L: AeadLayout> fmt::Debug for CommittingChaChaPoly1305<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommittingChaChaPoly1305").field("backend", &self.backend()).finish_non_exhaustive()
    }
}

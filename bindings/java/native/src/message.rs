//! Whole messages and pieces of key stream: calls without any state.

use sealane::chacha20::{BLOCK_BYTES, ChaCha, Extended, Ietf, Layout};
use sealane::{ChaChaPoly1305, Poly1305, TAG_BYTES, Tag};
use zeroize::Zeroizing;

use crate::buffers::Buffers;
use crate::memory::Lent;
use crate::status::Failure;

/// The number that stands for ChaCha20-Poly1305 or ChaCha20, with a nonce of 12 bytes.
pub(crate) const IETF: i32 = 0;
/// The number that stands for XChaCha20-Poly1305 or XChaCha20, with a nonce of 24 bytes.
pub(crate) const EXTENDED: i32 = 1;

/// The number of bytes before the associated data in an array from `Native`: a key of 32 bytes, and
/// a nonce of 12 or 24 bytes in a field of 24.
pub(crate) const HEAD_BYTES: usize = 32 + 24;

/// Key, nonce and associated data of a message, which `Native` passes in one array.
pub(crate) struct Head<'a> {
    pub(crate) key: Zeroizing<[u8; 32]>,
    nonce: [u8; 24],
    pub(crate) aad: &'a [u8],
}

impl<'a> Head<'a> {
    pub(crate) fn new(lent: &'a Lent, head: *const u8, aad_len: usize) -> Self {
        Self {
            key: Zeroizing::new(lent.array(head)),
            nonce: lent.array(head.wrapping_add(32)),
            aad: lent.input(head.wrapping_add(HEAD_BYTES), aad_len),
        }
    }

    pub(crate) fn ietf_nonce(&self) -> [u8; 12] {
        let mut nonce = [0; 12];
        nonce.copy_from_slice(&self.nonce[..12]);
        nonce
    }

    pub(crate) fn extended_nonce(&self) -> [u8; 24] {
        self.nonce
    }
}

/// Encrypts a message, and writes the tag after the ciphertext.
pub(crate) fn seal(
    lent: &Lent,
    aead: i32,
    head: &Head<'_>,
    plaintext: *const u8,
    len: usize,
    ciphertext: *mut u8,
) -> Result<(), Failure> {
    let buffers = lent.buffers(plaintext, ciphertext, len)?;
    let (_, tag) = match aead {
        IETF => buffers.seal(&ChaChaPoly1305::<Ietf>::new(&head.key), &head.ietf_nonce(), head.aad),
        EXTENDED => buffers.seal(&ChaChaPoly1305::<Extended>::new(&head.key), &head.extended_nonce(), head.aad),
        _ => return Err(Failure::Internal),
    };
    lent.output(ciphertext.wrapping_add(len), TAG_BYTES).copy_from_slice(&tag);
    Ok(())
}

/// Decrypts a message of `len` bytes, which is followed by its tag. If it is not authentic, a
/// separate output is filled with zeros, and a buffer that is both input and output holds the
/// ciphertext as before.
pub(crate) fn open(
    lent: &Lent,
    aead: i32,
    head: &Head<'_>,
    ciphertext: *const u8,
    len: usize,
    plaintext: *mut u8,
) -> Result<(), Failure> {
    let tag: Tag = lent.array(ciphertext.wrapping_add(len));
    let mut buffers = lent.buffers(ciphertext, plaintext, len)?;
    Ok(match aead {
        IETF => buffers.open(&ChaChaPoly1305::<Ietf>::new(&head.key), &head.ietf_nonce(), head.aad, &tag),
        EXTENDED => buffers.open(&ChaChaPoly1305::<Extended>::new(&head.key), &head.extended_nonce(), head.aad, &tag),
        _ => return Err(Failure::Internal),
    }?)
}

/// Encrypts or decrypts with the key stream from byte `position` on.
pub(crate) fn xor(
    lent: &Lent,
    cipher: i32,
    head: &Head<'_>,
    position: u64,
    from: *const u8,
    len: usize,
    to: *mut u8,
) -> Result<(), Failure> {
    let buffers = lent.buffers(from, to, len)?;
    match cipher {
        IETF => xor_with(ChaCha::<20, Ietf>::new(&head.key, &head.ietf_nonce()), position, buffers),
        EXTENDED => xor_with(ChaCha::<20, Extended>::new(&head.key, &head.extended_nonce()), position, buffers),
        _ => Err(Failure::Internal),
    }
}

fn xor_with<L: Layout>(mut stream: ChaCha<20, L>, position: u64, buffers: Buffers<'_>) -> Result<(), Failure> {
    // 2^38 bytes are 2^32 blocks of 64 bytes; `Native` never passes more.
    const { assert!(BLOCK_BYTES == 64) };
    stream.seek(u128::from(position))?;
    buffers.transform(|buffer| stream.apply_keystream(buffer))
}

/// Computes the Poly1305 tag of a message with a one-time key of 32 bytes.
pub(crate) fn mac(lent: &Lent, key: *const u8, message: *const u8, len: usize, tag: *mut u8) {
    let key = Zeroizing::new(lent.array(key));
    let computed = Poly1305::mac(&key, lent.input(message, len));
    lent.output(tag, TAG_BYTES).copy_from_slice(&computed);
}

//! The AEADs: their identifiers and lengths, and functions that seal and open whole messages.

use primitives::chacha20::{Extended, Ietf};
use primitives::{ChaChaPoly1305, MAX_MESSAGE_BYTES, Opener, Sealer, TAG_BYTES, Tag};

use crate::boundary::{Caller, Region, check_disjoint, guard};
use crate::status::sealane_status::{self, *};

/// The length of a key in bytes.
pub const SEALANE_KEY_BYTES: usize = 32;
/// The length of a tag in bytes.
pub const SEALANE_TAG_BYTES: usize = 16;
/// The length of the longest message of an AEAD in bytes.
pub const SEALANE_MESSAGE_BYTES_MAX: u64 = 274877906880;

const _: () = assert!(SEALANE_TAG_BYTES == TAG_BYTES && SEALANE_KEY_BYTES == primitives::KEY_BYTES);
const _: () = assert!(SEALANE_MESSAGE_BYTES_MAX == MAX_MESSAGE_BYTES);

/// The AEAD of RFC 8439: a nonce has 12 bytes, and must never be used twice with the same key.
pub const SEALANE_CHACHA20_POLY1305: u32 = 1;
/// The AEAD of draft-irtf-cfrg-xchacha-03: a nonce has 24 bytes, and may be random.
pub const SEALANE_XCHACHA20_POLY1305: u32 = 2;

/// The arguments that start a message in pieces.
pub(crate) struct Start<'a> {
    keyed: Keyed,
    aad: &'a [u8],
}

impl<'a> Start<'a> {
    pub(crate) fn new(
        caller: &'a Caller,
        (aead, key): (u32, *const u8),
        (nonce, nonce_len): (*const u8, usize),
        (aad, aad_len): (*const u8, usize),
    ) -> Result<Self, sealane_status> {
        let keyed = Keyed::new(caller, aead, key, nonce, nonce_len)?;
        Ok(Self { keyed, aad: caller.input(aad, aad_len)? })
    }

    pub(crate) fn sealer(&self) -> Sealer {
        match &self.keyed {
            Keyed::ChaCha20Poly1305(cipher, nonce) => cipher.sealer(nonce, self.aad),
            Keyed::XChaCha20Poly1305(cipher, nonce) => cipher.sealer(nonce, self.aad),
        }
    }

    pub(crate) fn opener(&self) -> Opener {
        match &self.keyed {
            Keyed::ChaCha20Poly1305(cipher, nonce) => cipher.opener(nonce, self.aad),
            Keyed::XChaCha20Poly1305(cipher, nonce) => cipher.opener(nonce, self.aad),
        }
    }
}

/// An AEAD with a key and a nonce.
enum Keyed {
    ChaCha20Poly1305(ChaChaPoly1305<Ietf>, [u8; 12]),
    XChaCha20Poly1305(ChaChaPoly1305<Extended>, [u8; 24]),
}

impl Keyed {
    fn new(
        caller: &Caller,
        aead: u32,
        key: *const u8,
        nonce: *const u8,
        nonce_len: usize,
    ) -> Result<Self, sealane_status> {
        if nonce_len != nonce_bytes(aead)? {
            return Err(SEALANE_WRONG_LENGTH);
        }
        let key = caller.key(key)?;
        Ok(match aead {
            SEALANE_CHACHA20_POLY1305 => Self::ChaCha20Poly1305(ChaChaPoly1305::new(&key), caller.array(nonce)?),
            _ => Self::XChaCha20Poly1305(ChaChaPoly1305::new(&key), caller.array(nonce)?),
        })
    }
}

/// Returns the length of an AEAD's nonce in bytes.
pub(crate) fn nonce_bytes(aead: u32) -> Result<usize, sealane_status> {
    match aead {
        SEALANE_CHACHA20_POLY1305 => Ok(12),
        SEALANE_XCHACHA20_POLY1305 => Ok(24),
        _ => Err(SEALANE_UNKNOWN_ALGORITHM),
    }
}

/// Returns the length of an AEAD's nonce in bytes, or 0 if there is no such AEAD.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_aead_nonce_bytes(aead: u32) -> usize {
    nonce_bytes(aead).unwrap_or(0)
}

/// Encrypts a message and authenticates it together with associated data.
///
/// `aead` is SEALANE_CHACHA20_POLY1305 or SEALANE_XCHACHA20_POLY1305. `key` has SEALANE_KEY_BYTES
/// bytes, `nonce` 12 or 24, `ciphertext` as many as `plaintext`, and `tag` SEALANE_TAG_BYTES.
/// `ciphertext` may be `plaintext`.
///
/// Returns SEALANE_TOO_LONG if the message is longer than SEALANE_MESSAGE_BYTES_MAX.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_aead_seal(
    aead: u32,
    key: *const u8,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    plaintext: *const u8,
    plaintext_len: usize,
    ciphertext: *mut u8,
    tag: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let keyed = Keyed::new(&caller, aead, key, nonce, nonce_len)?;
        if plaintext_len as u64 > MAX_MESSAGE_BYTES {
            return Err(SEALANE_TOO_LONG);
        }
        let (written, tag_region) = (Region::new(ciphertext, plaintext_len), Region::new(tag, TAG_BYTES));
        let aad = caller.input(aad, aad_len)?;
        check_disjoint(&[written, tag_region], &[Region::new(aad.as_ptr(), aad_len)])?;
        check_disjoint(&[tag_region], &[Region::new(plaintext, plaintext_len)])?;
        caller.output(tag, TAG_BYTES)?;
        let buffers = caller.buffers(plaintext, ciphertext, plaintext_len)?;
        let (_, computed) = match &keyed {
            Keyed::ChaCha20Poly1305(cipher, nonce) => buffers.seal(cipher, nonce, aad),
            Keyed::XChaCha20Poly1305(cipher, nonce) => buffers.seal(cipher, nonce, aad),
        };
        caller.write(tag, &computed)
    })
}

/// Decrypts a message if its tag matches the message, the associated data, the nonce and the key.
///
/// The lengths are those of `sealane_aead_seal`. `plaintext` may be `ciphertext`.
///
/// Returns SEALANE_NOT_AUTHENTIC if the tag does not match. A separate `plaintext` is then filled
/// with zeros, and a buffer for both holds the ciphertext as before.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_aead_open(
    aead: u32,
    key: *const u8,
    nonce: *const u8,
    nonce_len: usize,
    aad: *const u8,
    aad_len: usize,
    ciphertext: *const u8,
    ciphertext_len: usize,
    tag: *const u8,
    plaintext: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let keyed = Keyed::new(&caller, aead, key, nonce, nonce_len)?;
        let tag: Tag = caller.array(tag)?;
        let aad = caller.input(aad, aad_len)?;
        check_disjoint(&[Region::new(plaintext, ciphertext_len)], &[Region::new(aad.as_ptr(), aad_len)])?;
        let mut buffers = caller.buffers(ciphertext, plaintext, ciphertext_len)?;
        Ok(match &keyed {
            Keyed::ChaCha20Poly1305(cipher, nonce) => buffers.open(cipher, nonce, aad, &tag),
            Keyed::XChaCha20Poly1305(cipher, nonce) => buffers.open(cipher, nonce, aad, &tag),
        }?)
    })
}

//! ChaCha20 without authentication.

use primitives::chacha20::{BLOCK_BYTES, ChaCha20, ChaCha20Original, XChaCha20};

use crate::boundary::{Caller, guard, new_context};
use crate::buffers::Buffers;
use crate::status::sealane_status::{self, *};

/// ChaCha20 of RFC 8439: a nonce of 12 bytes and a block counter of 32 bits.
pub const SEALANE_CHACHA20: u32 = 1;
/// XChaCha20 of draft-irtf-cfrg-xchacha-03: a nonce of 24 bytes and a block counter of 32 bits.
pub const SEALANE_XCHACHA20: u32 = 2;
/// ChaCha20 as first published: a nonce of 8 bytes and a block counter of 64 bits.
pub const SEALANE_CHACHA20_ORIGINAL: u32 = 3;

/// A key stream of ChaCha20 and a position in it: new, init, update for each piece, free.
#[derive(Clone)]
pub struct sealane_chacha20 {
    stream: Option<Stream>,
}

#[derive(Clone)]
enum Stream {
    Ietf(ChaCha20),
    Extended(XChaCha20),
    Original(ChaCha20Original),
}

impl Stream {
    fn new(
        caller: &Caller,
        variant: u32,
        key: *const u8,
        nonce: *const u8,
        nonce_len: usize,
        counter: u64,
    ) -> Result<Self, sealane_status> {
        let expected = match variant {
            SEALANE_CHACHA20 => 12,
            SEALANE_XCHACHA20 => 24,
            SEALANE_CHACHA20_ORIGINAL => 8,
            _ => return Err(SEALANE_UNKNOWN_ALGORITHM),
        };
        if nonce_len != expected {
            return Err(SEALANE_WRONG_LENGTH);
        }
        let key = caller.key(key)?;
        let position = u128::from(counter) * BLOCK_BYTES as u128;
        Ok(match variant {
            SEALANE_CHACHA20 => {
                let mut stream = ChaCha20::new(&key, &caller.array(nonce)?);
                stream.seek(position)?;
                Self::Ietf(stream)
            }
            SEALANE_XCHACHA20 => {
                let mut stream = XChaCha20::new(&key, &caller.array(nonce)?);
                stream.seek(position)?;
                Self::Extended(stream)
            }
            _ => {
                let mut stream = ChaCha20Original::new(&key, &caller.array(nonce)?);
                stream.seek(position)?;
                Self::Original(stream)
            }
        })
    }

    /// Encrypts or decrypts the next piece. If the key stream is too short, nothing is written.
    fn apply(&mut self, piece: Buffers<'_>, len: usize) -> Result<(), sealane_status> {
        let remaining = match self {
            Self::Ietf(stream) => stream.remaining(),
            Self::Extended(stream) => stream.remaining(),
            Self::Original(stream) => stream.remaining(),
        };
        if len as u128 > remaining {
            return Err(SEALANE_TOO_LONG);
        }
        piece.transform(|piece| match self {
            Self::Ietf(stream) => stream.apply_keystream(piece),
            Self::Extended(stream) => stream.apply_keystream(piece),
            Self::Original(stream) => stream.apply_keystream(piece),
        })
    }
}

/// Encrypts or decrypts data with the key stream from block `counter` on. This does not detect
/// changes: use an AEAD unless the protocol has its own authentication.
///
/// `variant` is SEALANE_CHACHA20, SEALANE_XCHACHA20 or SEALANE_CHACHA20_ORIGINAL, with a nonce of
/// 12, 24 or 8 bytes. `output` has as many bytes as `input`, and may be `input`.
///
/// Returns SEALANE_TOO_LONG if the block counter would overflow.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_chacha20_xor(
    variant: u32,
    key: *const u8,
    nonce: *const u8,
    nonce_len: usize,
    counter: u64,
    input: *const u8,
    input_len: usize,
    output: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let mut stream = Stream::new(&caller, variant, key, nonce, nonce_len, counter)?;
        stream.apply(caller.buffers(input, output, input_len)?, input_len)
    })
}

/// Returns a new context, or NULL after an error in the library itself. Free it with
/// `sealane_chacha20_free`.
#[unsafe(no_mangle)]
pub extern "C" fn sealane_chacha20_new() -> *mut sealane_chacha20 {
    new_context(|| sealane_chacha20 { stream: None })
}

/// Starts at block `counter` of a key stream. The arguments are those of `sealane_chacha20_xor`.
/// A key stream in progress is abandoned, also if this fails.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_chacha20_init(
    chacha20: *mut sealane_chacha20,
    variant: u32,
    key: *const u8,
    nonce: *const u8,
    nonce_len: usize,
    counter: u64,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let chacha20 = caller.context(chacha20)?;
        chacha20.stream = None;
        chacha20.stream = Some(Stream::new(&caller, variant, key, nonce, nonce_len, counter)?);
        Ok(())
    })
}

/// Returns a copy of a context at its position, or NULL if the context is NULL or after an error in
/// the library itself. Free both contexts.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_chacha20_dup(chacha20: *const sealane_chacha20) -> *mut sealane_chacha20 {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.duplicate(chacha20)
}

/// Encrypts or decrypts the next piece, of any length. `output` has as many bytes as `input`, and
/// may be `input`.
///
/// Returns SEALANE_TOO_LONG if the block counter would overflow. The position is then unchanged.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_chacha20_update(
    chacha20: *mut sealane_chacha20,
    input: *const u8,
    input_len: usize,
    output: *mut u8,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let stream = caller.context(chacha20)?.stream.as_mut().ok_or(SEALANE_WRONG_STATE)?;
        stream.apply(caller.buffers(input, output, input_len)?, input_len)
    })
}

/// Wipes and frees a context. NULL is allowed.
///
/// # Safety
/// The rules of the header. The context must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_chacha20_free(chacha20: *mut sealane_chacha20) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(chacha20);
}

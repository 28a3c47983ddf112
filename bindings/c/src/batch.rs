//! Many messages under one key at once.

use core::mem::MaybeUninit;

use primitives::chacha20::{Extended, Ietf, Layout};
use primitives::{AeadLayout, ChaChaPoly1305, MAX_MESSAGE_BYTES, OpenRequest, SealRequest, TAG_BYTES};
use zeroize::Zeroizing;

use crate::aead::{SEALANE_CHACHA20_POLY1305, nonce_bytes};
use crate::boundary::{Caller, Region, guard};
use crate::status::sealane_status::{self, *};

/// The number of messages that are passed to the Rust library at once: a multiple of the number
/// that a kernel processes together.
const WINDOW: usize = 64;

/// A message of a batch. It is encrypted or decrypted in place.
#[repr(C)]
pub struct sealane_message {
    /// The nonce: 12 or 24 bytes. The nonces of all messages are copied before anything is written.
    pub nonce: *const u8,
    /// The associated data.
    pub aad: *const u8,
    /// The length of the associated data in bytes.
    pub aad_len: usize,
    /// The plaintext or ciphertext.
    pub data: *mut u8,
    /// The length of `data` in bytes.
    pub data_len: usize,
    /// The tag: SEALANE_TAG_BYTES bytes, written by sealing and read by opening.
    pub tag: *mut u8,
    /// The result of opening the message: SEALANE_OK or SEALANE_NOT_AUTHENTIC. Sealing does not use
    /// it.
    pub status: MaybeUninit<i32>,
}

/// Checks everything before anything is written: the algorithm, lengths, nulls and overlaps.
/// Returns the key. `writes_messages` says whether the array of messages itself is written.
fn check(
    caller: &Caller,
    (aead, key): (u32, *const u8),
    nonce_len: usize,
    messages: &[sealane_message],
    writes_messages: bool,
) -> Result<Zeroizing<[u8; 32]>, sealane_status> {
    if nonce_len != nonce_bytes(aead)? {
        return Err(SEALANE_WRONG_LENGTH);
    }
    let key = caller.key(key)?;
    for message in messages {
        caller.input(message.nonce, nonce_len)?;
        caller.input(message.aad, message.aad_len)?;
        caller.input(message.data, message.data_len)?;
        // When sealing, the tag may be uninitialised.
        caller.input(message.tag.cast::<MaybeUninit<u8>>(), TAG_BYTES)?;
        if message.data_len as u64 > MAX_MESSAGE_BYTES {
            return Err(SEALANE_TOO_LONG);
        }
    }
    // Each buffer, and whether it is written. Sorting is fast, because buffers of one kind are
    // usually in order.
    let mut regions = vec![(Region::new(messages.as_ptr(), messages.len()), writes_messages)];
    regions.extend(messages.iter().map(|message| (Region::new(message.aad, message.aad_len), false)));
    regions.extend(messages.iter().map(|message| (Region::new(message.data, message.data_len), true)));
    regions.extend(messages.iter().map(|message| (Region::new(message.tag, TAG_BYTES), true)));
    regions.sort();
    // The region that ends last so far: among the written regions, and among all.
    let (mut written, mut any) = (Region::EMPTY, Region::EMPTY);
    for (region, is_output) in regions {
        if region.overlaps(&written) || is_output && region.overlaps(&any) {
            return Err(SEALANE_OVERLAP);
        }
        any = any.further(region);
        if is_output {
            written = written.further(region);
        }
    }
    Ok(key)
}

/// Returns copies of all nonces. The output of a message may overwrite the nonce of a later one.
fn nonces<const N: usize>(caller: &Caller, messages: &[sealane_message]) -> Result<Vec<[u8; N]>, sealane_status> {
    messages.iter().map(|message| caller.array(message.nonce)).collect()
}

fn seal<const N: usize, L: AeadLayout + Layout<Nonce = [u8; N]>>(
    caller: &Caller,
    key: &[u8; 32],
    messages: &[sealane_message],
) -> Result<(), sealane_status> {
    let cipher = ChaChaPoly1305::<L>::new(key);
    let nonces = nonces(caller, messages)?;
    for (window, nonces) in messages.chunks(WINDOW).zip(nonces.chunks(WINDOW)) {
        let mut requests = Vec::with_capacity(window.len());
        for (message, &nonce) in window.iter().zip(nonces) {
            let (aad, data) =
                (caller.input(message.aad, message.aad_len)?, caller.in_out(message.data, message.data_len)?);
            // A reference to a tag needs initialised bytes.
            caller.write(message.tag, &[0; TAG_BYTES])?;
            let tag = caller.in_out(message.tag.cast::<[u8; TAG_BYTES]>(), 1)?.first_mut().ok_or(SEALANE_INTERNAL)?;
            requests.push(SealRequest::new(nonce, aad, data, tag));
        }
        cipher.seal_batch(&mut requests);
    }
    Ok(())
}

fn open<const N: usize, L: AeadLayout + Layout<Nonce = [u8; N]>>(
    caller: &Caller,
    key: &[u8; 32],
    messages: &mut [sealane_message],
) -> Result<(), sealane_status> {
    let cipher = ChaChaPoly1305::<L>::new(key);
    let mut result = Ok(());
    let nonces = nonces(caller, messages)?;
    for (window, nonces) in messages.chunks_mut(WINDOW).zip(nonces.chunks(WINDOW)) {
        let mut requests = Vec::with_capacity(window.len());
        for (message, &nonce) in window.iter().zip(nonces) {
            let (aad, data) =
                (caller.input(message.aad, message.aad_len)?, caller.in_out(message.data, message.data_len)?);
            let tag = caller.input(message.tag.cast::<[u8; TAG_BYTES]>(), 1)?.first().ok_or(SEALANE_INTERNAL)?;
            requests.push(OpenRequest::new(nonce, aad, data, tag));
        }
        if cipher.open_batch(&mut requests).is_err() {
            result = Err(SEALANE_NOT_AUTHENTIC);
        }
        for (request, message) in requests.iter_mut().zip(window.iter_mut()) {
            let status = if request.plaintext().is_ok() { SEALANE_OK } else { SEALANE_NOT_AUTHENTIC };
            message.status.write(status as i32);
        }
    }
    result
}

/// Encrypts messages in place and writes their tags: the same as `sealane_aead_seal` for each of
/// them, but faster if they are short. `nonce_len` is the length of every nonce.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_aead_seal_batch(
    aead: u32,
    key: *const u8,
    nonce_len: usize,
    messages: *const sealane_message,
    count: usize,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let messages = caller.input(messages, count)?;
        let key = check(&caller, (aead, key), nonce_len, messages, false)?;
        match aead {
            SEALANE_CHACHA20_POLY1305 => seal::<12, Ietf>(&caller, &key, messages),
            _ => seal::<24, Extended>(&caller, &key, messages),
        }
    })
}

/// Decrypts messages in place, and writes the `status` of each. A message that is not authentic is
/// wiped, and does not affect the others.
///
/// Returns SEALANE_NOT_AUTHENTIC if any message is not authentic. After other errors nothing has
/// been written, and `status` has no meaning.
///
/// # Safety
/// The rules of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_aead_open_batch(
    aead: u32,
    key: *const u8,
    nonce_len: usize,
    messages: *mut sealane_message,
    count: usize,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard(|| {
        let messages = caller.in_out(messages, count)?;
        let key = check(&caller, (aead, key), nonce_len, messages, true)?;
        match aead {
            SEALANE_CHACHA20_POLY1305 => open::<12, Ietf>(&caller, &key, messages),
            _ => open::<24, Extended>(&caller, &key, messages),
        }
    })
}

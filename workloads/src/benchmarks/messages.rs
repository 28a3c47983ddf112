//! Benchmarks of ChaCha20, Poly1305 and the AEADs: messages in place, with a new nonce for each.

use std::array;

use sealane::chacha20::ChaCha20;
use sealane::{Backend, BackendError, ChaCha20Poly1305, OpenRequest, Poly1305, SealRequest, XChaCha20Poly1305};
use sealane_measure::{Processing, Seal};

/// The key of all messages.
pub const KEY: [u8; 32] = [0x42; 32];
/// Associated data as long as that of a TLS 1.2 record.
pub const AAD: [u8; 13] = [0x17; 13];
/// The number of messages in a batch.
pub const BATCH: usize = 32;
/// The position in the key stream at which the message of an AEAD begins. ipsec-mb can start at no
/// other block.
const BLOCK_BYTES: u128 = 64;

/// Returns the nonce of a message: a counter.
#[must_use]
#[inline]
pub fn nonce<const N: usize>(number: u64) -> [u8; N] {
    let mut nonce = [0; N];
    nonce[N - 8..].copy_from_slice(&number.to_le_bytes());
    nonce
}

/// Returns the one-time key of a message.
#[must_use]
#[inline]
pub fn one_time_key(number: u64) -> [u8; 32] {
    let mut key = KEY;
    key[..8].copy_from_slice(&number.to_le_bytes());
    key
}

/// Returns an operation that encrypts with ChaCha20, from block 1 on.
pub fn chacha20(backend: &str) -> Result<Processing, BackendError> {
    let backend = Backend::by_name(backend)?;
    Ok(Processing::Each(Box::new(move |number, data, _| {
        let mut cipher = ChaCha20::with_backend(&KEY, &nonce(number), backend);
        cipher.seek(BLOCK_BYTES).and_then(|()| cipher.apply_keystream(data)).is_ok()
    })))
}

/// Returns an operation that computes the Poly1305 tag, with a new key for each message.
pub fn poly1305(backend: &str) -> Result<Processing, BackendError> {
    let backend = Backend::by_name(backend)?;
    Ok(Processing::Each(Box::new(move |number, data, tag| {
        *tag = Poly1305::mac_with_backend(&one_time_key(number), data, backend);
        true
    })))
}

/// Returns an operation that seals with ChaCha20-Poly1305.
pub fn seal(backend: &str) -> Result<Processing, BackendError> {
    let cipher = ChaCha20Poly1305::with_backend(&KEY, Backend::by_name(backend)?);
    Ok(Processing::Each(Box::new(move |number, data, tag| {
        *tag = cipher.seal_in_place(&nonce(number), &AAD, data);
        true
    })))
}

/// Returns an operation that opens with ChaCha20-Poly1305.
pub fn open(backend: &str) -> Result<Processing, BackendError> {
    let cipher = ChaCha20Poly1305::with_backend(&KEY, Backend::by_name(backend)?);
    Ok(Processing::Each(Box::new(move |number, data, tag| {
        cipher.open_in_place(&nonce(number), &AAD, data, tag).is_ok()
    })))
}

/// Returns an operation that seals with XChaCha20-Poly1305.
pub fn extended_seal(backend: &str) -> Result<Processing, BackendError> {
    let cipher = XChaCha20Poly1305::with_backend(&KEY, Backend::by_name(backend)?);
    Ok(Processing::Each(Box::new(move |number, data, tag| {
        *tag = cipher.seal_in_place(&nonce(number), &AAD, data);
        true
    })))
}

/// Returns an operation that seals a batch. The requests are built for each batch, as callers do.
pub fn seal_batch(backend: &str) -> Result<Processing, BackendError> {
    let cipher = ChaCha20Poly1305::with_backend(&KEY, Backend::by_name(backend)?);
    Ok(Processing::Batch(Box::new(move |first, messages| {
        let mut messages = (first..).zip(messages.into_messages());
        let mut requests: [_; BATCH] = array::from_fn(|_| {
            let (number, (data, tag)) = messages.next().expect("a whole batch");
            SealRequest::new(nonce(number), &AAD, data, tag)
        });
        cipher.seal_batch(&mut requests);
        true
    })))
}

/// Returns an operation that opens a batch.
pub fn open_batch(backend: &str) -> Result<Processing, BackendError> {
    let cipher = ChaCha20Poly1305::with_backend(&KEY, Backend::by_name(backend)?);
    Ok(Processing::Batch(Box::new(move |first, messages| {
        let mut messages = (first..).zip(messages.into_messages());
        let mut requests: [_; BATCH] = array::from_fn(|_| {
            let (number, (data, tag)) = messages.next().expect("a whole batch");
            OpenRequest::new(nonce(number), &AAD, data, tag)
        });
        cipher.open_batch(&mut requests).is_ok()
    })))
}

/// Returns the function that seals the messages to open.
pub fn sealed() -> Seal {
    let cipher = ChaCha20Poly1305::new(&KEY);
    Box::new(move |number, data, tag| *tag = cipher.seal_in_place(&nonce(number), &AAD, data))
}

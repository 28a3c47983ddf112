//! Many messages in one contiguous buffer.

use std::mem::MaybeUninit;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane::chacha20::Layout;
use sealane::{AeadLayout, ChaChaPoly1305, OpenRequest, SealRequest, TAG_BYTES, Tag};

use crate::buffer::{new_bytes, write_copy};
use crate::error::InvalidTag;
use crate::lengths::Lengths;

/// The number of messages whose requests are in memory at once.
const WINDOW: usize = 256;

/// Splits a buffer into nonces.
pub(crate) fn nonces<const N: usize>(bytes: &[u8]) -> PyResult<&[[u8; N]]> {
    match bytes.as_chunks() {
        (nonces, []) => Ok(nonces),
        _ => {
            let message = format!("{} bytes are not a whole number of nonces of {N} bytes", bytes.len());
            Err(PyValueError::new_err(message))
        }
    }
}

/// Checks the length of the data.
fn check(found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("the messages have {expected} bytes by their lengths, and the data {found}")))
}

/// Copies `bytes` to the start of `room`. Returns the copy, and the rest of `room`.
fn place<'a>(bytes: &[u8], room: &'a mut [MaybeUninit<u8>]) -> (&'a mut [u8], &'a mut [MaybeUninit<u8>]) {
    let (here, rest) = room.split_at_mut(bytes.len());
    (write_copy(here, bytes), rest)
}

/// Encrypts the messages. Each ciphertext is followed by its tag.
pub(crate) fn encrypt<'py, const N: usize, L: AeadLayout + Layout<Nonce = [u8; N]>>(
    py: Python<'py>,
    cipher: &ChaChaPoly1305<L>,
    nonces: &[[u8; N]],
    data: &[u8],
    aad: &[u8],
    lengths: &Lengths,
) -> PyResult<Bound<'py, PyBytes>>
where
    ChaChaPoly1305<L>: Sync,
{
    let (plain, sealed) = lengths.totals()?;
    check(data.len(), plain)?;
    let fill = |mut room: &mut [MaybeUninit<u8>]| {
        let mut rest = data;
        let mut requests = Vec::with_capacity(WINDOW.min(nonces.len()));
        for (window, nonces) in nonces.chunks(WINDOW).enumerate() {
            requests.clear();
            for (index, nonce) in nonces.iter().enumerate() {
                let (plaintext, after) = rest.split_at(lengths.get(window * WINDOW + index));
                rest = after;
                let (message, after) = place(plaintext, room);
                let (tag, after) = place(&[0; TAG_BYTES], after);
                room = after;
                // It has as many bytes as a tag.
                let Some(tag) = tag.first_chunk_mut::<TAG_BYTES>() else { continue };
                requests.push(SealRequest::new(*nonce, aad, message, tag));
            }
            cipher.seal_batch(&mut requests);
        }
        Ok::<(), std::convert::Infallible>(())
    };
    // SAFETY: each message and its tag are written, and together they have that many bytes.
    let Ok(bytes) = unsafe { new_bytes(py, sealed, sealed, fill) }?;
    Ok(bytes)
}

/// Decrypts the messages. If some are not authentic, nothing is returned.
pub(crate) fn decrypt<'py, const N: usize, L: AeadLayout + Layout<Nonce = [u8; N]>>(
    py: Python<'py>,
    cipher: &ChaChaPoly1305<L>,
    nonces: &[[u8; N]],
    data: &[u8],
    aad: &[u8],
    lengths: &Lengths,
) -> PyResult<Bound<'py, PyBytes>>
where
    ChaChaPoly1305<L>: Sync,
{
    let (plain, sealed) = lengths.totals()?;
    check(data.len(), sealed)?;
    let fill = |mut room: &mut [MaybeUninit<u8>]| {
        let mut result = Ok(());
        let mut rest = data;
        let mut requests = Vec::with_capacity(WINDOW.min(nonces.len()));
        for (window, nonces) in nonces.chunks(WINDOW).enumerate() {
            requests.clear();
            for (index, nonce) in nonces.iter().enumerate() {
                let (ciphertext, after) = rest.split_at(lengths.get(window * WINDOW + index));
                let (message, left) = place(ciphertext, room);
                room = left;
                let (tag, after) = after.split_at(TAG_BYTES);
                rest = after;
                let tag: &[Tag] = tag.as_chunks().0;
                // It has as many bytes as a tag.
                let [tag] = tag else { continue };
                requests.push(OpenRequest::new(*nonce, aad, message, tag));
            }
            result = result.and(cipher.open_batch(&mut requests));
        }
        result
    };
    // SAFETY: each message is written, and together they have that many bytes.
    let opened = unsafe { new_bytes(py, plain, sealed, fill) }?;
    opened.map_err(|_| InvalidTag::new_err(()))
}

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

/// Messages in one buffer, with the cipher, the nonces and the associated data for them.
pub(crate) struct Messages<'a, const N: usize, L: AeadLayout> {
    cipher: &'a ChaChaPoly1305<L>,
    nonces: &'a [[u8; N]],
    data: &'a [u8],
    aad: &'a [u8],
    lengths: Lengths,
}

impl<'a, const N: usize, L: AeadLayout + Layout<Nonce = [u8; N]>> Messages<'a, N, L>
where
    ChaChaPoly1305<L>: Sync,
{
    /// Returns the messages, or an error if the lengths and the nonces do not match.
    pub(crate) fn new(
        cipher: &'a ChaChaPoly1305<L>,
        nonces: &'a [u8],
        data: &'a [u8],
        aad: &'a [u8],
        lengths: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let (nonces, []) = nonces.as_chunks() else {
            let message = format!("{} bytes are not a whole number of nonces of {N} bytes", nonces.len());
            return Err(PyValueError::new_err(message));
        };
        Ok(Self { cipher, nonces, data, aad, lengths: Lengths::new(lengths, nonces.len())? })
    }

    /// Encrypts the messages. Each ciphertext is followed by its tag.
    pub(crate) fn encrypt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (plain, sealed) = self.lengths.totals()?;
        check(self.data.len(), plain)?;
        let fill = |mut room: &mut [MaybeUninit<u8>]| {
            let mut rest = self.data;
            let mut requests = Vec::with_capacity(WINDOW.min(self.nonces.len()));
            for (window, nonces) in self.nonces.chunks(WINDOW).enumerate() {
                requests.clear();
                for (index, nonce) in nonces.iter().enumerate() {
                    let (plaintext, after) = rest.split_at(self.lengths.get(window * WINDOW + index));
                    rest = after;
                    let (message, after) = place(plaintext, room);
                    let (tag, after) = place(&[0; TAG_BYTES], after);
                    room = after;
                    // It has as many bytes as a tag.
                    let Some(tag) = tag.first_chunk_mut::<TAG_BYTES>() else { continue };
                    requests.push(SealRequest::new(*nonce, self.aad, message, tag));
                }
                self.cipher.seal_batch(&mut requests);
            }
            Ok::<(), std::convert::Infallible>(())
        };
        // SAFETY: each message and its tag are written, and together they have `sealed` bytes.
        let Ok(bytes) = unsafe { new_bytes(py, sealed, sealed, fill) }?;
        Ok(bytes)
    }

    /// Decrypts the messages. If some are not authentic, nothing is returned.
    pub(crate) fn decrypt<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (plain, sealed) = self.lengths.totals()?;
        check(self.data.len(), sealed)?;
        let fill = |mut room: &mut [MaybeUninit<u8>]| {
            let mut result = Ok(());
            let mut rest = self.data;
            let mut requests = Vec::with_capacity(WINDOW.min(self.nonces.len()));
            for (window, nonces) in self.nonces.chunks(WINDOW).enumerate() {
                requests.clear();
                for (index, nonce) in nonces.iter().enumerate() {
                    let (ciphertext, after) = rest.split_at(self.lengths.get(window * WINDOW + index));
                    let (message, left) = place(ciphertext, room);
                    room = left;
                    let (tag, after) = after.split_at(TAG_BYTES);
                    rest = after;
                    let tag: &[Tag] = tag.as_chunks().0;
                    // It has as many bytes as a tag.
                    let [tag] = tag else { continue };
                    requests.push(OpenRequest::new(*nonce, self.aad, message, tag));
                }
                result = result.and(self.cipher.open_batch(&mut requests));
            }
            result
        };
        // SAFETY: each message is written, and together they have `plain` bytes.
        let opened = unsafe { new_bytes(py, plain, sealed, fill) }?;
        opened.map_err(|_| InvalidTag::new_err(()))
    }
}

/// Checks the length of the data.
fn check(found: usize, expected: usize) -> PyResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("the messages have {expected} bytes by their lengths, and the data {found}")))
}

/// Copies `bytes` to the start of `room`. Returns the copy and the remainder of `room`.
fn place<'a>(bytes: &[u8], room: &'a mut [MaybeUninit<u8>]) -> (&'a mut [u8], &'a mut [MaybeUninit<u8>]) {
    let (here, rest) = room.split_at_mut(bytes.len());
    (write_copy(here, bytes), rest)
}

//! The AEADs as classes, with the methods of the classes in `cryptography`.

use std::mem::MaybeUninit;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane::chacha20::{Extended, Ietf, Layout};
use sealane::{AeadLayout, ChaChaPoly1305, TAG_BYTES, Tag};
use zeroize::{Zeroize as _, Zeroizing};

use crate::buffer::{Input, Output, new_bytes, run, write_copy};
use crate::error::InvalidTag;
use crate::lengths::sealed_len;
use crate::many::Messages;

/// Returns the nonce, or an error if it does not have `N` bytes.
fn nonce<const N: usize>(nonce: &Input<'_>) -> PyResult<[u8; N]> {
    nonce.to_array().ok_or_else(|| {
        let len = nonce.as_slice().len();
        PyValueError::new_err(format!("the nonce must have {N} bytes, not {len}"))
    })
}

/// Returns the associated data, which is empty if there is none.
fn aad<'a>(data: &'a Option<Input<'_>>) -> &'a [u8] {
    data.as_ref().map_or(&[], Input::as_slice)
}

/// Returns the ciphertext and the tag, or an error if there is no tag.
fn split(sealed: &[u8]) -> PyResult<(&[u8], &Tag)> {
    sealed.split_last_chunk().ok_or_else(|| InvalidTag::new_err(()))
}

/// Writes the ciphertext and the tag to `output`, which has exactly their length.
fn seal<L: AeadLayout + Layout>(
    cipher: &ChaChaPoly1305<L>,
    nonce: &L::Nonce,
    aad: &[u8],
    plaintext: &[u8],
    output: &mut [MaybeUninit<u8>],
) {
    let (ciphertext, room) = output.split_at_mut(plaintext.len());
    let (_, tag) = cipher.seal_into(nonce, aad, plaintext, ciphertext);
    write_copy(room, &tag);
}

macro_rules! aead {
    ($class:ident, $layout:ty, $nonce_bytes:literal) => {
        /// An AEAD with a key. The Python package documents this class.
        #[pyclass(frozen, module = "sealane")]
        pub(crate) struct $class(ChaChaPoly1305<$layout>);

        #[pymethods]
        impl $class {
            #[new]
            fn new(key: Input<'_>) -> PyResult<Self> {
                let key = key.as_slice().try_into();
                let key = key.map_err(|_| PyValueError::new_err("the key must have 32 bytes"))?;
                Ok(Self(ChaChaPoly1305::new(key)))
            }

            #[classattr]
            const NONCE_BYTES: usize = $nonce_bytes;

            #[classattr]
            #[pyo3(name = "TAG_BYTES")]
            const TAG: usize = TAG_BYTES;

            #[staticmethod]
            fn generate_key(py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
                let key: Zeroizing<[u8; 32]> = ChaChaPoly1305::<$layout>::generate_key()
                    .map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))?;
                Ok(PyBytes::new(py, &*key))
            }

            fn encrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: Input<'_>,
                data: Input<'_>,
                associated_data: Option<Input<'_>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                let (nonce, plaintext, aad) = (self::nonce(&nonce)?, data.as_slice(), aad(&associated_data));
                let len = sealed_len(plaintext.len())?;
                let fill = |output: &mut [MaybeUninit<u8>]| {
                    seal(&self.0, &nonce, aad, plaintext, output);
                    Ok::<(), std::convert::Infallible>(())
                };
                // SAFETY: `seal` writes all bytes of the ciphertext and the tag.
                let Ok(sealed) = unsafe { new_bytes(py, len, len + aad.len(), fill) }?;
                Ok(sealed)
            }

            fn decrypt<'py>(
                &self,
                py: Python<'py>,
                nonce: Input<'_>,
                data: Input<'_>,
                associated_data: Option<Input<'_>>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                let (nonce, aad) = (self::nonce(&nonce)?, aad(&associated_data));
                let (ciphertext, tag) = split(data.as_slice())?;
                let fill =
                    |output: &mut [MaybeUninit<u8>]| self.0.open_into(&nonce, aad, ciphertext, tag, output).map(|_| ());
                // SAFETY: `open_into` writes as many bytes of plaintext as there are bytes of
                // ciphertext.
                let opened = unsafe { new_bytes(py, ciphertext.len(), data.as_slice().len() + aad.len(), fill) }?;
                opened.map_err(|_| InvalidTag::new_err(()))
            }

            fn encrypt_into(
                &self,
                py: Python<'_>,
                nonce: Input<'_>,
                data: Input<'_>,
                associated_data: Option<Input<'_>>,
                buf: Output,
            ) -> PyResult<usize> {
                let mut buf = buf;
                let (nonce, plaintext, aad) = (self::nonce(&nonce)?, data.as_slice(), aad(&associated_data));
                let len = sealed_len(plaintext.len())?;
                buf.check(len, &[plaintext, aad])?;
                // SAFETY: the buffer has just been checked, with all inputs.
                let output = unsafe { buf.first(len) };
                run(py, len + aad.len(), || seal(&self.0, &nonce, aad, plaintext, output));
                Ok(len)
            }

            fn decrypt_into(
                &self,
                py: Python<'_>,
                nonce: Input<'_>,
                data: Input<'_>,
                associated_data: Option<Input<'_>>,
                buf: Output,
            ) -> PyResult<usize> {
                let mut buf = buf;
                let (nonce, aad) = (self::nonce(&nonce)?, aad(&associated_data));
                let (ciphertext, tag) = split(data.as_slice())?;
                buf.check(ciphertext.len(), &[data.as_slice(), aad])?;
                // SAFETY: the buffer has just been checked, with all inputs.
                let output = unsafe { buf.first(ciphertext.len()) };
                run(py, data.as_slice().len() + aad.len(), || {
                    let opened = self.0.open_into(&nonce, aad, ciphertext, tag, &mut *output).is_ok();
                    if !opened {
                        output.zeroize();
                    }
                    opened
                })
                .then_some(ciphertext.len())
                .ok_or_else(|| InvalidTag::new_err(()))
            }

            #[pyo3(signature = (nonces, data, associated_data = None, *, lengths))]
            fn encrypt_many<'py>(
                &self,
                py: Python<'py>,
                nonces: Input<'_>,
                data: Input<'_>,
                associated_data: Option<Input<'_>>,
                lengths: &Bound<'_, PyAny>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                let aad = aad(&associated_data);
                Messages::new(&self.0, nonces.as_slice(), data.as_slice(), aad, lengths)?.encrypt(py)
            }

            #[pyo3(signature = (nonces, data, associated_data = None, *, lengths))]
            fn decrypt_many<'py>(
                &self,
                py: Python<'py>,
                nonces: Input<'_>,
                data: Input<'_>,
                associated_data: Option<Input<'_>>,
                lengths: &Bound<'_, PyAny>,
            ) -> PyResult<Bound<'py, PyBytes>> {
                let aad = aad(&associated_data);
                Messages::new(&self.0, nonces.as_slice(), data.as_slice(), aad, lengths)?.decrypt(py)
            }

            fn __repr__(&self) -> String {
                format!("<sealane.{}>", stringify!($class))
            }

            /// Refuses to be pickled, because it holds a key.
            fn __reduce__(&self) -> PyResult<()> {
                Err(PyTypeError::new_err(concat!(stringify!($class), " holds a key and cannot be pickled")))
            }
        }
    };
}

aead!(ChaCha20Poly1305, Ietf, 12);
aead!(XChaCha20Poly1305, Extended, 24);

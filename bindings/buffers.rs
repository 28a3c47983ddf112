//! The input and the output of a transformation. The bindings for C, Java and OpenSSL each compile
//! this file.

use core::mem::MaybeUninit;

use zeroize::Zeroize as _;

use crate::primitives::{AeadLayout, ChaChaPoly1305, OpenError, Output, Tag};

/// An input and an output of the same length, which are the same memory or do not overlap.
pub(crate) enum Buffers<'a> {
    InPlace(&'a mut [u8]),
    Separate(&'a [u8], &'a mut [MaybeUninit<u8>]),
}

impl<'a> Buffers<'a> {
    /// Encrypts a message. Returns the ciphertext and the tag.
    pub(crate) fn seal<L: AeadLayout>(
        self,
        cipher: &ChaChaPoly1305<L>,
        nonce: &L::Nonce,
        aad: &[u8],
    ) -> (&'a mut [u8], Tag) {
        match self {
            Self::InPlace(buffer) => {
                let tag = cipher.seal_in_place(nonce, aad, buffer);
                (buffer, tag)
            }
            Self::Separate(from, to) => cipher.seal_into(nonce, aad, from, to),
        }
    }

    /// Decrypts a message if it is authentic. Otherwise, an in-place buffer holds the ciphertext as
    /// before, and a separate output is filled with zeros.
    pub(crate) fn open<L: AeadLayout>(
        &mut self,
        cipher: &ChaChaPoly1305<L>,
        nonce: &L::Nonce,
        aad: &[u8],
        tag: &Tag,
    ) -> Result<(), OpenError> {
        match self {
            Self::InPlace(buffer) => cipher.open_in_place(nonce, aad, buffer, tag),
            Self::Separate(from, to) => {
                let opened = cipher.open_into(nonce, aad, from, tag, &mut **to).map(|_| ());
                if opened.is_err() {
                    to.fill(MaybeUninit::new(0));
                }
                opened
            }
        }
    }

    /// Returns a buffer that holds the input and receives the output.
    pub(crate) fn in_place(self) -> &'a mut [u8] {
        match self {
            Self::InPlace(buffer) => buffer,
            Self::Separate(from, to) => {
                let mut output = Output::new(to);
                output.append(from);
                output.finish()
            }
        }
    }

    /// Transforms the input into the output. The caller has checked the length, because a separate
    /// output is written before `transform` is called. If `transform` fails, a separate output is
    /// wiped, and an in-place buffer stays as `transform` left it.
    #[allow(dead_code, reason = "not used by the binding for OpenSSL")]
    pub(crate) fn transform<E, F: From<E>>(self, transform: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<(), F> {
        let is_separate = matches!(self, Self::Separate(..));
        let buffer = self.in_place();
        let transformed = transform(buffer);
        if is_separate && transformed.is_err() {
            buffer.zeroize();
        }
        Ok(transformed?)
    }
}

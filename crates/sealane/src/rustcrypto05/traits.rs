//! The traits that differ between the generations, for the types of [`super`].

use aead_05::generic_array::ArrayLength;
use aead_05::{AeadCore, AeadInPlace, Error};
use cipher_04::inout::InOutBuf;
use cipher_04::{StreamCipher, StreamCipherError};

use super::chacha_poly1305::{AeadCipher, ChaChaPoly1305, Tag};
use super::generation::{Array, U16};
use super::stream::StreamCipherOf;
use crate::chacha20::{BLOCK_BYTES, Layout};
use crate::wipe::wipe;

impl<const ROUNDS: usize, L: Layout> StreamCipher for StreamCipherOf<ROUNDS, L> {
    fn try_apply_keystream_inout(&mut self, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), StreamCipherError> {
        if buffer.len() as u128 > self.0.remaining() {
            return Err(StreamCipherError);
        }
        copy_in_to_out(&mut buffer);
        self.0.apply_keystream(buffer.get_out()).map_err(|_| StreamCipherError)
    }

    fn try_apply_keystream(&mut self, buffer: &mut [u8]) -> Result<(), StreamCipherError> {
        self.0.apply_keystream(buffer).map_err(|_| StreamCipherError)
    }

    fn apply_keystream_b2b(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), StreamCipherError> {
        if input.len() != output.len() || input.len() as u128 > self.0.remaining() {
            return Err(StreamCipherError);
        }
        output.copy_from_slice(input);
        self.try_apply_keystream(output)
    }
}

/// Copies the input to the output, if they are two buffers. This generation gives access to only
/// one of them at a time.
fn copy_in_to_out(buffer: &mut InOutBuf<'_, '_, u8>) {
    let (input, output) = (buffer.get_in().as_ptr(), buffer.get_out().as_ptr());
    if core::ptr::eq(input, output) {
        return;
    }
    let mut copy = [0; 4 * BLOCK_BYTES];
    for start in (0..buffer.len()).step_by(copy.len()) {
        let range = start..buffer.len().min(start + copy.len());
        let copy = &mut copy[..range.len()];
        copy.copy_from_slice(&buffer.get_in()[range.clone()]);
        buffer.get_out()[range].copy_from_slice(copy);
    }
    wipe(&mut copy);
}

impl<C, N: ArrayLength<u8>> AeadCore for ChaChaPoly1305<C, N> {
    type NonceSize = N;
    type TagSize = U16;
    type CiphertextOverhead = aead_05::consts::U0;
}

impl<C: AeadCipher<IvSize = N>, N: ArrayLength<u8>> AeadInPlace for ChaChaPoly1305<C, N> {
    fn encrypt_in_place_detached(
        &self,
        nonce: &Array<u8, N>,
        associated_data: &[u8],
        buffer: &mut [u8],
    ) -> Result<Tag, Error> {
        C::aead_seal(&self.key, nonce, associated_data, buffer).map(Tag::from).map_err(|_| Error)
    }

    fn decrypt_in_place_detached(
        &self,
        nonce: &Array<u8, N>,
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        C::aead_open(&self.key, nonce, associated_data, buffer, tag.as_ref()).map_err(|_| Error)
    }
}

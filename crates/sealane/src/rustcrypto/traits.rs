//! The traits that differ between the generations, for the types of [`super`].

use aead::array::ArraySize;
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, TagPosition};
use cipher::{KeyIvInit, StreamCipher, StreamCipherCore, StreamCipherError};
use rand_core::SeedableRng;
use rand_core::block::Generator;

use super::block_core::ChaChaCore;
use super::chacha_poly1305::{AeadCipher, ChaChaPoly1305, Tag};
use super::generation::{Array, U16};
use super::rounds::Rounds;
use super::stream::{StreamCipherOf, Variant};
use crate::chacha20::Layout;
use crate::wipe::wipe;

/// The message of a panic. `cipher`'s own `unchecked_` methods use key stream twice instead.
const BEYOND_THE_END: &str = "the data are longer than what remains of the key stream";

impl<const ROUNDS: usize, L: Layout> StreamCipher for StreamCipherOf<ROUNDS, L> {
    fn check_remaining(&self, bytes: usize) -> Result<(), StreamCipherError> {
        if bytes as u128 <= self.0.remaining() { Ok(()) } else { Err(StreamCipherError) }
    }

    fn unchecked_apply_keystream_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        // Checked before the plaintext is copied to the output.
        self.check_remaining(buffer.len()).expect(BEYOND_THE_END);
        self.0.apply_keystream(buffer.into_out_with_copied_in()).expect(BEYOND_THE_END);
    }

    fn unchecked_write_keystream(&mut self, buffer: &mut [u8]) {
        self.check_remaining(buffer.len()).expect(BEYOND_THE_END);
        buffer.fill(0);
        self.0.apply_keystream(buffer).expect(BEYOND_THE_END);
    }
}

impl<R: Rounds, V: Variant> SeedableRng for ChaChaCore<R, V> {
    type Seed = [u8; 32];

    fn from_seed(mut seed: Self::Seed) -> Self {
        let core = Self::new((&seed).into(), &Default::default());
        wipe(&mut seed);
        core
    }
}

impl<R: Rounds, V: Variant> Generator for ChaChaCore<R, V> {
    type Output = [u32; 64];

    fn generate(&mut self, words: &mut Self::Output) {
        let mut blocks = [Array::default(); 4];
        self.write_keystream_blocks(&mut blocks);
        let bytes = Array::cast_slice_to_core_mut(&mut blocks).as_flattened_mut();
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        wipe(bytes);
    }

    fn drop(&mut self, words: &mut Self::Output) {
        wipe(words);
    }
}

impl<C, N: ArraySize> AeadCore for ChaChaPoly1305<C, N> {
    type NonceSize = N;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<C: AeadCipher<IvSize = N>, N: ArraySize> AeadInOut for ChaChaPoly1305<C, N> {
    fn encrypt_inout_detached(
        &self,
        nonce: &Array<u8, N>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Tag, Error> {
        if buffer.len() as u64 > crate::MAX_MESSAGE_BYTES {
            return Err(Error);
        }
        let buffer = buffer.into_out_with_copied_in();
        C::aead_seal(&self.key, nonce, associated_data, buffer).map(Tag::from).map_err(|_| Error)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &Array<u8, N>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Tag,
    ) -> Result<(), Error> {
        let buffer = buffer.into_out_with_copied_in();
        C::aead_open(&self.key, nonce, associated_data, buffer, &tag.0).map_err(|_| Error)
    }
}

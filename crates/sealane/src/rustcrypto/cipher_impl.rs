//! `cipher::StreamCipher` and `StreamCipherSeek`.

use cipher::array::Array;
use cipher::consts::{U8, U12, U24, U32};
use cipher::inout::InOutBuf;
use cipher::{
    IvSizeUser, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipher, StreamCipherError, StreamCipherSeek,
};

use crate::chacha20::{BLOCK_BYTES, ChaCha, Extended, Ietf, Layout, Original};

/// A nonce of the original layout: 8 bytes.
pub type LegacyNonce = Array<u8, U8>;

/// [`ChaCha`] under the traits of the crate `cipher`.
#[derive(Clone, Debug)]
pub struct StreamCipherOf<const ROUNDS: usize, L: Layout>(ChaCha<ROUNDS, L>);

/// [`crate::chacha20::ChaCha20`] under the traits of the crate `cipher`.
pub type ChaCha20 = StreamCipherOf<20, Ietf>;
/// [`crate::chacha20::ChaCha12`] under the traits of the crate `cipher`.
pub type ChaCha12 = StreamCipherOf<12, Ietf>;
/// [`crate::chacha20::ChaCha8`] under the traits of the crate `cipher`.
pub type ChaCha8 = StreamCipherOf<8, Ietf>;
/// [`crate::chacha20::ChaCha20Original`] under the traits of the crate `cipher`.
pub type ChaCha20Legacy = StreamCipherOf<20, Original>;
/// [`crate::chacha20::XChaCha20`] under the traits of the crate `cipher`.
pub type XChaCha20 = StreamCipherOf<20, Extended>;
/// [`crate::chacha20::XChaCha12`] under the traits of the crate `cipher`.
pub type XChaCha12 = StreamCipherOf<12, Extended>;
/// [`crate::chacha20::XChaCha8`] under the traits of the crate `cipher`.
pub type XChaCha8 = StreamCipherOf<8, Extended>;

impl<const ROUNDS: usize, L: Layout> KeySizeUser for StreamCipherOf<ROUNDS, L> {
    type KeySize = U32;
}

macro_rules! nonces {
    ($($layout:ty: $size:ty;)*) => {$(
        impl<const ROUNDS: usize> IvSizeUser for StreamCipherOf<ROUNDS, $layout> {
            type IvSize = $size;
        }

        impl<const ROUNDS: usize> KeyIvInit for StreamCipherOf<ROUNDS, $layout> {
            fn new(key: &Array<u8, U32>, nonce: &Array<u8, $size>) -> Self {
                Self(ChaCha::new(&key.0, &nonce.0))
            }
        }
    )*};
}

nonces! {
    Ietf: U12;
    Original: U8;
    Extended: U24;
}

impl<const ROUNDS: usize, L: Layout> StreamCipher for StreamCipherOf<ROUNDS, L> {
    fn check_remaining(&self, bytes: usize) -> Result<(), StreamCipherError> {
        if bytes as u128 <= self.0.remaining() { Ok(()) } else { Err(StreamCipherError) }
    }

    fn unchecked_apply_keystream_inout(&mut self, buffer: InOutBuf<'_, '_, u8>) {
        let output = buffer.into_out_with_copied_in();
        self.0.apply_keystream(output).expect("the caller has checked what remains of the key stream");
    }

    fn unchecked_write_keystream(&mut self, buffer: &mut [u8]) {
        buffer.fill(0);
        self.0.apply_keystream(buffer).expect("the caller has checked what remains of the key stream");
    }
}

impl<const ROUNDS: usize, L: Layout> StreamCipherSeek for StreamCipherOf<ROUNDS, L> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // `from_block_byte` takes the number of blocks begun and the bytes used of the last one: 1
        // to 64.
        let position = self.0.position();
        let blocks = position.div_ceil(BLOCK_BYTES as u128);
        let unused = (blocks * BLOCK_BYTES as u128 - position) as u8;
        T::from_block_byte(blocks, BLOCK_BYTES as u8 - unused, BLOCK_BYTES as u8)
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        let (block, byte) = position.into_block_byte::<u128>(BLOCK_BYTES as u8).map_err(|_| StreamCipherError)?;
        let position = block.checked_mul(BLOCK_BYTES as u128).and_then(|start| start.checked_add(u128::from(byte)));
        self.0.seek(position.ok_or(StreamCipherError)?).map_err(|_| StreamCipherError)
    }
}

impl<const ROUNDS: usize, L: Layout> From<ChaCha<ROUNDS, L>> for StreamCipherOf<ROUNDS, L> {
    /// The same key stream at the same position, on the same backend.
    fn from(cipher: ChaCha<ROUNDS, L>) -> Self {
        Self(cipher)
    }
}

impl<const ROUNDS: usize, L: Layout> zeroize::ZeroizeOnDrop for StreamCipherOf<ROUNDS, L> {}

//! The stream ciphers: keys, nonces and seeking. [`super::traits`] implements `StreamCipher`.

use super::generation::cipher::{
    Iv, IvSizeUser, KeyIvInit, KeySizeUser, OverflowError, SeekNum, StreamCipherError, StreamCipherSeek,
};
use super::generation::{Array, Counter, U8, U12, U24, U32, last_byte};
use crate::chacha20::{BLOCK_BYTES, ChaCha, Extended, Ietf, Layout, Original};

/// A key of 32 bytes.
pub type Key = Array<u8, U32>;
/// A nonce of 12 bytes.
pub type Nonce = Array<u8, U12>;
/// A nonce of the original layout: 8 bytes.
pub type LegacyNonce = Array<u8, U8>;
/// A nonce of 24 bytes.
pub type XNonce = Array<u8, U24>;

mod sealed {
    use super::{Iv, IvSizeUser, Layout};

    /// A layout and the size of its nonce, as a type.
    pub trait Sealed: Layout + IvSizeUser {
        fn nonce_of_layout(nonce: &Iv<Self>) -> &Self::Nonce;
    }
}
pub(super) use sealed::Sealed;

/// A layout of the state ([`crate::chacha20::Layout`]), with the type of its block counter.
/// Implemented for the layouts of [`crate::chacha20`] only.
pub trait Variant: Sealed {
    /// The block counter: 32 or 64 bits.
    type Counter: Counter + TryFrom<u64> + Into<u64>;
}

macro_rules! variants {
    ($($layout:ty: $nonce:ty, $counter:ty;)*) => {$(
        impl Variant for $layout {
            type Counter = $counter;
        }

        impl Sealed for $layout {
            fn nonce_of_layout(nonce: &Array<u8, $nonce>) -> &Self::Nonce {
                nonce.as_ref()
            }
        }

        impl IvSizeUser for $layout {
            type IvSize = $nonce;
        }
    )*};
}

variants! {
    Ietf: U12, u32;
    Original: U8, u64;
    Extended: U24, u32;
}

/// [`ChaCha`] under the traits of the crate `cipher`.
#[derive(Clone, Debug)]
pub struct StreamCipherOf<const ROUNDS: usize, L: Layout>(pub(super) ChaCha<ROUNDS, L>);

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

impl<const ROUNDS: usize, L: Variant> IvSizeUser for StreamCipherOf<ROUNDS, L> {
    type IvSize = L::IvSize;
}

impl<const ROUNDS: usize, L: Variant> KeyIvInit for StreamCipherOf<ROUNDS, L> {
    fn new(key: &Key, nonce: &Iv<Self>) -> Self {
        Self(ChaCha::new(key.as_ref(), L::nonce_of_layout(nonce)))
    }
}

impl<const ROUNDS: usize, L: Layout> StreamCipherSeek for StreamCipherOf<ROUNDS, L> {
    fn try_current_pos<T: SeekNum>(&self) -> Result<T, OverflowError> {
        // `from_block_byte` takes the number of started blocks and the number of bytes used in the
        // last one.
        let position = self.0.position();
        let blocks = position.div_ceil(BLOCK_BYTES as u128);
        let unused = (blocks * BLOCK_BYTES as u128 - position) as u8;
        T::from_block_byte(blocks, last_byte(BLOCK_BYTES as u8 - unused), BLOCK_BYTES as u8)
    }

    fn try_seek<T: SeekNum>(&mut self, position: T) -> Result<(), StreamCipherError> {
        let (block, byte) = position.into_block_byte::<u128>(BLOCK_BYTES as u8).map_err(|_| StreamCipherError)?;
        // `cipher` 0.4 gives a byte beyond the block for a negative position near 0.
        if byte >= BLOCK_BYTES as u8 {
            return Err(StreamCipherError);
        }
        let position = block.checked_mul(BLOCK_BYTES as u128).and_then(|start| start.checked_add(u128::from(byte)));
        self.0.seek(position.ok_or(StreamCipherError)?).map_err(|_| StreamCipherError)
    }
}

impl<const ROUNDS: usize, L: Layout> From<ChaCha<ROUNDS, L>> for StreamCipherOf<ROUNDS, L> {
    /// Returns the same key stream at the same position, on the same backend.
    fn from(cipher: ChaCha<ROUNDS, L>) -> Self {
        Self(cipher)
    }
}

impl<const ROUNDS: usize, L: Layout> zeroize::ZeroizeOnDrop for StreamCipherOf<ROUNDS, L> {}

//! The positions and lengths of the block counter and the nonce in the state.

use sealane_simd::Level;

use super::KEY_BYTES;
use super::hchacha::hchacha;
use super::state::{State, fill, half};
use crate::wipe::wipe;

mod sealed {
    use super::{KEY_BYTES, Level, State};

    /// Keeps others from implementing [`super::Layout`], and the state out of the public interface.
    pub trait Sealed {
        type SealedNonce;
        /// Fills `state`, with a block counter of 0.
        fn fill_state<const ROUNDS: usize>(
            key: &[u8; KEY_BYTES],
            nonce: &Self::SealedNonce,
            level: Level,
            state: &mut State,
        );
    }
}
pub(crate) use sealed::Sealed;

/// A layout of the block counter and the nonce in the state. Implemented only by [`Ietf`],
/// [`Original`] and [`Extended`].
pub trait Layout: Sealed<SealedNonce = Self::Nonce> + Copy {
    /// The nonce, an array of bytes.
    type Nonce: Copy;
    /// Whether the block counter has 64 bits; otherwise it has 32.
    const COUNTER_64: bool;
}

/// A 32-bit block counter and a 96-bit nonce (RFC 8439, section 2.3).
#[derive(Clone, Copy, Debug)]
pub enum Ietf {}
impl Layout for Ietf {
    type Nonce = [u8; 12];
    const COUNTER_64: bool = false;
}
impl Sealed for Ietf {
    type SealedNonce = [u8; 12];

    #[inline]
    fn fill_state<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &[u8; 12], _: Level, state: &mut State) {
        let first = u32::from_le_bytes(*nonce.first_chunk().expect("four of twelve bytes"));
        fill(state, key, u64::from(first) << 32, half(&nonce[4..]));
    }
}

/// A 64-bit block counter and a 64-bit nonce (the original ChaCha).
#[derive(Clone, Copy, Debug)]
pub enum Original {}
impl Layout for Original {
    type Nonce = [u8; 8];
    const COUNTER_64: bool = true;
}
impl Sealed for Original {
    type SealedNonce = [u8; 8];

    #[inline]
    fn fill_state<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &[u8; 8], _: Level, state: &mut State) {
        fill(state, key, 0, half(nonce));
    }
}

/// A 192-bit nonce: HChaCha derives a key from its first 128 bits, and the other 64 bits are the
/// nonce under the derived key (draft-irtf-cfrg-xchacha-03, section 2.3).
#[derive(Clone, Copy, Debug)]
pub enum Extended {}
impl Layout for Extended {
    type Nonce = [u8; 24];
    const COUNTER_64: bool = false;
}
impl Sealed for Extended {
    type SealedNonce = [u8; 24];

    #[inline]
    fn fill_state<const ROUNDS: usize>(key: &[u8; KEY_BYTES], nonce: &[u8; 24], level: Level, state: &mut State) {
        let (prefix, rest) = nonce.split_first_chunk().expect("the first 16 of 24 bytes");
        let mut subkey = [0; KEY_BYTES];
        hchacha::<ROUNDS>(key, prefix, level, &mut subkey);
        fill(state, &subkey, 0, half(rest));
        wipe(&mut subkey);
    }
}

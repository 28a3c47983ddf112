//! The number of rounds, as a type.

use super::generation::{Array, R8, R12, R20, U16, U32};
use crate::chacha20::Layout;
use crate::chacha20::blocks::Blocks;
use crate::chacha20::hchacha::detected as subkey;

mod sealed {
    use super::{Blocks, Layout};

    /// The functions of this crate that take the number of rounds as a constant.
    pub trait Sealed {
        fn blocks<L: Layout>(key: &[u8; 32], nonce: &L::Nonce) -> Blocks<L>;
        fn apply<L: Layout>(blocks: &mut Blocks<L>, data: &mut [u8]);
        fn hchacha(key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32];
    }
}
pub(super) use sealed::Sealed;

/// A number of rounds. Implemented for 8, 12 and 20 rounds only.
pub trait Rounds: Copy + Sealed {
    /// The number of double rounds.
    const COUNT: usize;
}

macro_rules! rounds {
    ($($name:ty: $rounds:literal;)*) => {$(
        impl Rounds for $name {
            const COUNT: usize = $rounds / 2;
        }

        impl Sealed for $name {
            fn blocks<L: Layout>(key: &[u8; 32], nonce: &L::Nonce) -> Blocks<L> {
                Blocks::new::<$rounds>(key, nonce)
            }

            fn apply<L: Layout>(blocks: &mut Blocks<L>, data: &mut [u8]) {
                blocks.apply::<$rounds>(data);
            }

            fn hchacha(key: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
                subkey::<$rounds>(key, nonce)
            }
        }
    )*};
}

rounds! {
    R8: 8;
    R12: 12;
    R20: 20;
}

/// Computes HChaCha with `R` rounds: derives a key from `key` and the first 16 bytes of an extended
/// nonce (draft-irtf-cfrg-xchacha-03, section 2.2).
#[must_use]
pub fn hchacha<R: Rounds>(key: &Array<u8, U32>, nonce: &Array<u8, U16>) -> Array<u8, U32> {
    R::hchacha(key.as_ref(), nonce.as_ref()).into()
}

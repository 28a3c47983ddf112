//! HarakaS: the sponge with the permutation of Haraka-512.

use core::fmt;

use sealane_simd::{AesLevel, Block};
use zeroize::ZeroizeOnDrop;

use super::{AesBackend, constants_of_5_rounds, permute};
use crate::wipe::wipe;

/// The number of bytes of the state that absorb or output data between two permutations. The other
/// 32 bytes are the capacity.
const RATE: usize = 32;

/// HarakaS: a sponge that absorbs and squeezes any number of bytes, with 256 bits of capacity
/// (SPHINCS+, round 3, section 7.2.3).
///
/// Messages are padded as for SHAKE, with the bits 1111 and pad10*1. The state is wiped when it is
/// dropped.
///
/// ```
/// use sealane::haraka::HarakaS;
///
/// let mut sponge = HarakaS::new();
/// sponge.absorb(b"mess");
/// sponge.absorb(b"age");
/// let mut reader = sponge.finish();
/// let mut output = [0; 100];
/// reader.squeeze(&mut output[..1]);
/// reader.squeeze(&mut output[1..]);
///
/// let mut same = [0; 100];
/// HarakaS::hash(b"message", &mut same);
/// assert_eq!(output, same);
/// ```
#[derive(Clone)]
pub struct HarakaS<'a>(Sponge<'a>);

/// The output of [`HarakaS`], which is endless.
///
/// ```
/// use sealane::haraka::{HarakaS, Squeezer};
///
/// let mut sponge = HarakaS::new();
/// sponge.absorb(b"seed");
/// let mut output: Squeezer = sponge.finish();
/// let (mut first, mut second) = ([0; 16], [0; 16]);
/// output.squeeze(&mut first);
/// output.squeeze(&mut second);
/// assert_ne!(first, second);
/// ```
#[derive(Clone)]
pub struct Squeezer<'a>(Sponge<'a>);

#[derive(Clone)]
struct Sponge<'a> {
    level: AesLevel,
    constants: &'a [Block; 40],
    state: [u8; 64],
    /// The number of bytes that were absorbed or squeezed since the last permutation. It is less
    /// than [`RATE`] between two calls of `absorb`. If it is [`RATE`], the state is permuted before
    /// the next byte is squeezed.
    position: usize,
}

impl HarakaS<'static> {
    /// Computes the output for one message.
    pub fn hash(message: &[u8], output: &mut [u8]) {
        Self::new().chain(message).finish().squeeze(output);
    }

    /// Returns an empty sponge with the round constants of Haraka v2, on the widest backend.
    #[must_use]
    pub fn new() -> Self {
        Self::with_backend(AesBackend::detect())
    }

    /// Does the same as [`HarakaS::new`], on a chosen backend.
    #[must_use]
    pub fn with_backend(backend: AesBackend) -> Self {
        Self::with_constants(backend.level(), constants_of_5_rounds())
    }
}

impl Default for HarakaS<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> HarakaS<'a> {
    pub(crate) fn with_constants(level: AesLevel, constants: &'a [Block; 40]) -> Self {
        Self(Sponge { level, constants, state: [0; 64], position: 0 })
    }

    /// Appends `bytes` to the message.
    pub fn absorb(&mut self, bytes: &[u8]) {
        self.0.absorb(bytes);
    }

    /// Does the same as [`HarakaS::absorb`], for use in an expression.
    #[must_use]
    pub fn chain(mut self, bytes: &[u8]) -> Self {
        self.absorb(bytes);
        self
    }

    /// Ends the message, and returns the reader of its output.
    #[must_use]
    pub fn finish(mut self) -> Squeezer<'a> {
        let position = self.0.position;
        self.0.state[position] ^= 0x1f;
        self.0.state[RATE - 1] ^= 0x80;
        // The state must be permuted before the first byte is squeezed.
        self.0.position = RATE;
        Squeezer(self.0)
    }
}

impl Squeezer<'_> {
    /// Fills `output` with the next bytes.
    pub fn squeeze(&mut self, output: &mut [u8]) {
        self.0.squeeze(output);
    }
}

impl Sponge<'_> {
    fn absorb(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(RATE - self.position));
            for (state, byte) in self.state[self.position..].iter_mut().zip(now) {
                *state ^= byte;
            }
            self.position += now.len();
            if self.position == RATE {
                permute(self.level, self.constants, &mut self.state);
                self.position = 0;
            }
            bytes = later;
        }
    }

    fn squeeze(&mut self, mut output: &mut [u8]) {
        while !output.is_empty() {
            if self.position == RATE {
                permute(self.level, self.constants, &mut self.state);
                self.position = 0;
            }
            let count = output.len().min(RATE - self.position);
            let (now, later) = output.split_at_mut(count);
            now.copy_from_slice(&self.state[self.position..self.position + count]);
            self.position += count;
            output = later;
        }
    }
}

impl Drop for Sponge<'_> {
    fn drop(&mut self) {
        wipe(&mut self.state);
    }
}

// The sponge inside wipes its state. The constants are public.
impl ZeroizeOnDrop for HarakaS<'_> {}
impl ZeroizeOnDrop for Squeezer<'_> {}

impl fmt::Debug for HarakaS<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HarakaS(…)")
    }
}

impl fmt::Debug for Squeezer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Squeezer(…)")
    }
}

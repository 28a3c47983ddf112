//! Portable rounds of AES: eight blocks at once, bit by bit, in constant time.
//!
//! Plane b holds bit b of every byte: bit l of its byte i is bit b of byte i of block l. The S-box
//! is a circuit on planes; ShiftRows and MixColumns move whole bytes, which is the same for all
//! eight blocks. The bytes of a plane have an order of their own (`Plane::reorder`).
//!
//! If moving bytes within a row is slow, ShiftRows of both rounds is done in the first round.
//! (Adomnicai and Peyrin, "Fixslicing AES-like ciphers", 2020, do it at the end of some rounds.)
//! When the first MixColumns then reads the bytes of a column, each row has its byte one column
//! further to the left than the row above.

#[cfg(target_feature = "sse2")]
mod plane_sse2;
#[cfg(any(not(target_feature = "sse2"), test))]
#[cfg_attr(target_feature = "sse2", allow(dead_code, unreachable_pub, reason = "what tests compare with"))]
mod plane_words;
mod sbox;

// Vectors that the target always has need no detection. The compiler does not find them by itself
// in this code.
#[cfg(target_feature = "sse2")]
use plane_sse2::{AHEAD, Plane};
#[cfg(not(target_feature = "sse2"))]
use plane_words::{AHEAD, Plane};
use sbox::sub_bits;

use super::Scalar;
use crate::aes::{AesBlocks, AesToken, Block};

impl AesToken for Scalar {
    type Blocks = SlicedBlocks;
    type Narrower = Self;

    #[inline(always)]
    fn narrower(self) -> Self {
        self
    }
}

/// Eight blocks as eight planes.
#[derive(Clone, Copy)]
pub struct SlicedBlocks([Plane; 8]);

/// Swaps the bits of plane `b` that `mask` selects with the bits of plane `a` that are `SHIFT`
/// places higher.
#[inline(always)]
fn swap_bits<const SHIFT: u32>(planes: &mut [Plane; 8], a: usize, b: usize, mask: Plane) {
    let differ = (planes[a].shift_right::<SHIFT>() ^ planes[b]) & mask;
    planes[b] = planes[b] ^ differ;
    planes[a] = planes[a] ^ differ.shift_left::<SHIFT>();
}

/// Turns eight blocks into planes, and planes into blocks: byte i of all eight is a matrix of 8×8
/// bits, which is transposed.
///
/// Like the rounds, it is not inlined: the planes do not fit into the registers anyway, and kernels
/// have many calls of it.
#[inline(never)]
fn transpose(planes: &mut [Plane; 8]) {
    for a in [0, 2, 4, 6] {
        swap_bits::<1>(planes, a, a + 1, Plane::splat(0x5555_5555));
    }
    for a in [0, 1, 4, 5] {
        swap_bits::<2>(planes, a, a + 2, Plane::splat(0x3333_3333));
    }
    for a in [0, 1, 2, 3] {
        swap_bits::<4>(planes, a, a + 4, Plane::splat(0x0f0f_0f0f));
    }
    for plane in planes {
        *plane = plane.reorder();
    }
}

/// Returns plane `BIT` of eight equal keys, with 63 (hexadecimal) added to each byte. This is the
/// constant that [`sub_bits`] leaves out of the S-box; ShiftRows and MixColumns do not change it.
#[inline(always)]
fn key_plane<const BIT: u32>(key: Plane) -> Plane {
    let bit = key & Plane::splat(0x0101_0101 << BIT);
    if 0x63 >> BIT & 1 == 1 {
        bit.bytes_equal(Plane::splat(0))
    } else {
        bit.bytes_equal(Plane::splat(0x0101_0101 << BIT))
    }
}

/// Computes the planes of eight equal keys, with ShiftRows done `TIMES` times. Like the rounds, it
/// is not inlined.
#[inline(never)]
fn key_planes<const TIMES: u32>(planes: &mut [Plane; 8], key: &Block) {
    let key = Plane::from_bytes(&key.0).reorder().shift_rows::<TIMES>();
    planes[0] = key_plane::<0>(key);
    planes[1] = key_plane::<1>(key);
    planes[2] = key_plane::<2>(key);
    planes[3] = key_plane::<3>(key);
    planes[4] = key_plane::<4>(key);
    planes[5] = key_plane::<5>(key);
    planes[6] = key_plane::<6>(key);
    planes[7] = key_plane::<7>(key);
}

/// Computes MixColumns (FIPS 197, section 5.1.3) and AddRoundKey, on a state to which ShiftRows was
/// applied `TIMES` additional times.
#[inline(always)]
fn mix_columns<const TIMES: u32>(a: [Plane; 8], key: &[Plane; 8]) -> [Plane; 8] {
    // 2 a_r + 3 a_(r+1) + a_(r+2) + a_(r+3) = 2 (a_r + a_(r+1)) + a_(r+1) + (a_(r+2) + a_(r+3)).
    let last = a[7] ^ a[7].below::<TIMES>();
    let mut out = a;
    // Doubling moves each bit up by one, and adds the top bit to bits 4, 3, 1 and 0: x^8 = x^4 +
    // x^3 + x + 1.
    let mut doubled = last;
    for i in 0..8 {
        let below = a[i].below::<TIMES>();
        let sum = a[i] ^ below;
        out[i] = (key[i] ^ below) ^ (doubled ^ sum.two_below::<TIMES>());
        doubled = match i {
            0 | 2 | 3 => sum ^ last,
            _ => sum,
        };
    }
    out
}

/// Computes ShiftRows (FIPS 197, section 5.1.2) `TIMES` times.
#[inline(always)]
fn shift_rows<const TIMES: u32>(mut a: [Plane; 8]) -> [Plane; 8] {
    for plane in &mut a {
        *plane = plane.shift_rows::<TIMES>();
    }
    a
}

/// Computes two rounds of AES on eight blocks.
#[inline(never)]
fn two_rounds(planes: &mut [Plane; 8], [first, second]: &[[Plane; 8]; 2]) {
    let a = shift_rows::<{ 1 + AHEAD }>(sub_bits(*planes));
    let a = mix_columns::<AHEAD>(a, first);
    let a = shift_rows::<{ 1 - AHEAD }>(sub_bits(a));
    *planes = mix_columns::<0>(a, second);
}

impl SlicedBlocks {
    /// Computes [`AesBlocks::two_rounds`] on states of `N` blocks in consecutive lanes: lane l uses
    /// the keys l mod `N`.
    #[inline(always)]
    pub fn two_rounds_in_lanes<const N: usize>(&mut self, first: &[Block; N], second: &[Block; N]) {
        const { assert!(N == 2 || N == 4) };
        let both = Self::load(
            Scalar::new(),
            #[inline(always)]
            |lane| if lane < 4 { &first[lane % N].0 } else { &second[lane % N].0 },
        );
        let mut keys = [both.0; 2];
        let [firsts, seconds] = &mut keys;
        for (i, (first, second)) in firsts.iter_mut().zip(seconds).enumerate() {
            // The constant of the S-box, as in `key_plane`.
            let constant = Plane::splat(if 0x63 >> i & 1 == 1 { !0 } else { 0 });
            let lower = (*first & Plane::splat(0x0f0f_0f0f)).shift_rows::<AHEAD>();
            *first = lower ^ lower.shift_left::<4>() ^ constant;
            let upper = *second & Plane::splat(0xf0f0_f0f0);
            *second = upper ^ upper.shift_right::<4>() ^ constant;
        }
        two_rounds(&mut self.0, &keys);
    }

    /// Computes [`AesBlocks::columns`] on states of `N` blocks in consecutive lanes: block n of
    /// state i is in lane `N` i + n.
    #[inline(always)]
    pub fn columns_in_lanes<const N: usize>(&mut self, change: impl Fn([Plane; N]) -> [Plane; N]) {
        const { assert!(N == 2 || N == 4) };
        let first_lanes = Plane::splat(if N == 2 { 0x5555_5555 } else { 0x1111_1111 });
        for plane in &mut self.0 {
            let mut blocks = [*plane; N];
            blocks[1] = plane.shift_right::<1>();
            if N == 4 {
                blocks[2] = plane.shift_right::<2>();
                blocks[3] = plane.shift_right::<3>();
            }
            // Block n of each state is now in the state's first lane. The other lanes hold bits
            // that are not needed, which the mask below removes.
            let mut blocks = change(blocks);
            for block in &mut blocks {
                *block = *block & first_lanes;
            }
            *plane = blocks[0] ^ blocks[1].shift_left::<1>();
            if N == 4 {
                *plane = *plane ^ blocks[2].shift_left::<2>() ^ blocks[3].shift_left::<3>();
            }
        }
    }
}

impl AesBlocks for SlicedBlocks {
    type Token = Scalar;
    type Columns = Plane;
    const BLOCKS: usize = 8;
    // One vector keeps the CPU busy, but the planes of a key are computed once for all states with
    // that key.
    const IN_FLIGHT: usize = 8;
    const SUMS_IN_MEMORY: bool = true;

    #[inline(always)]
    fn zeros(_: Scalar) -> Self {
        Self([Plane::splat(0); 8])
    }

    #[inline(always)]
    fn load<'a>(_: Scalar, block: impl Fn(usize) -> &'a [u8; 16]) -> Self {
        let mut blocks = Self([Plane::splat(0); 8]);
        for (i, plane) in blocks.0.iter_mut().enumerate() {
            *plane = Plane::from_bytes(block(i));
        }
        transpose(&mut blocks.0);
        blocks
    }

    #[inline(always)]
    fn store(self, mut store: impl FnMut(usize, [u8; 16])) {
        let mut blocks = self.0;
        transpose(&mut blocks);
        for (i, block) in blocks.iter().enumerate() {
            store(i, block.to_bytes());
        }
        // The copy is in memory, and may be secret.
        blocks = [Plane::splat(0); 8];
        core::hint::black_box(&mut blocks);
    }

    #[inline(always)]
    fn two_rounds<const N: usize, const G: usize>(state: &mut [[Self; N]; G], first: &[Block; N], second: &[Block; N]) {
        let mut keys = [[Plane::splat(0); 8]; 2];
        for n in 0..N {
            key_planes::<AHEAD>(&mut keys[0], &first[n]);
            key_planes::<0>(&mut keys[1], &second[n]);
            for state in &mut *state {
                two_rounds(&mut state[n].0, &keys);
            }
        }
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        let mut sum = self;
        for i in 0..8 {
            sum.0[i] = self.0[i] ^ other.0[i];
        }
        sum
    }

    #[inline(always)]
    fn columns<const N: usize>(vectors: &mut [Self; N], change: impl Fn([Plane; N]) -> [Plane; N]) {
        for i in 0..8 {
            let mut planes = [vectors[0].0[i]; N];
            for n in 1..N {
                planes[n] = vectors[n].0[i];
            }
            let planes = change(planes);
            for n in 0..N {
                vectors[n].0[i] = planes[n];
            }
        }
    }
}

#[cfg(all(test, target_feature = "sse2"))]
mod tests {
    use super::{Plane, plane_words};
    use crate::aes::Columns;

    /// Bytes without a pattern.
    fn bytes(seed: u8) -> [u8; 16] {
        core::array::from_fn(|i| (i as u8 ^ seed).wrapping_mul(167).wrapping_add(seed).rotate_left(u32::from(seed) % 8))
    }

    #[test]
    fn vectors_move_bytes_as_words_do() {
        for seed in 0..=255 {
            let (a, b) = (bytes(seed), bytes(!seed));
            let (vector, other) = (Plane::from_bytes(&a).reorder(), Plane::from_bytes(&b).reorder());
            let (words, others) = (plane_words::Plane::from_bytes(&a), plane_words::Plane::from_bytes(&b));
            macro_rules! same {
                ($of_vector:expr, $of_words:expr) => {
                    assert_eq!(
                        $of_vector.reorder().to_bytes(),
                        $of_words.to_bytes(),
                        "{seed}: {}",
                        stringify!($of_vector)
                    );
                };
            }
            same!(vector.shift_rows::<0>(), words);
            same!(vector.shift_rows::<1>(), words.shift_rows::<1>());
            same!(vector.shift_rows::<2>(), words.shift_rows::<2>());
            same!(vector.below::<0>(), words.below::<0>());
            same!(vector.two_below::<0>(), words.two_below::<0>());
            // In each row, one column to the left is the position after one additional ShiftRows.
            same!(vector.below::<1>(), words.shift_rows::<3>().below::<0>().shift_rows::<1>());
            same!(vector.two_below::<1>(), words.shift_rows::<3>().two_below::<0>().shift_rows::<1>());
            same!(vector.bytes_equal(other), words.bytes_equal(others));
            same!(vector.interleave_low(other), words.interleave_low(others));
            same!(vector.interleave_high(other), words.interleave_high(others));
            same!(vector.low_halves(other), words.low_halves(others));
            same!(vector.high_halves(other), words.high_halves(others));
        }
    }
}

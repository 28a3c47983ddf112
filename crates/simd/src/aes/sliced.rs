//! Portable rounds of AES: eight blocks at once, bit by bit, in constant time.
//!
//! Plane b holds bit b of every byte: its byte i has in bit l what byte i of block l has in bit b. The S-box is a circuit on
//! planes; ShiftRows and MixColumns move whole bytes, which is the same for all eight blocks.

use super::sbox::sub_bits;
use super::{AesBlocks, AesToken, Block, Plane};
use crate::Scalar;

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

/// Swaps the bits of `a` that `mask` selects after a shift to the right with those of `b` that it selects.
#[inline(always)]
fn swap_bits<const SHIFT: u32>(planes: &mut [Plane; 8], a: usize, b: usize, mask: Plane) {
    let differ = (planes[a].shift_right::<SHIFT>() ^ planes[b]) & mask;
    planes[b] = planes[b] ^ differ;
    planes[a] = planes[a] ^ differ.shift_left::<SHIFT>();
}

/// Turns eight blocks into planes, and planes into blocks: transposes eight bits by eight in each byte.
///
/// A function of its own, as the round is: the planes do not fit the registers anyway, and kernels have many of these.
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
}

/// Plane `BIT` of eight equal keys, to each of whose bytes 63 (hexadecimal) is added: the constant that the S-box leaves out,
/// which ShiftRows and MixColumns leave as it is.
#[inline(always)]
fn key_plane<const BIT: u32>(key: Plane) -> Plane {
    let bit = key & Plane::splat(0x0101_0101 << BIT);
    if 0x63 >> BIT & 1 == 1 {
        bit.bytes_equal(Plane::splat(0))
    } else {
        bit.bytes_equal(Plane::splat(0x0101_0101 << BIT))
    }
}

/// A round of AES on eight blocks.
#[inline(never)]
fn round(planes: &mut [Plane; 8], key: &Block) {
    let mut a = sub_bits(*planes);
    for plane in &mut a {
        *plane = plane.shift_rows();
    }
    let key = Plane::from_bytes(&key.0);
    let keys = [
        key_plane::<0>(key),
        key_plane::<1>(key),
        key_plane::<2>(key),
        key_plane::<3>(key),
        key_plane::<4>(key),
        key_plane::<5>(key),
        key_plane::<6>(key),
        key_plane::<7>(key),
    ];
    // MixColumns: 2 a_r + 3 a_(r+1) + a_(r+2) + a_(r+3) = 2 (a_r + a_(r+1)) + a_(r+1) + (a_(r+2) + a_(r+3)).
    let mut below = a;
    let mut sum = a;
    for i in 0..8 {
        below[i] = a[i].rotate_rows_1();
        sum[i] = a[i] ^ below[i];
    }
    let mut out = keys;
    for i in 0..8 {
        // Doubling moves bits up, and the uppermost to where x^8 = x^4 + x^3 + x + 1 has ones.
        let doubled = match i {
            0 => sum[7],
            1 | 3 | 4 => sum[i - 1] ^ sum[7],
            _ => sum[i - 1],
        };
        out[i] = (keys[i] ^ below[i]) ^ (doubled ^ sum[i].rotate_rows_2());
    }
    *planes = out;
}

impl AesBlocks for SlicedBlocks {
    type Token = Scalar;
    const BLOCKS: usize = 8;
    const IN_FLIGHT: usize = 1;

    #[inline(always)]
    fn load<'a>(_: Scalar, block: impl Fn(usize) -> &'a [u8; 16]) -> Self {
        let mut planes = [Plane::splat(0); 8];
        for (i, plane) in planes.iter_mut().enumerate() {
            *plane = Plane::from_bytes(block(i));
        }
        transpose(&mut planes);
        Self(planes)
    }

    #[inline(always)]
    fn store(self, mut store: impl FnMut(usize, [u8; 16])) {
        let mut blocks = self.0;
        transpose(&mut blocks);
        for (i, block) in blocks.into_iter().enumerate() {
            store(i, block.to_bytes());
        }
    }

    #[inline(always)]
    fn aes_round(self, key: &Block) -> Self {
        let mut planes = self.0;
        round(&mut planes, key);
        Self(planes)
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
    #[inline(always)]
    fn interleave_low(self, other: Self) -> Self {
        self.zip(other, Plane::interleave_low)
    }
    #[inline(always)]
    fn interleave_high(self, other: Self) -> Self {
        self.zip(other, Plane::interleave_high)
    }
    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        self.zip(other, Plane::low_halves)
    }
    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        self.zip(other, Plane::high_halves)
    }
}

impl SlicedBlocks {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(Plane, Plane) -> Plane) -> Self {
        let mut out = self;
        for i in 0..8 {
            out.0[i] = operation(self.0[i], other.0[i]);
        }
        out
    }
}

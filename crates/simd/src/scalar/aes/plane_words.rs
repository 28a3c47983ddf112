//! The bytes of a plane on 32-bit words: one for each column, row 0 in the least significant byte.

use core::ops::{BitAnd, BitXor};

use crate::aes::Columns;

/// The number of times that ShiftRows is done early: zero, because ShiftRows takes the same time
/// for any number of columns.
pub(super) const AHEAD: u32 = 0;

/// Sixteen bytes, in the order of a state of AES.
#[derive(Clone, Copy)]
pub struct Plane([u32; 4]);

impl Plane {
    /// Returns the same column four times.
    #[inline(always)]
    pub(super) fn splat(column: u32) -> Self {
        Self([column; 4])
    }

    #[inline(always)]
    pub(super) fn from_bytes(bytes: &[u8; 16]) -> Self {
        let word = |i: usize| u32::from_le_bytes([bytes[i], bytes[i + 1], bytes[i + 2], bytes[i + 3]]);
        Self([word(0), word(4), word(8), word(12)])
    }

    #[inline(always)]
    pub(super) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for i in 0..4 {
            bytes[4 * i..4 * i + 4].copy_from_slice(&self.0[i].to_le_bytes());
        }
        bytes
    }

    /// Shifts each byte to the left. Bits may come in from the byte before.
    #[inline(always)]
    pub(super) fn shift_left<const BITS: u32>(self) -> Self {
        self.map(
            #[inline(always)]
            |word| word << BITS,
        )
    }

    /// Shifts each byte to the right. Bits may come in from the byte after.
    #[inline(always)]
    pub(super) fn shift_right<const BITS: u32>(self) -> Self {
        self.map(
            #[inline(always)]
            |word| word >> BITS,
        )
    }

    /// Sets each byte to ones if it is equal in both, and to zeros otherwise.
    #[inline(always)]
    pub(super) fn bytes_equal(self, other: Self) -> Self {
        const LOW: u32 = 0x7f7f_7f7f;
        (self ^ other).map(
            #[inline(always)]
            |differ| {
                let high_bits = !(((differ & LOW) + LOW) | differ) & !LOW;
                (high_bits >> 7) * 0xff
            },
        )
    }

    /// Converts between the standard's order of bytes and the order of planes, which are the same
    /// here.
    #[inline(always)]
    pub(super) fn reorder(self) -> Self {
        self
    }

    /// Computes ShiftRows (FIPS 197, section 5.1.2) `TIMES` times.
    #[inline(always)]
    pub(super) fn shift_rows<const TIMES: u32>(self) -> Self {
        let [a, b, c, d] = self.0;
        Self(match const { TIMES % 4 } {
            0 => [a, b, c, d],
            1 => [rows_of(a, b, c, d), rows_of(b, c, d, a), rows_of(c, d, a, b), rows_of(d, a, b, c)],
            2 => [rows_of(a, c, a, c), rows_of(b, d, b, d), rows_of(c, a, c, a), rows_of(d, b, d, b)],
            _ => [rows_of(a, d, c, b), rows_of(b, a, d, c), rows_of(c, b, a, d), rows_of(d, c, b, a)],
        })
    }

    /// Replaces each byte by the byte one row below it.
    #[inline(always)]
    pub(super) fn below<const AHEAD: u32>(self) -> Self {
        const { assert!(AHEAD == self::AHEAD) };
        self.map(
            #[inline(always)]
            |word| word.rotate_right(8),
        )
    }

    /// Replaces each byte by the byte two rows below it.
    #[inline(always)]
    pub(super) fn two_below<const AHEAD: u32>(self) -> Self {
        const { assert!(AHEAD == self::AHEAD) };
        self.map(
            #[inline(always)]
            |word| word.rotate_right(16),
        )
    }

    #[inline(always)]
    fn map(self, operation: impl Fn(u32) -> u32) -> Self {
        let [a, b, c, d] = self.0;
        Self([operation(a), operation(b), operation(c), operation(d)])
    }
}

/// Returns row 0 of `a`, row 1 of `b`, row 2 of `c` and row 3 of `d`.
#[inline(always)]
fn rows_of(a: u32, b: u32, c: u32, d: u32) -> u32 {
    a & 0xff | b & 0xff00 | c & 0xff_0000 | d & 0xff00_0000
}

impl Columns for Plane {
    #[inline(always)]
    fn interleave_low(self, other: Self) -> Self {
        Self([self.0[0], other.0[0], self.0[1], other.0[1]])
    }

    #[inline(always)]
    fn interleave_high(self, other: Self) -> Self {
        Self([self.0[2], other.0[2], self.0[3], other.0[3]])
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        Self([self.0[0], self.0[1], other.0[0], other.0[1]])
    }

    #[inline(always)]
    fn high_halves(self, other: Self) -> Self {
        Self([self.0[2], self.0[3], other.0[2], other.0[3]])
    }
}

impl BitXor for Plane {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a ^ e, b ^ f, c ^ g, d ^ h])
    }
}

impl BitAnd for Plane {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & e, b & f, c & g, d & h])
    }
}

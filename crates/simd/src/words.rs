//! Addition, XOR and rotation of 32-bit words, the capability for ARX ciphers.

use crate::kernels::ChaCha20Rounds;
use crate::token::Token;
use crate::xor::xor_bytes;

/// The largest number of lanes of any implementation of [`Words`].
pub const MAX_WORDS_LANES: usize = 16;

/// A vector of 32-bit words: [`Words::ROWS`] rows of 128 bits, which have four words each.
///
/// Lanes are numbered from 0; lane `4 * row + column` is word `column` of row `row`.
pub trait Words: ChaCha20Rounds + Copy {
    /// The proof that the CPU has the instructions.
    type Token: Token;

    /// Four vectors in memory: `64 * ROWS` bytes.
    type Blocks: Copy + AsRef<[u8]> + AsMut<[u8]>;
    /// Four vectors of zeros in memory.
    const ZERO_BLOCKS: Self::Blocks;

    /// Number of 128-bit rows in a vector.
    const ROWS: usize;
    /// Number of words in a vector: `4 * ROWS`.
    const LANES: usize = 4 * Self::ROWS;
    /// Returns a vector whose lanes all equal `word`.
    fn splat(token: Self::Token, word: u32) -> Self;
    /// Returns a vector whose rows all equal `row`.
    fn splat_row(token: Self::Token, row: [u32; 4]) -> Self;
    /// Loads the first [`Words::LANES`] words of `words`, and ignores the rest.
    fn from_lanes(token: Self::Token, words: &[u32; MAX_WORDS_LANES]) -> Self;
    /// Returns lane 0.
    fn first(self) -> u32;

    /// Returns the lane-wise sum modulo 2^32.
    #[must_use]
    fn add(self, other: Self) -> Self;
    /// Returns the lane-wise XOR.
    #[must_use]
    fn xor(self, other: Self) -> Self;
    /// Returns the lane-wise and.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Returns the lane-wise rotation to the left by 16 bits.
    #[must_use]
    fn rotate_left_16(self) -> Self;
    /// Returns the lane-wise rotation to the left by 12 bits.
    #[must_use]
    fn rotate_left_12(self) -> Self;
    /// Returns the lane-wise rotation to the left by 8 bits.
    #[must_use]
    fn rotate_left_8(self) -> Self;
    /// Returns the lane-wise rotation to the left by 7 bits.
    #[must_use]
    fn rotate_left_7(self) -> Self;

    /// Rotates the columns of each row: column `c` becomes the old column `(c + 1) % 4`.
    #[must_use]
    fn rotate_columns_1(self) -> Self;
    /// Rotates the columns of each row: column `c` becomes the old column `(c + 2) % 4`.
    #[must_use]
    fn rotate_columns_2(self) -> Self;
    /// Rotates the columns of each row: column `c` becomes the old column `(c + 3) % 4`.
    #[must_use]
    fn rotate_columns_3(self) -> Self;

    /// Transposes 4×4 matrices: the rows `r` of the four vectors form one matrix. Word `c` of row
    /// `r` of vector `v` goes to word `v` of row `r` of vector `c`.
    fn transpose(a: Self, b: Self, c: Self, d: Self) -> (Self, Self, Self, Self);

    /// XORs `4 * ROWS * 16` bytes of `data` with four vectors, row by row: row 0 of `a`, `b`, `c`,
    /// `d`, then row 1 and so on, each word little-endian.
    ///
    /// # Panics
    /// If `data` is shorter than that.
    fn xor_rows(a: Self, b: Self, c: Self, d: Self, data: &mut [u8]);

    /// Does the same as [`Words::xor_rows`] with data that may be shorter. The rest of the vectors
    /// is not used.
    ///
    /// # Panics
    /// If `data` is longer than `4 * ROWS * 16` bytes.
    #[inline(always)]
    fn xor_start_of_rows(token: Self::Token, a: Self, b: Self, c: Self, d: Self, data: &mut [u8]) {
        let mut key_stream = Self::ZERO_BLOCKS;
        Self::xor_rows(a, b, c, d, key_stream.as_mut());
        Self::xor_bytes(token, data, key_stream.as_ref());
        // The key stream is secret.
        key_stream = Self::ZERO_BLOCKS;
        core::hint::black_box(&mut key_stream);
    }

    /// Does the same as [`xor_bytes`](crate::xor_bytes()).
    #[inline(always)]
    fn xor_bytes(_: Self::Token, data: &mut [u8], key_stream: &[u8]) {
        xor_bytes(data, key_stream);
    }

    /// Does the same as [`Words::xor_rows`] with blocks of 64 bytes, one for each row, that are not
    /// consecutive.
    ///
    /// # Panics
    /// May panic if there are fewer than [`Words::ROWS`] blocks.
    #[inline(always)]
    fn xor_blocks(a: Self, b: Self, c: Self, d: Self, blocks: &mut [&mut [u8; 64]]) {
        if Self::ROWS == 1 {
            return Self::xor_rows(a, b, c, d, blocks[0]);
        }
        let mut copies = Self::ZERO_BLOCKS;
        for (copy, block) in copies.as_mut().as_chunks_mut().0.iter_mut().zip(&*blocks) {
            *copy = **block;
        }
        Self::xor_rows(a, b, c, d, copies.as_mut());
        for (block, copy) in blocks.iter_mut().zip(copies.as_ref().as_chunks().0) {
            **block = *copy;
        }
        // The copy of a block of zeros is now key stream, which is secret.
        copies = Self::ZERO_BLOCKS;
        core::hint::black_box(&mut copies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level_list::LevelList as _;
    use crate::{Level, Simd};

    const PAGE_BYTES: usize = 4096;

    /// Writes to `len` bytes at several places around the start of a page, and compares all bytes
    /// of both pages.
    fn at_places(len: usize, write: impl Fn(&mut [u8]), expected: &[u8]) {
        let mut memory = [0; 3 * PAGE_BYTES];
        let page = memory.as_ptr().addr().wrapping_neg() % PAGE_BYTES;
        let pages = &mut memory[page..page + 2 * PAGE_BYTES];
        for start in [0, 1, PAGE_BYTES - 64, PAGE_BYTES - 63, PAGE_BYTES - len, PAGE_BYTES - len / 2, PAGE_BYTES - 1] {
            pages.fill(0x5c);
            write(&mut pages[start..start + len]);
            assert!(pages[start..start + len].iter().zip(expected).all(|(byte, key)| *byte == 0x5c ^ key));
            let outside = pages[..start].iter().chain(&pages[start + len..]);
            assert!(outside.into_iter().all(|&byte| byte == 0x5c), "{len} bytes at {start}");
        }
    }

    fn check<S: Simd>(token: S) {
        let words = |i: u32| core::array::from_fn(|lane| (lane as u32 + 16 * i).wrapping_mul(0x9e37_79b9));
        let [a, b, c, d] = [1, 2, 3, 4].map(|i| S::Words::from_lanes(token, &words(i)));
        let mut blocks = S::Words::ZERO_BLOCKS;
        S::Words::xor_rows(a, b, c, d, blocks.as_mut());
        let whole = blocks.as_ref();
        for len in 0..=whole.len() {
            at_places(len, |data| S::Words::xor_start_of_rows(token, a, b, c, d, data), whole);
            at_places(len, |data| S::Words::xor_bytes(token, data, whole), whole);
            // The key stream is at these places too.
            at_places(
                len,
                |place| {
                    xor_bytes(place, whole);
                    let mut data = [0; 64 * 4];
                    S::Words::xor_bytes(token, &mut data[..len], place);
                    place.copy_from_slice(&data[..len]);
                },
                whole,
            );
        }
    }

    #[test]
    fn the_start_of_rows_changes_no_other_byte() {
        for level in Level::available() {
            dispatch!(level, token => check(token));
        }
    }
}

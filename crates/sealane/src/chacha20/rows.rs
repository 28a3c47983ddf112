//! Key stream in rows, as the kernels leave it in vectors, and its combination with data.
//!
//! A state has four rows of four words. A set has one block for each row that fits into a vector; a
//! group has one block for each lane of 32 bits, which is four sets. With vectors of 512 bits, a
//! set is 4 blocks and a group 16; with 256 bits, 2 and 8; with 128 bits, 1 and 4.

use sealane_simd::{MAX_WORDS_LANES, PendingPoly1305, Simd, Words};

use super::BLOCK_BYTES;

/// Number of bytes that portable code computes at once: one block for each lane of a 128-bit
/// vector.
pub(super) const PORTABLE_GROUP_BYTES: usize = 4 * BLOCK_BYTES;

/// Returns the number of bytes in a group.
pub(crate) const fn group_bytes<S: Simd>() -> usize {
    if S::VECTORS { S::Words::LANES * BLOCK_BYTES } else { PORTABLE_GROUP_BYTES }
}

/// Returns the number of bytes in a set. Fewer bytes take the same time.
pub(crate) const fn set_bytes<S: Simd>() -> usize {
    S::Words::ROWS * BLOCK_BYTES
}

/// Returns whether the last `bytes` of an input, if they are more than a group, are fastest as sets
/// that are computed together.
#[inline(always)]
pub(super) fn is_last<S: Simd>(token: S, bytes: usize) -> bool {
    let pays = S::TUNING.prefer_sets_for_tail.of(token.cpu_class());
    bytes > group_bytes::<S>() && bytes <= S::TUNING.most_horizontal_sets * set_bytes::<S>() && pays
}

/// Poly1305 work for the CPU's integer units while its vector units compute a key stream.
pub(crate) trait Interleave {
    /// Whether there is any work.
    const ACTIVE: bool = false;
    /// Adds one block to the Poly1305 sum, if any is left.
    #[inline(always)]
    fn step(_: &mut PendingPoly1305<'_>) {}
}

/// No Poly1305 work.
impl Interleave for () {}

/// A set of blocks in four vectors: the first rows of all blocks, their second rows, and so on.
#[derive(Clone, Copy)]
pub(crate) struct Rows<W>(pub(crate) W, pub(crate) W, pub(crate) W, pub(crate) W);

impl<W: Words> Rows<W> {
    /// Returns the sums, word by word.
    #[inline(always)]
    pub(super) fn add(self, Self(a, b, c, d): Self) -> Self {
        Self(self.0.add(a), self.1.add(b), self.2.add(c), self.3.add(d))
    }
}

/// Returns the blocks of a set.
#[inline(always)]
pub(crate) fn blocks<W: Words>(&Rows(a, b, c, d): &Rows<W>) -> W::Blocks {
    let mut blocks = W::ZERO_BLOCKS;
    W::xor_rows(a, b, c, d, blocks.as_mut());
    blocks
}

/// Combines `data` with the key stream in `rows`, which may be longer.
///
/// # Panics
/// If the data is longer: the rest of it would not be encrypted.
#[inline(always)]
pub(crate) fn xor_rows<S: Simd>(token: S, rows: &[Rows<S::Words>], data: &mut [u8]) {
    let set_bytes = set_bytes::<S>();
    if data.len() == rows.len() * set_bytes {
        // There is no branch between the sets, because the compiler would move half of each
        // transposition after it, and spill.
        for (&Rows(a, b, c, d), set) in rows.iter().zip(data.chunks_exact_mut(set_bytes)) {
            S::Words::xor_rows(a, b, c, d, set);
        }
        return;
    }
    let mut rest = data;
    for &Rows(a, b, c, d) in rows {
        if rest.is_empty() {
            return;
        }
        if rest.len() >= set_bytes {
            let (set, after) = rest.split_at_mut(set_bytes);
            S::Words::xor_rows(a, b, c, d, set);
            rest = after;
        } else {
            return S::Words::xor_start_of_rows(token, a, b, c, d, rest);
        }
    }
    assert!(rest.is_empty(), "the key stream is as long as the data");
}

/// Writes the key stream in `rows` to the start of `place`.
#[inline(always)]
pub(crate) fn write_rows<W: Words>(rows: &[Rows<W>], place: &mut [u8]) {
    for (rows, place) in rows.iter().zip(place.chunks_exact_mut(W::ROWS * BLOCK_BYTES)) {
        place.copy_from_slice(blocks(rows).as_ref());
    }
}

/// Returns the rows of a group's blocks, where `v[i]` has word i of each block. Lane `4 * row +
/// column` has block `ROWS * column + row`.
#[inline(always)]
pub(super) fn transpose<W: Words>(v: &[W; 16]) -> [Rows<W>; 4] {
    let (a0, a1, a2, a3) = W::transpose(v[0], v[1], v[2], v[3]);
    let (b0, b1, b2, b3) = W::transpose(v[4], v[5], v[6], v[7]);
    let (c0, c1, c2, c3) = W::transpose(v[8], v[9], v[10], v[11]);
    let (d0, d1, d2, d3) = W::transpose(v[12], v[13], v[14], v[15]);
    [Rows(a0, b0, c0, d0), Rows(a1, b1, c1, d1), Rows(a2, b2, c2, d2), Rows(a3, b3, c3, d3)]
}

/// Returns the number of each lane's block within its group. For [`transpose`], lane `4 * row +
/// column` has block `ROWS * column + row`.
#[inline(always)]
pub(super) fn block_numbers<W: Words>(token: W::Token) -> W {
    let mut numbers = [0; MAX_WORDS_LANES];
    for (lane, number) in numbers.iter_mut().enumerate().take(W::LANES) {
        *number = (W::ROWS * (lane % 4) + lane / 4) as u32;
    }
    W::from_lanes(token, &numbers)
}

#[cfg(test)]
mod tests {
    use sealane_simd::Scalar;

    use super::*;

    #[test]
    #[should_panic(expected = "the key stream is as long as the data")]
    fn data_behind_the_last_row_is_refused() {
        let zeros = <Scalar as Simd>::Words::splat(Scalar::new(), 0);
        let mut data = [0; set_bytes::<Scalar>() + 1];
        xor_rows(Scalar::new(), &[Rows(zeros, zeros, zeros, zeros)], &mut data);
    }
}

//! Poly1305 of many messages at once: each lane of a vector holds the accumulator of one message,
//! which has its own r.
//!
//! A *row* is one block of each message. Limbs have 26 bits. If there are enough rows, two are
//! processed between two carries,
//!
//! h ← (h + m(0)) r² + m(1) r,
//!
//! which takes 50 multiplications, where [`super::table`] takes 40. But there is no table to
//! compute, and there are no lanes to combine at the end, so this suits short messages.
//!
//! Messages are aligned at their ends. A shorter message begins with empty rows, which leave its
//! accumulator at 0. Scalar code processes the first blocks of the few longest messages. With
//! products of 52 bits, [`limbs52`] does the same in fewer limbs.

pub(super) mod limbs52;
pub(super) mod rows;
#[cfg(test)]
mod tests;

use sealane_simd::tuning::POLY1305_MIN_ROWS_FOR_SQUARE as MIN_ROWS_FOR_SQUARE;
use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::BLOCK_BYTES;
use super::accumulator::Accumulator;
use super::field::Element;
use super::kernel::run;
use super::limbs26::{carry, limbs};
use super::rows::{Limbs, Limbs26};
use super::short::Short;
use crate::poly1305::tag::Tag;
use crate::wipe::wipe;
pub(crate) use rows::{Input, KeyBlock};
use rows::{ONE, TILE_ROWS, Tile, complete, lanes_and_messages};

/// Writes the tags of messages under their one-time keys, each the start of a block of
/// `key_blocks`. All slices have equal lengths. `inputs` are used up. This is fastest if the
/// messages are sorted by their numbers of blocks, the longest first.
#[inline(always)]
pub(crate) fn tags<S: Simd>(token: S, key_blocks: &[&KeyBlock], inputs: &mut [Input<'_>], tags: &mut [Tag]) {
    if S::TUNING.poly1305_min_messages == usize::MAX {
        for ((key_block, input), tag) in key_blocks.iter().zip(inputs).zip(tags) {
            let mac = Short::new(one_time_key(key_block)).padded(input.aad).padded(input.ciphertext);
            *tag = mac.block(&input.lengths()).tag();
        }
        return;
    }
    let tile = &mut Tile::new();
    if S::MUL_ADD_52 {
        return limbs52::tags(token, key_blocks, inputs, tile, tags);
    }
    let lanes = S::U64Lanes::LANES;
    for ((key_blocks, inputs), tags) in
        key_blocks.chunks(lanes).zip(inputs.chunks_mut(lanes)).zip(tags.chunks_mut(lanes))
    {
        let lengths = lengths(inputs);
        let rows = rows_in_lanes::<S>(inputs);
        let Limbs26(h) = excess(token, key_blocks, inputs, rows);
        tags_after(token, h, key_blocks, inputs, (rows, &lengths), tile, tags);
    }
}

/// Returns the last blocks of up to [`MAX_U64_LANES`] messages.
#[inline(always)]
fn lengths(inputs: &[Input<'_>]) -> [rows::Block; MAX_U64_LANES] {
    let mut lengths = [[0; BLOCK_BYTES]; MAX_U64_LANES];
    for (lengths, input) in lengths.iter_mut().zip(inputs) {
        *lengths = input.lengths();
    }
    lengths
}

/// Returns the number of rows that are faster on vectors. They are the last rows before that of the
/// lengths.
#[inline(always)]
fn rows_in_lanes<S: Simd>(inputs: &[Input<'_>]) -> usize {
    inputs.get(S::TUNING.poly1305_min_messages - 1).map_or(0, Input::blocks)
}

/// Writes the tags. `h` already has the blocks before the last `rows`. This adds the last `rows`,
/// and then each message's block of `lengths`.
#[inline(always)]
pub(super) fn tags_after<S: Simd>(
    token: S,
    mut h: [S::U64Lanes; 5],
    key_blocks: &[&KeyBlock],
    inputs: &mut [Input<'_>],
    (rows, lengths): (usize, &[[u8; BLOCK_BYTES]; MAX_U64_LANES]),
    tile: &mut Tile,
    tags: &mut [Tag],
) {
    let r = Multiplier::of_keys(token, key_blocks);
    let square = if rows < MIN_ROWS_FOR_SQUARE { r } else { r.square(token) };
    let mut done = 0;
    while done < rows {
        // An even number of rows is left after the first tile.
        let count = (rows - done).min(TILE_ROWS - (rows - done) % 2);
        tile.fill(&S::U64Lanes::BLOCK_OF_LANE[..S::U64Lanes::LANES], inputs, rows - done, count);
        let singles = if rows < MIN_ROWS_FOR_SQUARE { count } else { count % 2 };
        let (singles, pairs) = tile.rows[..count].split_at(singles);
        for row in singles {
            h = r.add_row(token, h, row.limbs(token));
        }
        for [row0, row1] in pairs.as_chunks().0 {
            // Limbs of up to 2^27.1 and 2^26 with factors of up to 2^28.4: sums below 2^58.6.
            let product0 = square.multiply(token, add(h, row0.limbs(token)));
            let product1 = r.multiply(token, row1.limbs(token));
            h = carry(token, add(product0, product1));
        }
        done += count;
    }
    let (low, high) = S::U64Lanes::load_blocks(token, lengths.as_flattened());
    h = r.add_row(token, h, complete(limbs(token, low, high), S::U64Lanes::splat(token, ONE)));
    finish(token, h, key_blocks, tags);
}

/// Takes the blocks that longer messages have before the last `rows` from `inputs`. Returns the
/// accumulators after these blocks.
#[inline(always)]
fn excess<S: Simd, L: Limbs<Lanes = S::U64Lanes>>(
    token: S,
    key_blocks: &[&KeyBlock],
    inputs: &mut [Input<'_>],
    rows: usize,
) -> L {
    if inputs.iter().all(|input| input.blocks() <= rows) {
        return L::zero(token);
    }
    let mut h = [Element::default(); MAX_U64_LANES];
    for (lane, i) in lanes_and_messages::<S>() {
        if let Some(input) = inputs.get_mut(i)
            && input.blocks() > rows
        {
            let mut accumulator = Accumulator::new(one_time_key(key_blocks[i]));
            input.take(
                input.blocks() - rows,
                #[inline(always)]
                |blocks| run(token, &mut accumulator, blocks),
            );
            h[lane] = accumulator.h;
        }
    }
    let lanes = L::of_elements(
        token,
        &h,
        #[inline(always)]
        |mut words| {
            let lanes = S::U64Lanes::from_lanes(token, &words);
            wipe(&mut words);
            lanes
        },
    );
    wipe(&mut h);
    lanes
}

#[inline(always)]
fn add<W: U64Lanes>(a: [W; 5], b: [W; 5]) -> [W; 5] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2]), a[3].add(b[3]), a[4].add(b[4])]
}

/// A factor for each lane, in five limbs of at most 2^26 + 2^16.
#[derive(Clone, Copy)]
struct Multiplier<W> {
    limbs: [W; 5],
    /// Five times limbs 1 to 4, because 2^130 = 5 modulo p.
    times_5: [W; 4],
}

impl<S: Simd<U64Lanes = W>, W: U64Lanes<Token = S>> Multiplier<W> {
    #[inline(always)]
    fn new(limbs: [W; 5]) -> Self {
        // Opaque as factors must be: see `U64Lanes::opaque`.
        let times_5 = |i: usize| limbs[i].add(limbs[i].shl::<2>()).opaque();
        let times_5 = [times_5(1), times_5(2), times_5(3), times_5(4)];
        Self {
            limbs: [limbs[0].opaque(), limbs[1].opaque(), limbs[2].opaque(), limbs[3].opaque(), limbs[4].opaque()],
            times_5,
        }
    }

    /// Returns r, from the first halves of the one-time keys.
    #[inline(always)]
    fn of_keys(token: S, key_blocks: &[&KeyBlock]) -> Self {
        let mut halves = [[0; BLOCK_BYTES]; MAX_U64_LANES];
        for (half, key_block) in halves.iter_mut().zip(key_blocks) {
            *half = *key_block.first_chunk().expect("the first half of the key");
        }
        let (low, high) = clamp(token, W::load_blocks(token, halves.as_flattened()));
        wipe(&mut halves);
        Self::new(limbs(token, low, high))
    }

    #[inline(always)]
    fn square(&self, token: S) -> Self {
        Self::new(carry(token, self.multiply(token, self.limbs)))
    }

    /// Returns the product, not carried.
    #[inline(always)]
    fn multiply(&self, token: S, a: [W; 5]) -> [W; 5] {
        let a = [a[0].opaque(), a[1].opaque(), a[2].opaque(), a[3].opaque(), a[4].opaque()];
        let mut product = [W::splat(token, 0); 5];
        // Limb i times limb j goes to limb i + j. Limb 5 and above wrap around, times 5.
        for (i, sum) in product.iter_mut().enumerate() {
            *sum = a[0].mul_low(self.limbs[i]);
            for (j, a) in a.iter().enumerate().skip(1) {
                let factor = if j <= i { self.limbs[i - j] } else { self.times_5[i + 4 - j] };
                *sum = sum.add(a.mul_low(factor));
            }
        }
        product
    }

    /// Returns (h + m) r, carried.
    #[inline(always)]
    fn add_row(&self, token: S, h: [W; 5], m: [W; 5]) -> [W; 5] {
        carry(token, self.multiply(token, add(h, m)))
    }
}

/// Returns r for each lane in two words: the words of the first half of the one-time key, clamped
/// (RFC 8439, section 2.5).
#[inline(always)]
fn clamp<W: U64Lanes>(token: W::Token, (low, high): (W, W)) -> (W, W) {
    (low.and(W::splat(token, 0x0fff_fffc_0fff_ffff)), high.and(W::splat(token, 0x0fff_fffc_0fff_fffc)))
}

#[inline(always)]
fn one_time_key(key_block: &KeyBlock) -> &[u8; 32] {
    key_block.first_chunk().expect("the first half of the block")
}

/// Writes the tags: h modulo p, plus the second half of the one-time key.
#[inline(always)]
fn finish<S: Simd>(token: S, h: [S::U64Lanes; 5], key_blocks: &[&KeyBlock], tags: &mut [Tag]) {
    let h = reduce::<_, 5, 26, 26>(token, h);
    let low = h[0].or(h[1].shl::<26>()).or(h[2].shl::<52>());
    let high = h[2].shr::<12>().or(h[3].shl::<14>()).or(h[4].shl::<40>());
    write_tags(token, low, high, key_blocks, tags);
}

/// Returns h modulo p, in limbs of `BITS` bits. The last limb has `LAST_BITS` bits, and unspecified
/// bits above them.
#[inline(always)]
fn reduce<W: U64Lanes, const LIMBS: usize, const BITS: u32, const LAST_BITS: u32>(
    token: W::Token,
    mut h: [W; LIMBS],
) -> [W; LIMBS] {
    let last = LIMBS - 1;
    let times_5 = |a: W| a.add(a.shl::<2>());
    let carry = |h: &mut [W; LIMBS]| {
        for i in 0..last {
            h[i + 1] = h[i + 1].add(h[i].shr::<BITS>());
            h[i] = h[i].and(W::splat(token, (1 << BITS) - 1));
        }
    };
    carry(&mut h);
    h[0] = h[0].add(times_5(h[last].shr::<LAST_BITS>()));
    h[last] = h[last].and(W::splat(token, (1 << LAST_BITS) - 1));
    // h is below 2p now. If adding 5 carries out of bit 130, h is at least p, and the sum without
    // the carry is h - p.
    let mut above = W::splat(token, 5);
    for limb in &h[..last] {
        above = limb.add(above).shr::<BITS>();
    }
    above = h[last].add(above).shr::<LAST_BITS>();
    h[0] = h[0].add(times_5(above));
    carry(&mut h);
    h
}

/// Writes the tags: h modulo p, of which `low` and `high` have the low 128 bits, plus the second
/// half of the one-time key.
#[inline(always)]
fn write_tags<S: Simd>(_: S, low: S::U64Lanes, high: S::U64Lanes, key_blocks: &[&KeyBlock], tags: &mut [Tag]) {
    let (mut low, mut high) = (low.to_lanes(), high.to_lanes());
    for (lane, i) in lanes_and_messages::<S>() {
        if let (Some(key_block), Some(tag)) = (key_blocks.get(i), tags.get_mut(i)) {
            let s = one_time_key(key_block).last_chunk().expect("the second half of the key");
            let h = u128::from(low[lane]) | (u128::from(high[lane]) << 64);
            *tag = h.wrapping_add(u128::from_le_bytes(*s)).to_le_bytes();
        }
    }
    wipe(&mut low);
    wipe(&mut high);
}

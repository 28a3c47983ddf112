//! The tags of many messages, with instructions that multiply numbers of 52 bits.
//!
//! Four rows are processed between two carries,
//!
//! h ← (h + m(0)) r⁴ + m(1) r³ + m(2) r² + m(3) r.
//!
//! Where all messages have whole blocks of ciphertext, four rows are loaded at once and transposed
//! in registers. The other rows go through a [`Tile`].

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::rows::{Block, Input, KeyBlock, ONE, Row, TILE_ROWS, Tile};
use super::{clamp, excess, lengths, reduce, rows_in_lanes, write_tags};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::rows::{Limbs, Limbs52};
use crate::poly1305::tag::Tag;

/// Rows between two carries.
const ROWS: usize = 4;
/// Groups of messages that are processed together: on eight lanes, the 32 messages of a batch.
const MAX_GROUPS: usize = 4;
/// Bytes of one message in these rows.
const ROWS_BYTES: usize = ROWS * BLOCK_BYTES;

/// Does the same as [`super::tags`].
#[inline(always)]
pub(super) fn tags<S: Simd>(
    token: S,
    key_blocks: &[&KeyBlock],
    inputs: &mut [Input<'_>],
    tile: &mut Tile,
    tags: &mut [Tag],
) {
    let (lanes, together) = (S::U64Lanes::LANES, MAX_GROUPS * S::U64Lanes::LANES);
    let mut groups = [Group::empty(token); MAX_GROUPS];
    for ((key_blocks, inputs), tags) in
        key_blocks.chunks(together).zip(inputs.chunks_mut(together)).zip(tags.chunks_mut(together))
    {
        let groups = &mut groups[..key_blocks.len().div_ceil(lanes)];
        for ((group, key_blocks), inputs) in
            groups.iter_mut().zip(key_blocks.chunks(lanes)).zip(inputs.chunks_mut(lanes))
        {
            let lengths = lengths(inputs);
            let rows = rows_in_lanes::<S>(inputs);
            group.begin(token, key_blocks, excess(token, key_blocks, inputs, rows), rows, &lengths);
        }
        tags_after(token, groups, key_blocks, inputs, tile, tags);
    }
}

/// Writes the tags of the messages in `groups`, which have [begun](Group::begin).
#[inline(always)]
pub(in crate::poly1305) fn tags_after<S: Simd>(
    token: S,
    groups: &mut [Group<S::U64Lanes>],
    key_blocks: &[&KeyBlock],
    inputs: &mut [Input<'_>],
    tile: &mut Tile,
    tags: &mut [Tag],
) {
    let lanes = S::U64Lanes::LANES;
    // Most operations of a group wait for each other, so each step is for all groups.
    for (group, inputs) in groups.iter_mut().zip(inputs.chunks_mut(lanes)) {
        group.add_blocks(token, inputs, tile);
    }
    for (group, inputs) in groups.iter_mut().zip(inputs.chunks_mut(lanes)) {
        group.add_end(token, inputs, tile);
    }
    for ((group, key_blocks), tags) in groups.iter_mut().zip(key_blocks.chunks(lanes)).zip(tags.chunks_mut(lanes)) {
        finish(token, group.h, key_blocks, tags);
        group.wipe(token);
    }
}

/// Messages that are authenticated together, one in each lane.
#[derive(Clone, Copy)]
pub(in crate::poly1305) struct Group<W: U64Lanes> {
    h: Limbs52<W>,
    powers: Powers<W>,
    /// The rows that are not in `h`, apart from the row of the lengths.
    rows: usize,
    lengths: Limbs52<W>,
}

impl<W: U64Lanes> Group<W> {
    #[inline(always)]
    pub(in crate::poly1305) fn empty(token: W::Token) -> Self {
        Self { h: Limbs52::zero(token), powers: Powers::empty(token), rows: 0, lengths: Limbs52::zero(token) }
    }

    /// Starts the messages. `h` has the blocks before the last `rows`.
    #[inline(always)]
    pub(in crate::poly1305) fn begin(
        &mut self,
        token: W::Token,
        key_blocks: &[&KeyBlock],
        h: Limbs52<W>,
        rows: usize,
        lengths: &[Block; MAX_U64_LANES],
    ) {
        let (low, high) = W::load_blocks(token, lengths.as_flattened());
        (self.h, self.rows) = (h, rows);
        self.lengths = Limbs52::of_words(token, low, high, W::splat(token, 1));
        self.powers.fill(token, key_blocks);
    }

    /// Adds all rows, except that of the lengths, and one before it if messages end in it.
    #[inline(always)]
    fn add_blocks(&mut self, token: W::Token, inputs: &mut [Input<'_>], tile: &mut Tile) {
        let Direct { mut before, rows } = Direct::of(inputs, self.rows);
        while before > 0 {
            let count = before.min(TILE_ROWS);
            tile.fill(&W::BLOCK_OF_LANE[..W::LANES], inputs, self.rows, count);
            self.h = self.powers.add_tile(token, self.h, &tile.rows[..count]);
            self.rows -= count;
            before -= count;
        }
        if rows > 0 {
            self.h = self.powers.add_messages(token, self.h, inputs, rows / ROWS);
            self.rows -= rows;
        }
    }

    /// Adds the rows that [`Self::add_blocks`] leaves, and that of the lengths.
    #[inline(always)]
    fn add_end(&mut self, token: W::Token, inputs: &mut [Input<'_>], tile: &mut Tile) {
        self.h = if self.rows > 0 {
            tile.fill(&W::BLOCK_OF_LANE[..W::LANES], inputs, 1, 1);
            self.powers.add_rows(token, self.h, &[limbs(token, &tile.rows[0]), self.lengths])
        } else {
            self.powers.add_rows(token, self.h, &[self.lengths])
        };
    }

    /// Overwrites the accumulators and the powers with zeros.
    #[inline(always)]
    fn wipe(&mut self, token: W::Token) {
        self.h = Limbs52::zero(token);
        zeroize::optimization_barrier(&self.h);
        self.powers.wipe(token);
    }
}

/// Rows in which all messages have whole blocks of ciphertext.
struct Direct {
    /// The number of rows before these rows.
    before: usize,
    /// The number of these rows, a multiple of [`ROWS`].
    rows: usize,
}

impl Direct {
    /// Returns as many such rows as possible, out of `rows` rows. No message has more blocks than
    /// `rows`.
    #[inline(always)]
    fn of(inputs: &[Input<'_>], rows: usize) -> Self {
        let (mut begin, mut end) = (0, rows);
        for input in inputs {
            let aad_end = rows - input.blocks() + input.aad.len().div_ceil(BLOCK_BYTES);
            begin = begin.max(aad_end);
            end = end.min(aad_end + input.ciphertext.len() / BLOCK_BYTES);
        }
        let direct = end.saturating_sub(begin) / ROWS * ROWS;
        Self { before: if direct == 0 { rows } else { end - direct }, rows: direct }
    }
}

/// For each lane, r to r⁴, in this order.
#[derive(Clone, Copy)]
struct Powers<W: U64Lanes>([<Limbs52<W> as Limbs>::Factor; ROWS]);

impl<W: U64Lanes> Powers<W> {
    #[inline(always)]
    fn empty(token: W::Token) -> Self {
        Self([Limbs52::zero(token).factor(); ROWS])
    }

    /// Computes the powers of each message's r.
    #[inline(always)]
    fn fill(&mut self, token: W::Token, key_blocks: &[&KeyBlock]) {
        // A lane without a message has the key of the first message.
        let mut of_lanes = [key_blocks[0]; MAX_U64_LANES];
        of_lanes[..key_blocks.len()].copy_from_slice(key_blocks);
        let [words, ..] = W::load_messages(token, &of_lanes);
        let (low, high) = clamp(token, words);
        let r = Limbs52::of_words(token, low, high, W::splat(token, 0));
        self.0[0] = r.factor();
        let square = product(token, r, &self.0[0]);
        self.0[1] = square.factor();
        self.0[2] = product(token, square, &self.0[0]).factor();
        self.0[3] = product(token, square, &self.0[1]).factor();
    }

    /// Overwrites all powers with zeros.
    #[inline(always)]
    fn wipe(&mut self, token: W::Token) {
        // One by one: for all powers at once, the compiler makes a call.
        for power in &mut self.0 {
            *power = Limbs52::zero(token).factor();
            zeroize::optimization_barrier(power);
        }
    }

    /// Adds `N` rows, with one carry.
    #[inline(always)]
    fn add_rows<const N: usize>(&self, token: W::Token, h: Limbs52<W>, rows: &[Limbs52<W>; N]) -> Limbs52<W> {
        let mut products = Limbs52::no_products(token);
        for (row, power) in rows[1..].iter().zip(self.0[..N - 1].iter().rev()) {
            products = row.add_product(token, products, power);
        }
        // The product with `h` comes last, so that the other products do not wait for it.
        Limbs52::carry(token, h.add(rows[0]).add_product(token, products, &self.0[N - 1]))
    }

    #[inline(always)]
    fn add_tile(&self, token: W::Token, mut h: Limbs52<W>, rows: &[Row]) -> Limbs52<W> {
        let (fours, rest) = rows.as_chunks::<ROWS>();
        for [a, b, c, d] in fours {
            h = self.add_rows(token, h, &[limbs(token, a), limbs(token, b), limbs(token, c), limbs(token, d)]);
        }
        for row in rest {
            h = self.add_rows(token, h, &[limbs(token, row)]);
        }
        h
    }

    /// Adds `count` times four blocks from each message.
    #[inline(always)]
    fn add_messages(&self, token: W::Token, mut h: Limbs52<W>, inputs: &mut [Input<'_>], count: usize) -> Limbs52<W> {
        // A lane without a message takes the blocks of the first one.
        let mut messages = [inputs[0].take_ciphertext::<ROWS_BYTES>(count); MAX_U64_LANES];
        for (message, input) in messages.iter_mut().zip(&mut *inputs).skip(1) {
            *message = input.take_ciphertext::<ROWS_BYTES>(count);
        }
        let top = W::splat(token, 1 << Limbs52::<W>::BIT_128);
        for i in 0..count {
            let [a, b, c, d, e, f, g, last] = messages;
            let [a, b, c, d] = W::load_messages(token, &[&a[i], &b[i], &c[i], &d[i], &e[i], &f[i], &g[i], &last[i]]);
            let limbs = |(low, high)| Limbs52::of_blocks(token, low, high, top);
            h = self.add_rows(token, h, &[limbs(a), limbs(b), limbs(c), limbs(d)]);
        }
        h
    }
}

/// Returns the limbs of a row, which is one block of each message.
#[inline(always)]
fn limbs<W: U64Lanes>(token: W::Token, row: &Row) -> Limbs52<W> {
    const { assert!(ONE == 1 << 24, "the place of 2^128 in limbs of 26 bits") };
    let (low, high) = W::load_blocks(token, row.blocks.as_flattened());
    Limbs52::of_words(token, low, high, W::from_lanes(token, &row.ones).shr::<24>())
}

#[inline(always)]
fn product<W: U64Lanes>(token: W::Token, a: Limbs52<W>, b: &<Limbs52<W> as Limbs>::Factor) -> Limbs52<W> {
    Limbs52::carry(token, a.add_product(token, Limbs52::no_products(token), b))
}

/// Writes the tags: h modulo p, plus the second half of the one-time key.
#[inline(always)]
fn finish<S: Simd>(token: S, Limbs52(h): Limbs52<S::U64Lanes>, key_blocks: &[&KeyBlock], tags: &mut [Tag]) {
    let h = reduce::<_, 3, 44, 42>(token, h);
    let low = h[0].or(h[1].shl::<44>());
    let high = h[1].shr::<20>().or(h[2].shl::<24>());
    write_tags(token, low, high, key_blocks, tags);
}

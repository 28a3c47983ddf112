//! The tags of many messages, with instructions that multiply numbers of 52 bits.
//!
//! Four rows are processed between two carries,
//!
//! h ← (h + m(0)) r⁴ + m(1) r³ + m(2) r² + m(3) r.
//!
//! Where all messages have whole blocks of ciphertext, four rows are loaded at once and transposed
//! in registers. The other rows go through a [`Tile`].

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::rows::{Block, Input, ONE, Row, TILE_ROWS, Tile, lanes_and_messages};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::field::Element;
use crate::poly1305::rows::{Limbs, Limbs52};
use crate::poly1305::tag::Tag;
use crate::wipe::wipe;

/// Rows between two carries.
const ROWS: usize = 4;
/// Bytes of one message in these rows.
const ROWS_BYTES: usize = ROWS * BLOCK_BYTES;

/// Does the same as [`super::tags_after`].
#[inline(always)]
pub(in crate::poly1305) fn tags_after<S: Simd>(
    token: S,
    mut h: Limbs52<S::U64Lanes>,
    keys: &[[u8; 32]],
    inputs: &mut [Input<'_>],
    (rows, lengths): (usize, &[Block; MAX_U64_LANES]),
    tile: &mut Tile,
    tags: &mut [Tag],
) {
    let messages = &S::U64Lanes::BLOCK_OF_LANE[..S::U64Lanes::LANES];
    let mut powers = Powers::empty(token);
    powers.fill(token, keys);
    let Direct { before, rows: direct } = Direct::of(inputs, rows);
    let mut done = 0;
    while done < before {
        let count = (before - done).min(TILE_ROWS);
        tile.fill(messages, inputs, rows - done, count);
        h = powers.add_tile(token, h, &tile.rows[..count]);
        done += count;
    }
    if direct > 0 {
        h = powers.add_messages(token, h, inputs, direct / ROWS);
        done += direct;
    }
    let (low, high) = S::U64Lanes::load_blocks(token, lengths.as_flattened());
    let lengths = Limbs52::of_words(token, low, high, S::U64Lanes::splat(token, 1));
    h = if done < rows {
        // One row with the ends of messages.
        tile.fill(messages, inputs, 1, 1);
        powers.add_rows(token, h, &[limbs(token, &tile.rows[0]), lengths])
    } else {
        powers.add_rows(token, h, &[lengths])
    };
    powers.wipe(token);
    finish(token, h, keys, tags);
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
struct Powers<W: U64Lanes>([<Limbs52<W> as Limbs>::Factor; ROWS]);

impl<W: U64Lanes> Powers<W> {
    #[inline(always)]
    fn empty(token: W::Token) -> Self {
        Self([Limbs52::zero(token).factor(); ROWS])
    }

    /// Computes the powers of r, the clamped first half of each key (RFC 8439, section 2.5).
    #[inline(always)]
    fn fill(&mut self, token: W::Token, keys: &[[u8; 32]]) {
        let mut halves = [[0; BLOCK_BYTES]; MAX_U64_LANES];
        for (half, key) in halves.iter_mut().zip(keys) {
            *half = *key.first_chunk().expect("the first half of the key");
        }
        let (low, high) = W::load_blocks(token, halves.as_flattened());
        wipe(&mut halves);
        let low = low.and(W::splat(token, 0x0fff_fffc_0fff_ffff));
        let high = high.and(W::splat(token, 0x0fff_fffc_0fff_fffc));
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

/// Writes the tags: h modulo p, plus the second half of the key.
#[inline(always)]
fn finish<S: Simd>(_: S, Limbs52(h): Limbs52<S::U64Lanes>, keys: &[[u8; 32]], tags: &mut [Tag]) {
    let mut limbs = [h[0].to_lanes(), h[1].to_lanes(), h[2].to_lanes()];
    for (lane, i) in lanes_and_messages::<S>() {
        if let (Some(key), Some(tag)) = (keys.get(i), tags.get_mut(i)) {
            let s = key.last_chunk().expect("the second half of the key");
            let h = Element::from_limbs_44(limbs.map(|limb| limb[lane]));
            *tag = h.finish(u128::from_le_bytes(*s));
        }
    }
    wipe(&mut limbs);
}

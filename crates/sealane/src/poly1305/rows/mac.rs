//! A message that is authenticated row by row while it is encrypted or decrypted.

use sealane_simd::{POLY1305_BLOCKS_PER_PAIR, Simd, Token, U64Lanes};

use super::lanes::row_limbs;
use super::limbs::Limbs;
use super::limbs52::Limbs52;
use super::powers::{Powers, Rows, in_lane_0};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::field::{Element, Multiplier};
use crate::poly1305::short::Short;
use crate::poly1305::tag::Tag;

/// The number of bytes in a row of eight lanes.
pub(crate) const ROW_BYTES: usize = 8 * BLOCK_BYTES;

/// The number of bytes that are added on integers beside a pair of groups: 12 rows.
pub(crate) const INTEGER_BYTES: usize = POLY1305_BLOCKS_PER_PAIR * BLOCK_BYTES;

/// The powers of r for a [`RowsMac`]. The caller owns them: if they were a field of the
/// [`RowsMac`], the compiler would create them elsewhere and copy them.
pub(crate) type RowsPowers<W> = Powers<W>;

/// A message that is authenticated row by row while it is encrypted or decrypted. It continues a
/// [`Short`], which already has the associated data.
pub(crate) struct RowsMac<'a, W: U64Lanes> {
    powers: &'a mut RowsPowers<W>,
    sum: Limbs52<W>,
    /// The number of bytes of the message that have been added.
    done: usize,
    rows: Rows,
    integers: OnIntegers,
}

impl<'a, W: U64Lanes> RowsMac<'a, W> {
    /// Starts a message of `length` bytes, and computes the powers of r that it needs. If there are
    /// pairs of groups with time `for_integers`, [`Self::next_on_integers`] returns blocks.
    #[inline(always)]
    pub(crate) fn new(
        token: W::Token,
        powers: &'a mut RowsPowers<W>,
        short: &Short,
        length: usize,
        for_integers: bool,
    ) -> Self {
        let rows = {
            let (tuning, class) = (W::Token::TUNING, token.cpu_class());
            if for_integers && tuning.poly1305_beside_pairs.of(class) {
                Rows::FoursAndIntegers
            } else if length >= tuning.poly1305_min_bytes_for_four_rows.of(class) {
                Rows::Fours
            } else {
                Rows::Twos
            }
        };
        let integers = OnIntegers { r: short.r, half: fill(token, powers, short.r, rows) };
        Self { powers, sum: in_lane_0(token, short.h), done: 0, rows, integers }
    }

    /// Adds the first row, if `message` has it and it has not been added.
    #[inline(always)]
    pub(crate) fn add_first_row(&mut self, token: W::Token, message: &[u8]) {
        if self.done == 0 && message.len() >= ROW_BYTES {
            // Without a multiplication.
            self.sum = self.sum.add(row_limbs(token, message));
            self.done = ROW_BYTES;
        }
    }

    /// Adds the whole rows of `message` that have not been added yet. `message` begins with all
    /// bytes that have been added.
    #[inline(always)]
    pub(crate) fn add_rows(&mut self, token: W::Token, message: &[u8]) {
        let end = message.len() - message.len() % ROW_BYTES;
        self.add_first_row(token, message);
        if end > self.done {
            add_rows(token, self, &message[self.done..end]);
            self.done = end;
        }
    }

    /// Returns where the next [`INTEGER_BYTES`] begin, if they should be added on integers. At
    /// least one more row must come before `end`. The first row is never among them.
    #[inline(always)]
    pub(crate) fn next_on_integers(&self, end: usize) -> Option<usize> {
        let takes = matches!(self.rows, Rows::FoursAndIntegers) && self.done > 0;
        (takes && self.done + INTEGER_BYTES + ROW_BYTES <= end).then_some(self.done)
    }

    /// Returns what is needed to add blocks on integers.
    #[inline(always)]
    pub(crate) fn integers(&self) -> &OnIntegers {
        &self.integers
    }

    /// Continues with whole rows behind the bytes at [`Self::next_on_integers`], whose sum is
    /// `sum`.
    #[inline(always)]
    pub(crate) fn add_rows_behind(&mut self, token: W::Token, mut sum: Element, rows: &[u8]) {
        let rows = &rows[..rows.len() - rows.len() % ROW_BYTES];
        self.done += INTEGER_BYTES + rows.len();
        // A pair of groups has 16 rows, so four is the usual number.
        let (first, rest) = rows.split_at(if rows.len() == 4 * ROW_BYTES { 4 * ROW_BYTES } else { ROW_BYTES });
        add_one_or_four_behind(token, self, &sum, first);
        crate::wipe::wipe(&mut sum.0);
        if !rest.is_empty() {
            add_rows(token, self, rest);
        }
    }

    /// Adds `tail`, which is less than a row and is filled with zeros, and the lengths. Returns the
    /// tag, and wipes the sum and the powers.
    #[inline(always)]
    pub(crate) fn finish(&mut self, token: W::Token, short: Short, tail: &[u8], lengths: &[u8; BLOCK_BYTES]) -> Tag {
        Short { h: self.end(token, tail, Some(lengths)), ..short }.tag()
    }

    /// Adds `tail`, which is whole blocks, up to a row. Returns the accumulator, and wipes the sum
    /// and the powers.
    #[inline(always)]
    pub(crate) fn finish_piece(&mut self, token: W::Token, tail: &[u8]) -> Element {
        self.end(token, tail, None)
    }

    #[inline(always)]
    fn end(&mut self, token: W::Token, tail: &[u8], lengths: Option<&[u8; BLOCK_BYTES]>) -> Element {
        let mut returned = finish(token, self, tail, lengths);
        let h = returned.loaded();
        crate::wipe::wipe(&mut returned.0);
        self.integers.r.wipe();
        crate::wipe::wipe(&mut self.integers.half.0);
        h
    }
}

/// Powers of r for the [`INTEGER_BYTES`] that are added on integers.
pub(crate) struct OnIntegers {
    r: Multiplier,
    /// The power for the first half, which the second half follows.
    half: Element,
}

impl OnIntegers {
    /// Returns r in the words that kernels take.
    #[inline(always)]
    pub(crate) fn r(&self) -> [u64; 3] {
        self.r.words()
    }

    /// Returns the sum of both halves, from the accumulator of each.
    #[inline(always)]
    pub(crate) fn join(&self, [first, second]: [[u64; 3]; 2]) -> Element {
        Element(first).multiply_full(self.half.loaded()).add_folded(Element(second))
    }
}

/// Computes the powers of r. Returns the power that [`OnIntegers`] needs. All callers share one
/// copy of this function.
pub(super) fn fill<W: U64Lanes>(token: W::Token, powers: &mut RowsPowers<W>, r: Multiplier, rows: Rows) -> Element {
    token.enter_apart(
        #[inline(always)]
        |token| powers.fill(token, r, rows),
    )
}

/// Continues with one row or four behind 12 rows on integers. All callers share one copy of this
/// function.
fn add_one_or_four_behind<W: U64Lanes>(token: W::Token, mac: &mut RowsMac<'_, W>, sum: &Element, rows: &[u8]) {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let (first, rest) = rows.split_at(ROW_BYTES);
            let sum = in_lane_0(token, sum.loaded());
            let sum = mac.powers.skip(token, mac.sum).add(sum).add(row_limbs(token, first));
            mac.sum = if rest.is_empty() { sum } else { mac.powers.three_rows(token, sum, rest) };
        },
    );
}

/// Adds the end, combines the lanes, and wipes the sum and the powers. All callers share one copy
/// of this function.
fn finish<W: U64Lanes>(
    token: W::Token,
    mac: &mut RowsMac<'_, W>,
    tail: &[u8],
    lengths: Option<&[u8; BLOCK_BYTES]>,
) -> Element {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let h = mac.powers.finish(token, mac.sum, tail, lengths);
            mac.sum = Limbs52::zero(token);
            zeroize::optimization_barrier(&mac.sum);
            mac.powers.wipe(token);
            h
        },
    )
}

/// Adds whole rows. All callers share one copy of this function.
fn add_rows<W: U64Lanes>(token: W::Token, mac: &mut RowsMac<'_, W>, rows: &[u8]) {
    token.enter_apart(
        #[inline(always)]
        |token| mac.powers.rows(token, &mut mac.sum, rows, mac.rows),
    );
}

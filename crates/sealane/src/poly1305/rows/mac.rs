//! A message that is authenticated row by row while it is encrypted or decrypted.

use sealane_simd::{Simd, Token, U64Lanes};

use super::lanes::row_limbs;
use super::limbs::Limbs;
use super::limbs52::Limbs52;
use super::powers::{Powers, in_lane_0};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::field::Multiplier;
use crate::poly1305::short::Short;
use crate::poly1305::tag::Tag;

/// The number of bytes in a row of eight lanes.
pub(crate) const ROW_BYTES: usize = 8 * BLOCK_BYTES;

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
    /// The number of rows between two carries: 2 or 4.
    rows_together: usize,
}

impl<'a, W: U64Lanes> RowsMac<'a, W> {
    /// Starts a message of `length` bytes, and computes the powers of r that it needs.
    #[inline(always)]
    pub(crate) fn new(token: W::Token, powers: &'a mut RowsPowers<W>, short: &Short, length: usize) -> Self {
        let rows_together = {
            let min_bytes = W::Token::TUNING.poly1305_min_bytes_for_four_rows.of(token.cpu_class());
            if length < min_bytes { 2 } else { 4 }
        };
        fill(token, powers, short.r, rows_together);
        Self { powers, sum: in_lane_0(token, short.h), done: 0, rows_together }
    }

    /// Adds the whole rows of `message` that have not been added yet. `message` begins with all
    /// bytes that have been added.
    #[inline(always)]
    pub(crate) fn add_rows(&mut self, token: W::Token, message: &[u8]) {
        let end = message.len() - message.len() % ROW_BYTES;
        if self.done == 0 && end > 0 {
            // The first row is added without a multiplication.
            self.sum = self.sum.add(row_limbs(token, message));
            self.done = ROW_BYTES;
        }
        if end > self.done {
            add_rows(token, self, &message[self.done..end]);
            self.done = end;
        }
    }

    /// Adds `tail`, which is less than a row and is filled with zeros, and the lengths. Returns the
    /// tag, and wipes the powers.
    #[inline(always)]
    pub(crate) fn finish(&mut self, token: W::Token, short: Short, tail: &[u8], lengths: &[u8; BLOCK_BYTES]) -> Tag {
        let h = self.powers.finish(token, self.sum, tail, lengths);
        self.powers.wipe(token);
        Short { h, ..short }.tag()
    }
}

/// Computes the powers of r. All callers share one copy of this function.
fn fill<W: U64Lanes>(token: W::Token, powers: &mut RowsPowers<W>, r: Multiplier, rows_together: usize) {
    token.enter_apart(
        #[inline(always)]
        |token| powers.fill(token, r, rows_together),
    );
}

/// Adds whole rows. All callers share one copy of this function.
fn add_rows<W: U64Lanes>(token: W::Token, mac: &mut RowsMac<'_, W>, rows: &[u8]) {
    token.enter_apart(
        #[inline(always)]
        |token| mac.powers.rows(token, &mut mac.sum, rows, mac.rows_together),
    );
}

//! The authenticator of a message in pieces.

use sealane_simd::Level;

use crate::poly1305::{self, Accumulator, Pieces, Table, Tag};

/// The authenticator of a message in pieces. Where cipher and authenticator take turns, it keeps a
/// sum in lanes once there are many pieces.
#[derive(Clone)]
pub(super) struct Authenticator {
    /// The data before that in `sum`.
    accumulator: Accumulator,
    sum: Pieces,
    /// Whether cipher and authenticator take turns. Otherwise there is no sum.
    takes_turns: bool,
}

impl Authenticator {
    pub(super) fn new(key: &[u8; 32], takes_turns: bool) -> Self {
        Self { accumulator: Accumulator::new(key), sum: Pieces::default(), takes_turns }
    }

    /// Returns the accumulator, or `None` if there is a sum that it lacks.
    pub(super) fn accumulator(&mut self) -> Option<&mut Accumulator> {
        if self.sum.has_begun() { None } else { Some(&mut self.accumulator) }
    }

    /// Adds data that follows the first `bytes` bytes of the message: whole blocks, or the end of
    /// the associated data or of the message, which is padded with zeros. `table` keeps the powers
    /// of r for further data.
    pub(super) fn add(&mut self, level: Level, bytes: u64, table: &mut Table, data: &[u8]) {
        if data.is_empty() {
            return;
        }
        let is_in_sum = self.takes_turns && self.sum.add(level, bytes, &self.accumulator, &[], data);
        if !is_in_sum {
            poly1305::padded_piece(level, &mut self.accumulator, table, data);
        }
    }

    /// Adds the lengths, and returns the tag.
    pub(super) fn tag(&mut self, level: Level, lengths: &[u8; poly1305::BLOCK_BYTES]) -> Tag {
        if let Some(rest) = self.sum.finish(level, &mut self.accumulator) {
            poly1305::padded(level, &mut self.accumulator, rest);
        }
        self.accumulator.block(lengths);
        self.accumulator.tag()
    }
}

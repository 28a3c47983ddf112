//! Poly1305 of a message in many pieces: the known answer that a backend must give before it keeps
//! the sum of the pieces in lanes.

use sealane_simd::Level;

use super::absorb;
use crate::backend::{Family, PiecesFamily};
use crate::poly1305::{Accumulator, BLOCK_BYTES, BufferedSum, Tag};

impl Family for PiecesFamily {
    type Level = Level;
    const PRIMITIVES: &'static [&'static str] = &["pieces"];

    fn gives_known_answers(level: Level, _: usize) -> bool {
        // Without faster vectors, pieces have no kernels of their own.
        !level.tuning().poly1305_keeps_sum_in_lanes || digest(level) == DIGEST
    }

    caches!(Level);
}

/// The lengths of messages in bytes, all of whole blocks. The messages end while the sum has only
/// its buffer, after some rows, and after whole groups.
const LENGTHS: [usize; 4] = [1008, 1504, 3312, LONGEST];
const LONGEST: usize = 7008;
/// The lengths of the pieces of a message, after its first block. Some fit into the buffer, others
/// do not, and have whole groups of rows.
const PIECES: [usize; 8] = [7, 500, 33, 484, 2900, 444, 1, 2080];

const DIGEST: u64 = 9_493_302_662_118_084_723;

/// Returns a message of large, small and mixed bytes.
fn message() -> [u8; LONGEST] {
    core::array::from_fn(|i| if i % 100 < 30 { 0xff } else { ((i * i) >> 3) as u8 })
}

// Not inlined, so that the message is on the stack only during this call.
#[inline(never)]
fn digest(level: Level) -> u64 {
    digest_with(|key, message| {
        let mut accumulator = Accumulator::new(key);
        let (first, mut rest) = message.split_at(BLOCK_BYTES);
        accumulator.block(first.try_into().expect("a block"));
        let mut sum = BufferedSum::new(level, &accumulator, &[]);
        let mut pieces = PIECES;
        if message.len() > 2048 {
            // Whole groups then follow an incomplete one in the same piece.
            pieces.reverse();
        }
        for length in pieces {
            let (piece, after) = rest.split_at(length.min(rest.len()));
            sum.update(level, &accumulator, piece);
            rest = after;
        }
        sum.update(level, &accumulator, rest);
        sum.finish(level, &mut accumulator);
        accumulator.tag()
    })
}

/// Returns a digest of the tags that `mac` computes. Each key depends on the previous tag.
fn digest_with(mac: impl Fn(&[u8; 32], &[u8]) -> Tag) -> u64 {
    let message = message();
    let mut key = [0xff; 32];
    LENGTHS.iter().fold(0, |digest, &length| {
        let tag = mac(&key, &message[..length]);
        key[..16].copy_from_slice(&tag);
        absorb(digest, &tag)
    })
}

#[cfg(feature = "checks")]
pub(super) fn check_every_level() {
    use sealane_simd::LevelList;

    use crate::backend::SelfTestOf;
    for level in Level::available() {
        assert!(SelfTestOf::<PiecesFamily>::of(level).passed(), "{level:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answer_is_that_of_the_reference() {
        assert_eq!(digest_with(|key, message| sealane_spec::poly1305::poly1305_mac(message, key)), DIGEST);
    }
}

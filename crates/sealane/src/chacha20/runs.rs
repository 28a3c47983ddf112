//! A vertical group of ChaCha20 whose lanes are divided among several messages, with Poly1305
//! between its rounds.

use sealane_simd::tuning::POLY1305_BLOCKS_PER_DOUBLE_ROUND;
use sealane_simd::{MAX_WORDS_LANES, PendingPoly1305, Simd, Words};

use super::many::{Block, Keys, Row, Target, add, xor_group};
use super::rows::{block_numbers, transpose};
use super::state::CONSTANTS;
use super::vertical::double_rounds;

/// Number of lanes in a group.
pub(crate) const LANES: usize = 8;
/// Number of double rounds in ChaCha20.
const DOUBLE_ROUNDS: u8 = 10;

/// Messages that are authenticated during the rounds of a group.
pub(crate) trait Authentication {
    /// Returns the next blocks, and the accumulator that they are added to.
    fn pending(&mut self) -> PendingPoly1305<'_>;

    /// Takes the accumulator `h` after the first `blocks` of the pending blocks were added.
    fn added(&mut self, h: [u64; 3], blocks: usize);
}

/// Consecutive lanes with consecutive blocks of one message.
#[derive(Clone, Copy, Default)]
struct Run {
    start: usize,
    message: usize,
    /// The last row of the message's state, with the block counter that lane 0 would have if the
    /// run were extended down to it.
    last_row: Row,
}

/// The lanes of a group: one run for each message that has blocks in it.
pub(crate) struct Runs {
    runs: [Run; LANES],
    len: usize,
}

impl Runs {
    pub(crate) const fn new() -> Self {
        Self { runs: [Run { start: 0, message: 0, last_row: [0; 4] }; LANES], len: 0 }
    }

    /// Moves up to a group of blocks from the targets to `blocks`. Returns the number of targets
    /// before the first one that has blocks left.
    // Not inlined: between the kernels, the registers are taken, and its few values would live in
    // memory.
    #[inline(never)]
    pub(crate) fn fill<'a, 'b: 'a>(
        &mut self,
        last_rows: &mut [Row],
        targets: &mut [Target<'b>],
        blocks: &mut [&'a mut Block; LANES],
    ) -> usize {
        let mut end = 0;
        self.len = 0;
        for (message, (target, last_row)) in targets.iter_mut().zip(last_rows).enumerate() {
            let start = end;
            while end < LANES
                && let Some(block) = target.next()
            {
                blocks[end] = block;
                end += 1;
            }
            if end > start {
                let mut run = Run { start, message, last_row: *last_row };
                run.last_row[0] = run.last_row[0].wrapping_sub(start as u32);
                self.runs[self.len] = run;
                self.len += 1;
                last_row[0] = last_row[0].wrapping_add((end - start) as u32);
            }
            if target.len() > 0 {
                return message;
            }
        }
        targets.len()
    }

    /// Combines the blocks with the results of the block function (RFC 8439, section 2.3), and
    /// authenticates messages during its rounds. It may also change the blocks of lanes without a
    /// run.
    #[inline(always)]
    pub(crate) fn xor<S: Simd>(
        &self,
        token: S,
        keys: Keys<'_>,
        blocks: &mut [&mut Block; LANES],
        mut authentication: impl Authentication,
    ) {
        let Some((first, others)) = self.runs[..self.len].split_first() else { return };
        let initial = initial(token, keys, first, others);
        let mut v = initial;
        let mut left = DOUBLE_ROUNDS;
        while left > 0 {
            let mut pending = authentication.pending();
            let waiting = pending.blocks.len();
            let count = match u8::try_from(waiting / POLY1305_BLOCKS_PER_DOUBLE_ROUND) {
                Ok(0) | Err(_) => left,
                Ok(count) => count.min(left),
            };
            double_rounds(&mut v, count, &mut pending);
            let (h, blocks) = (pending.h, waiting - pending.blocks.len());
            // `Authentication::pending` is not inlined, so it returned them in memory.
            (pending.h, pending.r) = ([0; 3], [0; 3]);
            zeroize::optimization_barrier(&pending);
            authentication.added(h, blocks);
            left -= count;
        }
        add(&mut v, &initial);
        xor_group(&transpose(&v), blocks);
    }
}

/// Returns the initial states of the group's blocks: vector i has word i of each. They are computed
/// in registers: a load of rows that were just stored would have to wait for the stores.
#[inline(always)]
fn initial<S: Simd>(token: S, keys: Keys<'_>, first: &Run, others: &[Run]) -> [S::Words; 16] {
    const { assert!(LANES <= MAX_WORDS_LANES) };
    let mut v = [S::Words::splat(token, 0); 16];
    let [upper, lower] = keys.of(first.message);
    for i in 0..4 {
        v[i] = S::Words::splat(token, CONSTANTS[i]);
        v[4 + i] = S::Words::splat(token, upper[i]);
        v[8 + i] = S::Words::splat(token, lower[i]);
        v[12 + i] = S::Words::splat(token, first.last_row[i]);
    }
    v[12] = v[12].add(block_numbers::<S::Words>(token));
    let mut before = first;
    for run in others {
        let lanes = S::Words::from_lanes(token, &const { lanes_from(S::Words::ROWS) }[run.start]);
        let add = |v: &mut S::Words, from: u32, to: u32| {
            *v = v.add(S::Words::splat(token, to.wrapping_sub(from)).and(lanes));
        };
        for i in 0..4 {
            add(&mut v[12 + i], before.last_row[i], run.last_row[i]);
        }
        if let Keys::Each(_) = keys {
            let ([upper, lower], [next_upper, next_lower]) = (keys.of(before.message), keys.of(run.message));
            for i in 0..4 {
                add(&mut v[4 + i], upper[i], next_upper[i]);
                add(&mut v[8 + i], lower[i], next_lower[i]);
            }
        }
        before = run;
    }
    v
}

/// Returns one mask for each block number: all ones in the lanes whose blocks have that number or a
/// larger one. The order of the blocks is that of [`block_numbers`].
const fn lanes_from(rows: usize) -> [[u32; MAX_WORDS_LANES]; LANES] {
    let mut masks = [[0; MAX_WORDS_LANES]; LANES];
    let mut start = 0;
    while start < LANES {
        let mut lane = 0;
        while lane < 4 * rows {
            if rows * (lane % 4) + lane / 4 >= start {
                masks[start][lane] = u32::MAX;
            }
            lane += 1;
        }
        start += 1;
    }
    masks
}

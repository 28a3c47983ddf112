//! Vertical ChaCha in pairs: two groups, of sixteen vectors each, advance together and fill 32
//! registers. On CPUs whose vector additions take two cycles, one group alone leaves half of the
//! vector units idle. [`super::rows`] explains groups and sets.

use sealane_simd::{MAX_WORDS_LANES, POLY1305_BLOCKS_PER_PAIR, Simd, Words};

use super::pair_rounds::{
    column_round, diagonal_round, double_rounds, double_rounds_interleaved, enter_with_rounds, quarter_rounds,
};
use super::rows::{Rows, block_numbers, blocks, transpose};
use super::sets::{self, xor_sets, xor_split};
use super::state::State;
use super::{BLOCK_BYTES, horizontal};

/// The values that all groups of a message share.
pub(crate) struct Groups<'a, W> {
    state: &'a State,
    /// The initial state after three quarter rounds of the first column round: those that do not
    /// use the counter.
    prepared: [W; 16],
}

impl<'a, S: Simd<Words = W>, W: Words<Token = S>> Groups<'a, W> {
    /// Returns groups that are not [filled](Self::fill) yet. Returning a filled value would copy
    /// it, because it is large.
    #[inline(always)]
    pub(crate) fn empty(token: S, state: &'a State) -> Self {
        Self { state, prepared: [W::splat(token, 0); 16] }
    }

    #[inline(always)]
    pub(crate) fn fill(&mut self, token: S) {
        let (mut v, _) = before_rounds(token, self.state, 0);
        quarter_rounds!([v 1 5 9 13] [v 2 6 10 14] [v 3 7 11 15]);
        self.prepared = v;
    }

    /// Returns the group from block `counter` on after its first column round, and its word 12
    /// before that round.
    #[inline(always)]
    fn behind_column_round(&self, token: S, counter: u32) -> ([W; 16], W) {
        let word_12 = word_12(token, counter);
        let mut v = self.prepared;
        v[12] = word_12;
        quarter_rounds!([v 0 4 8 12]);
        (v, word_12)
    }

    #[inline(always)]
    fn two<const IN_ASSEMBLY: bool>(&self, token: S, counter: u32, rounds: usize) -> [Rows<W>; 8] {
        let (key_stream, ()) = self.two_with(
            token,
            counter,
            #[inline(always)]
            |v, w| {
                W::pin_registers(v, w);
                diagonal_round!(v);
                diagonal_round!(w);
                double_rounds::<_, IN_ASSEMBLY>(v, w, rounds / 2 - 1);
            },
        );
        key_stream
    }

    /// Returns the key stream of two groups from block `counter` on. Adds blocks of Poly1305 at the
    /// same time: see [`sealane_simd::ChaCha20Rounds::nineteen_rounds_with_poly1305`].
    #[inline(always)]
    pub(super) fn two_with_poly1305(
        &self,
        token: S,
        counter: u32,
        r: [u64; 3],
        blocks: &[[u8; 16]; POLY1305_BLOCKS_PER_PAIR],
    ) -> ([Rows<W>; 8], [[u64; 3]; 2]) {
        self.two_with(
            token,
            counter,
            #[inline(always)]
            |v, w| W::nineteen_rounds_with_poly1305(v, w, r, blocks).expect("the class has the kernel"),
        )
    }

    /// Returns the key stream of two groups from block `counter` on, and what `other_rounds`
    /// returns, which computes the rounds after the first.
    #[inline(always)]
    fn two_with<T>(
        &self,
        token: S,
        counter: u32,
        other_rounds: impl FnOnce(&mut [W; 16], &mut [W; 16]) -> T,
    ) -> ([Rows<W>; 8], T) {
        let (mut v, v_12) = self.behind_column_round(token, counter);
        let (mut w, w_12) = self.behind_column_round(token, counter.wrapping_add(W::LANES as u32));
        let result = other_rounds(&mut v, &mut w);
        (both(rows(token, self.state, &mut v, v_12), rows(token, self.state, &mut w, w_12)), result)
    }

    /// Overwrites the prepared state, which holds the key, with zeros.
    #[inline(always)]
    pub(crate) fn wipe(&mut self, token: S) {
        self.prepared = [W::splat(token, 0); 16];
        zeroize::optimization_barrier(&self.prepared);
    }
}

/// Returns word 12, the block counter, of each block of the group from block `counter` on.
#[inline(always)]
fn word_12<S: Simd<Words = W>, W: Words<Token = S>>(token: S, counter: u32) -> W {
    block_numbers::<W>(token).add(W::splat(token, counter))
}

/// Returns the group from block `counter` on before its rounds, and its word 12.
#[inline(always)]
pub(super) fn before_rounds<S: Simd<Words = W>, W: Words<Token = S>>(
    token: S,
    state: &State,
    counter: u32,
) -> ([W; 16], W) {
    let word_12 = word_12(token, counter);
    let mut v = [word_12; 16];
    for i in (0..16).filter(|&i| i != 12) {
        v[i] = W::splat(token, state[i]);
    }
    (v, word_12)
}

/// Adds the initial state, with `word_12` as its word 12, and returns the rows of the group.
#[inline(always)]
pub(super) fn rows<S: Simd<Words = W>, W: Words<Token = S>>(
    token: S,
    state: &State,
    v: &mut [W; 16],
    word_12: W,
) -> [Rows<W>; 4] {
    for (i, word) in v.iter_mut().enumerate() {
        *word = word.add(if i == 12 { word_12 } else { W::splat(token, state[i]) });
    }
    transpose(v)
}

/// Combines two groups with the key stream from block `counter` on: `first` is their first set, and
/// `rest` the other seven. The last set may be incomplete. All callers share one copy of this
/// function.
pub(crate) fn xor_two<S: Simd>(
    token: S,
    groups: &Groups<'_, S::Words>,
    counter: u32,
    rounds: usize,
    first: &mut [u8; SET_BYTES],
    rest: &mut [u8],
) {
    enter_with_rounds!(token, IN_ASSEMBLY => {
        xor_split(token, &groups.two::<IN_ASSEMBLY>(token, counter, rounds), first, rest);
    });
}

/// Number of bytes in a set, on vectors of four rows.
pub(crate) const SET_BYTES: usize = 4 * BLOCK_BYTES;

/// The most blocks that [`sets::xor`] computes on these vectors: seven sets.
pub(crate) const MAX_BLOCKS_IN_SETS: usize = 28;

/// Does the same as [`sets::xor_behind_block_0`] for up to 31 blocks of data.
#[inline(always)]
pub(crate) fn xor_behind_block_0<S: Simd>(token: S, state: &State, first: &mut [u8; SET_BYTES], data: &mut [u8]) {
    if data.len() <= (MAX_BLOCKS_IN_SETS - 1) * BLOCK_BYTES {
        return sets::xor_behind_block_0(token, state, first, data);
    }
    let mut groups = Groups::empty(token, state);
    groups.fill(token);
    let (start, rest) = data.split_at_mut(SET_BYTES - BLOCK_BYTES);
    xor_two(token, &groups, 0, 20, first, rest);
    S::Words::xor_bytes(token, start, &first[BLOCK_BYTES..]);
    groups.wipe(token);
}

/// Number of blocks in a group.
pub(crate) const GROUP_BLOCKS: usize = 16;

/// A group of consecutive blocks of one message.
pub(super) struct GroupOfMessage<'a> {
    /// The first set. Its first block may be apart from the others in memory.
    pub(super) first: [&'a mut [u8; BLOCK_BYTES]; 4],
    /// The other three sets.
    pub(super) rest: &'a mut [[u8; BLOCK_BYTES]; GROUP_BLOCKS - 4],
}

/// Combines two groups, which may belong to two messages, with their key streams. Each key stream
/// has its own state, and starts at the block counter in that state.
pub(super) fn xor_two_messages<S: Simd>(
    token: S,
    states: &[State; 2],
    first: GroupOfMessage<'_>,
    second: GroupOfMessage<'_>,
) {
    const { assert!(S::TUNING.vertical_sets != 2 || S::Words::LANES == GROUP_BLOCKS, "a lane for each block") };
    enter_with_rounds!(token, IN_ASSEMBLY => {
        let [state_v, state_w] = states;
        let (mut v, v_12) = before_rounds(token, state_v, state_v[12]);
        let (mut w, w_12) = before_rounds(token, state_w, state_w[12]);
        double_rounds::<_, IN_ASSEMBLY>(&mut v, &mut w, 10);
        first.xor(token, rows(token, state_v, &mut v, v_12));
        second.xor(token, rows(token, state_w, &mut w, w_12));
    });
}

impl GroupOfMessage<'_> {
    #[inline(always)]
    fn xor<S: Simd>(mut self, token: S, [Rows(a, b, c, d), rest @ ..]: [Rows<S::Words>; 4]) {
        S::Words::xor_blocks(a, b, c, d, &mut self.first);
        xor_sets(token, &rest, self.rest.as_flattened_mut());
    }
}

/// Writes a set to `first`: block 0 of ChaCha20's key stream and three blocks from `counter` on.
/// Combines `data`, which is two groups, with the key stream from block 1 on. The set costs almost
/// nothing beside two groups if vector additions take two cycles.
pub(crate) fn xor_two_and_set<S: Simd>(
    token: S,
    state: &State,
    counter: u32,
    first: &mut [u8; SET_BYTES],
    data: &mut [u8],
) {
    token.enter_apart(
        #[inline(always)]
        |token| write_with_set(token, &two_and_set(token, state, counter), first, data),
    );
}

/// Does the same as [`xor_two_and_set`] for one group. The group and the set have 20 vectors, which
/// keep the vector units busy. One set alone would leave them idle.
pub(crate) fn xor_one_and_set<S: Simd>(
    token: S,
    state: &State,
    counter: u32,
    first: &mut [u8; SET_BYTES],
    data: &mut [u8],
) {
    token.enter_apart(
        #[inline(always)]
        |token| write_with_set(token, &one_and_set(token, state, counter), first, data),
    );
}

/// Writes the set to `first`, and combines `data` with the key stream of the groups.
#[inline(always)]
fn write_with_set<S: Simd, const SETS: usize>(
    token: S,
    (groups, set): &([Rows<S::Words>; SETS], Rows<S::Words>),
    first: &mut [u8; SET_BYTES],
    data: &mut [u8],
) {
    first.copy_from_slice(blocks(set).as_ref());
    xor_sets(token, groups, data);
}

/// Returns the initial states of block 0 and of the three blocks from `counter` on.
#[inline(always)]
fn set_with_block_0<S: Simd>(token: S, state: &State, counter: u32) -> Rows<S::Words> {
    let row = |i: usize| S::Words::splat_row(token, [state[i], state[i + 1], state[i + 2], state[i + 3]]);
    let mut last_rows = [0; MAX_WORDS_LANES];
    for (i, last_row) in last_rows.chunks_exact_mut(4).enumerate() {
        let counter = if i == 0 { 0 } else { counter.wrapping_add(i as u32 - 1) };
        last_row.copy_from_slice(&[counter, state[13], state[14], state[15]]);
    }
    Rows(row(0), row(4), row(8), S::Words::from_lanes(token, &last_rows))
}

/// Computes the group from block 1 on, and the set of block 0 and the three blocks from `counter`
/// on.
#[inline(always)]
fn one_and_set<S: Simd<Words = W>, W: Words<Token = S>>(
    token: S,
    state: &State,
    counter: u32,
) -> ([Rows<W>; 4], Rows<W>) {
    let initial = set_with_block_0(token, state, counter);
    let (mut v, v_12) = before_rounds(token, state, 1);
    let mut set = initial;
    for _ in 0..10 {
        column_round!(v);
        set = horizontal::double_round(set);
        diagonal_round!(v);
    }
    (rows(token, state, &mut v, v_12), set.add(initial))
}

/// Does the same as [`one_and_set`] for the two groups from block 1 on. The registers cannot hold
/// all vectors, but the spills fall into cycles in which the vector units would be idle.
#[inline(always)]
fn two_and_set<S: Simd<Words = W>, W: Words<Token = S>>(
    token: S,
    state: &State,
    counter: u32,
) -> ([Rows<W>; 8], Rows<W>) {
    let initial = set_with_block_0(token, state, counter);
    let (mut v, v_12) = before_rounds(token, state, 1);
    let (mut w, w_12) = before_rounds(token, state, 1 + W::LANES as u32);
    let mut set = initial;
    for _ in 0..10 {
        quarter_rounds!([v 0 4 8 12] [v 1 5 9 13] [w 0 4 8 12] [w 1 5 9 13]);
        quarter_rounds!([v 2 6 10 14] [v 3 7 11 15] [w 2 6 10 14] [w 3 7 11 15]);
        set = horizontal::double_round(set);
        quarter_rounds!([v 0 5 10 15] [v 1 6 11 12] [w 0 5 10 15] [w 1 6 11 12]);
        quarter_rounds!([v 2 7 8 13] [v 3 4 9 14] [w 2 7 8 13] [w 3 4 9 14]);
    }
    (both(rows(token, state, &mut v, v_12), rows(token, state, &mut w, w_12)), set.add(initial))
}

/// Returns the key stream of the group from block `counter` on. Does `work` beside each double
/// round.
#[inline(always)]
pub(super) fn one_interleaved<S: Simd<Words = W>, W: Words<Token = S>>(
    token: S,
    state: &State,
    counter: u32,
    mut work: impl FnMut(),
) -> [Rows<W>; 4] {
    let (mut v, word_12) = before_rounds(token, state, counter);
    for _ in 0..10 {
        column_round!(v);
        diagonal_round!(v);
        work();
    }
    rows(token, state, &mut v, word_12)
}

/// Does the same as [`one_interleaved`] for two groups.
#[inline(always)]
pub(super) fn two_interleaved<S: Simd<Words = W>, W: Words<Token = S>>(
    token: S,
    state: &State,
    counter: u32,
    work: impl FnMut(),
) -> [Rows<W>; 8] {
    let (mut v, v_12) = before_rounds(token, state, counter);
    let (mut w, w_12) = before_rounds(token, state, counter.wrapping_add(W::LANES as u32));
    double_rounds_interleaved(&mut v, &mut w, 10, work);
    both(rows(token, state, &mut v, v_12), rows(token, state, &mut w, w_12))
}

/// Returns the rows of two groups, one after the other.
#[inline(always)]
fn both<W: Words>([a, b, c, d]: [Rows<W>; 4], [e, f, g, h]: [Rows<W>; 4]) -> [Rows<W>; 8] {
    [a, b, c, d, e, f, g, h]
}

/// Does the same as [`vertical::xor_groups`](super::vertical::xor_groups) on instruction sets whose
/// registers hold two groups.
#[inline(always)]
pub(super) fn xor_pairs<'a, S: Simd, const ROUNDS: usize>(
    token: S,
    state: &State,
    counter: &mut u32,
    data: &'a mut [u8],
) -> &'a mut [u8] {
    let pair_bytes = 2 * S::Words::LANES * BLOCK_BYTES;
    if !needs_all_sets::<S>(data.len()) {
        return data;
    }
    let mut groups = Groups::empty(token, state);
    groups.fill(token);
    let last = data.len() % pair_bytes;
    let (pairs, rest) = data.split_at_mut(data.len() - if needs_all_sets::<S>(last) { 0 } else { last });
    for pair in pairs.chunks_mut(pair_bytes) {
        let (first, rest) = pair.split_first_chunk_mut().expect("all sets of a pair");
        xor_two(token, &groups, *counter, ROUNDS, first, rest);
        *counter = counter.wrapping_add((pair_bytes / BLOCK_BYTES) as u32);
    }
    groups.wipe(token);
    rest
}

/// Returns whether that many bytes reach into the last set of a pair of groups.
#[inline(always)]
fn needs_all_sets<S: Simd>(bytes: usize) -> bool {
    bytes > (2 * S::Words::LANES - S::Words::ROWS) * BLOCK_BYTES
}

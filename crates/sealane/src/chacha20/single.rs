//! A single block of ChaCha on 32-bit integers: alone, also in portable code, or while the vector
//! units compute sets or groups of blocks.

use sealane_simd::{Simd, Word, Words, xor_bytes};

use super::horizontal::{before_rounds, columns, first_half, second_half, sums, to_columns, to_diagonals};
use super::pair_rounds::quarter_rounds;
use super::rows::Rows;
use super::state::State;
use super::{BLOCK_BYTES, paired};

/// Computes one step of two quarter rounds: `a += b; d ^= a; d <<<= left`. Every word is opaque.
/// Otherwise the compiler would put four words into a vector, which makes the chain of dependent
/// operations slower.
macro_rules! step {
    ($rotate:ident, $v:ident, $left:literal: $a:literal $b:literal $d:literal, $e:literal $f:literal $h:literal) => {
        $v[$a] = $v[$a].wrapping_add($v[$b]).opaque();
        $v[$e] = $v[$e].wrapping_add($v[$f]).opaque();
        $v[$d] = $rotate::<$left>($v[$d] ^ $v[$a]);
        $v[$h] = $rotate::<$left>($v[$h] ^ $v[$e]);
    };
}

macro_rules! two_quarter_rounds {
    ($rotate:ident, $v:ident, [$a:literal $b:literal $c:literal $d:literal] [$e:literal $f:literal $g:literal $h:literal]) => {
        step!($rotate, $v, 16: $a $b $d, $e $f $h);
        step!($rotate, $v, 12: $c $d $b, $g $h $f);
        step!($rotate, $v, 8: $a $b $d, $e $f $h);
        step!($rotate, $v, 7: $c $d $b, $g $h $f);
    };
}

macro_rules! double_round {
    ($v:ident) => {
        two_quarter_rounds!(rotate, $v, [0 4 8 12] [1 5 9 13]);
        two_quarter_rounds!(rotate, $v, [2 6 10 14] [3 7 11 15]);
        two_quarter_rounds!(rotate, $v, [0 5 10 15] [1 6 11 12]);
        two_quarter_rounds!(rotate, $v, [2 7 8 13] [3 4 9 14]);
    };
}

#[inline(always)]
fn rotate<const LEFT: u32>(word: u32) -> u32 {
    word.rotate_left(LEFT).opaque()
}

/// Rotates in two steps, or in one if the rotation is by whole bytes.
///
/// On Zen 5, a vector addition or XOR takes one cycle if it reaches the vector units when
/// its operands are almost ready. It takes two cycles if it has to wait there, as all such
/// instructions do once the core has fetched far ahead. The core does not fetch ahead while the
/// queue of the integer units is full. The integer work must therefore not be faster than the
/// vector work beside it.
#[inline(always)]
fn rotate_slowly<const LEFT: u32>(word: u32) -> u32 {
    if LEFT.is_multiple_of(8) { rotate::<LEFT>(word) } else { rotate_slower::<LEFT>(word) }
}

/// Rotates in two steps.
#[inline(always)]
fn rotate_slower<const LEFT: u32>(word: u32) -> u32 {
    word.rotate_left(LEFT - 3).opaque().rotate_left(3).opaque()
}

/// Combines up to one block of data with block `counter` of the key stream. Not inlined, because it
/// needs all registers.
#[inline(never)]
pub(super) fn xor<const ROUNDS: usize>(state: &State, counter: u32, data: &mut [u8]) {
    let mut v = with_counter(state, counter);
    for _ in 0..ROUNDS / 2 {
        double_round!(v);
    }
    let initial = |i: usize| if i == 12 { counter } else { state[i] };
    if let Some(data) = data.first_chunk_mut::<BLOCK_BYTES>() {
        for (i, bytes) in data.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            *bytes = (u32::from_le_bytes(*bytes) ^ v[i].wrapping_add(initial(i)).opaque()).to_le_bytes();
        }
        return;
    }
    let mut key_stream = [0; BLOCK_BYTES];
    for (i, bytes) in key_stream.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *bytes = v[i].wrapping_add(initial(i)).opaque().to_le_bytes();
    }
    xor_bytes(data, &key_stream);
    crate::wipe::wipe(&mut key_stream);
}

/// Block 0, whose rounds are computed while the vector units work. It is a value in registers,
/// which is not wiped; the compiler spills some of its words.
pub(super) struct IntegerBlock0 {
    v: State,
}

impl IntegerBlock0 {
    #[inline(always)]
    pub(super) fn new(state: &State) -> Self {
        Self { v: with_counter(state, 0) }
    }

    #[inline(always)]
    pub(super) fn double_round(&mut self) {
        let v = &mut self.v;
        double_round!(v);
    }

    /// Adds the initial state, and returns the block.
    #[inline(always)]
    fn words(self, state: &State) -> State {
        sum(self.v, with_counter(state, 0))
    }

    /// Adds the initial state, and writes the first half of the block.
    #[inline(always)]
    pub(super) fn write_first_half(&self, state: &State, half: &mut [u8; 32]) {
        let word = |i: usize| u64::from(self.v[i].wrapping_add(state[i]).opaque());
        // As words of 64 bits, in which the authenticator reads them.
        for (i, bytes) in half.as_chunks_mut().0.iter_mut().enumerate() {
            *bytes = (word(2 * i) | word(2 * i + 1) << 32).opaque().to_le_bytes();
        }
    }
}

/// Combines up to one block of data with its block of key stream.
#[inline(always)]
pub(super) fn xor_words(key_stream: &State, data: &mut [u8]) {
    if let Some(data) = data.first_chunk_mut::<BLOCK_BYTES>() {
        for (bytes, word) in data.as_chunks_mut::<4>().0.iter_mut().zip(key_stream) {
            *bytes = (u32::from_le_bytes(*bytes) ^ *word).to_le_bytes();
        }
        return;
    }
    let mut bytes = [0; BLOCK_BYTES];
    for (bytes, word) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(key_stream) {
        *bytes = word.to_le_bytes();
    }
    xor_bytes(data, &bytes);
    crate::wipe::wipe(&mut bytes);
}

/// Computes block `counter` of the key stream on integers, and at the same time the next `SETS *
/// ROWS` blocks on vectors.
/// [`Tuning::slow_integers_beside_vectors`](sealane_simd::Tuning::slow_integers_beside_vectors) says
/// where `SLOWLY` should be true.
#[inline(always)]
pub(super) fn block_and_sets<S: Simd, const ROUNDS: usize, const SETS: usize, const SLOWLY: bool>(
    token: S,
    state: &State,
    counter: u32,
) -> (State, [Rows<S::Words>; SETS]) {
    let rows = before_rounds::<S, SETS>(token, state, counter.wrapping_add(1));
    let initial = with_counter(state, counter);
    let mut v = initial;
    let (mut a, mut b, mut c, mut d) = columns(&rows);
    macro_rules! integers {
        ($($quarters:tt)*) => {
            if !SLOWLY {
                two_quarter_rounds!(rotate, v, $($quarters)*);
            } else if SETS == 1 {
                two_quarter_rounds!(rotate_slowly, v, $($quarters)*);
            } else {
                two_quarter_rounds!(rotate_slower, v, $($quarters)*);
            }
        };
    }
    for _ in 0..ROUNDS / 2 {
        integers!([0 4 8 12] [1 5 9 13]);
        first_half(&mut a, &mut b, &mut c, &mut d);
        integers!([2 6 10 14] [3 7 11 15]);
        second_half(&mut a, &mut b, &mut c, &mut d);
        to_diagonals(&mut a, &mut c, &mut d);
        integers!([2 7 8 13] [3 4 9 14]);
        first_half(&mut a, &mut b, &mut c, &mut d);
        integers!([0 5 10 15] [1 6 11 12]);
        second_half(&mut a, &mut b, &mut c, &mut d);
        to_columns(&mut a, &mut c, &mut d);
    }
    (sum(v, initial), sums(&rows, &a, &b, &c, &d))
}

/// Computes block 0 of ChaCha20's key stream on integers, and at the same time the group after it
/// on vectors.
#[inline(always)]
pub(super) fn block_0_and_group<S: Simd>(token: S, state: &State) -> (State, [Rows<S::Words>; 4]) {
    let mut block_0 = IntegerBlock0::new(state);
    let group = paired::one_interleaved(
        token,
        state,
        1,
        #[inline(always)]
        || block_0.double_round(),
    );
    (block_0.words(state), group)
}

/// A group, and the set after it on the vectors of [`Simd::Narrower`].
pub(super) type GroupAndSet<S> = ([Rows<<S as Simd>::Words>; 4], Rows<<<S as Simd>::Narrower as Simd>::Words>);

/// Does the same as [`block_0_and_group`], and computes the set after the group on the vectors of
/// [`Simd::Narrower`].
#[inline(always)]
pub(super) fn block_0_and_group_and_set<S: Simd>(token: S, state: &State) -> (State, GroupAndSet<S>) {
    let mut block_0 = IntegerBlock0::new(state);
    let v = &mut block_0.v;
    let (mut w, word_12) = paired::before_rounds(token, state, 1);
    let set = before_rounds::<S::Narrower, 1>(token.for_narrower(), state, 1 + S::Words::LANES as u32);
    let (mut a, mut b, mut c, mut d) = columns(&set);
    // A double round of the set before one of the group would take 1.03 times as long.
    for _ in 0..10 {
        two_quarter_rounds!(rotate, v, [0 4 8 12] [1 5 9 13]);
        first_half(&mut a, &mut b, &mut c, &mut d);
        quarter_rounds!([w 0 4 8 12] [w 1 5 9 13]);
        two_quarter_rounds!(rotate, v, [2 6 10 14] [3 7 11 15]);
        second_half(&mut a, &mut b, &mut c, &mut d);
        to_diagonals(&mut a, &mut c, &mut d);
        quarter_rounds!([w 2 6 10 14] [w 3 7 11 15]);
        two_quarter_rounds!(rotate, v, [2 7 8 13] [3 4 9 14]);
        first_half(&mut a, &mut b, &mut c, &mut d);
        quarter_rounds!([w 0 5 10 15] [w 1 6 11 12]);
        two_quarter_rounds!(rotate, v, [0 5 10 15] [1 6 11 12]);
        second_half(&mut a, &mut b, &mut c, &mut d);
        to_columns(&mut a, &mut c, &mut d);
        quarter_rounds!([w 2 7 8 13] [w 3 4 9 14]);
    }
    let [set] = sums(&set, &a, &b, &c, &d);
    (block_0.words(state), (paired::rows(token, state, &mut w, word_12), set))
}

/// Returns the initial state of block `counter`.
#[inline(always)]
fn with_counter(state: &State, counter: u32) -> State {
    let mut initial = *state;
    initial[12] = counter;
    initial
}

/// Returns the sums of the words. They are opaque. Otherwise the compiler moves all words to a
/// vector, which costs 30 ns on Zen 5.
#[inline(always)]
fn sum(mut words: State, initial: State) -> State {
    for (word, initial) in words.iter_mut().zip(initial) {
        *word = word.wrapping_add(initial).opaque();
    }
    words
}

//! Groups of blocks whose key stream is computed beside the authenticator, as in
//! [`crate::aead::interleaved`]. The ciphertext of a group waits in the [window](super::window)
//! until the next group is computed. A group to decrypt may be authenticated beside its own rounds
//! instead.

use core::ops::Range;

use sealane_simd::{Level, Simd, Token, dispatch};

use super::direction::Direction;
use crate::aead::interleaved::{EIGHT_BLOCK_GROUP_BYTES, authenticate_and_xor, authenticate_own_and_xor};
use crate::chacha20::rows::{group_bytes, write_rows};
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, kernel, xor_chacha20};
use crate::poly1305::{Accumulator, Short};

/// Returns the result of `$call` on the narrower vectors, if these interleave and the token's do
/// not. The code that follows is compiled only for vectors that interleave.
macro_rules! interleaves {
    ($simd:ident, $token:ident => $call:expr) => {
        if $simd::TUNING.narrower_max_bytes.is_some() {
            return on_narrower!($token => $call);
        }
        if !$simd::TUNING.authenticate_pieces_between_rounds {
            unreachable!("a window without groups");
        }
        const {
            let is_group = group_bytes::<$simd>() == EIGHT_BLOCK_GROUP_BYTES;
            assert!(!$simd::TUNING.authenticate_pieces_between_rounds || is_group, "a window is a group");
        }
    };
}

/// The window, and the range in it that waits for the authenticator: ciphertext in whole blocks of
/// Poly1305.
pub(super) struct Waiting<'a> {
    pub(super) window: &'a mut [u8; EIGHT_BLOCK_GROUP_BYTES],
    pub(super) range: Range<usize>,
}

/// Processes whole groups from block `counter` on. Authenticates the ciphertext that waits and all
/// groups but the last, which waits in the window afterwards.
pub(super) fn apply<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Accumulator,
    Waiting { window, range }: Waiting<'_>,
    mut counter: u32,
    groups: &mut [[u8; EIGHT_BLOCK_GROUP_BYTES]],
    direction: Direction,
) {
    interleaves!(S, token => apply(token, state, mac, Waiting { window, range }, counter, groups, direction));
    let mut short = mac.short();
    let mut step = |before: &[u8], group: &mut [u8; EIGHT_BLOCK_GROUP_BYTES]| {
        authenticate_all_and_xor(token, state, &mut short, before, counter, group);
        counter = counter.wrapping_add((EIGHT_BLOCK_GROUP_BYTES / BLOCK_BYTES) as u32);
    };
    match direction {
        Direction::Encrypt => {
            let mut before = &window[range];
            for group in groups.iter_mut() {
                step(before, group);
                before = group;
            }
            if let Some(last) = groups.last() {
                *window = *last;
            }
        }
        Direction::Decrypt => {
            let mut range = range;
            for group in groups {
                let ciphertext = *group;
                step(&window[range], group);
                *window = ciphertext;
                range = 0..EIGHT_BLOCK_GROUP_BYTES;
            }
        }
    }
    mac.continue_after(&short);
    short.wipe();
}

/// Decrypts whole groups from block `counter` on, and authenticates them and the ciphertext that
/// waits. Nothing waits afterwards.
pub(super) fn decrypt_all<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Accumulator,
    Waiting { window, range }: Waiting<'_>,
    mut counter: u32,
    groups: &mut [[u8; EIGHT_BLOCK_GROUP_BYTES]],
) {
    interleaves!(S, token => decrypt_all(token, state, mac, Waiting { window, range }, counter, groups));
    let mut short = mac.short().padded(&window[range]);
    for group in groups {
        authenticate_own_and_xor(token, state, &mut short, counter, group);
        counter = counter.wrapping_add((EIGHT_BLOCK_GROUP_BYTES / BLOCK_BYTES) as u32);
    }
    mac.continue_after(&short);
    short.wipe();
}

/// Combines a group with the key stream, and adds all of `ciphertext`, which is whole blocks and at
/// most a group, to the authenticator.
#[inline(always)]
fn authenticate_all_and_xor<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Short,
    ciphertext: &[u8],
    counter: u32,
    group: &mut [u8; EIGHT_BLOCK_GROUP_BYTES],
) {
    let done = authenticate_and_xor(token, state, mac, Some(ciphertext), counter, group);
    // Blocks are added in threes and fours, so one or two may be left.
    *mac = mac.padded(&ciphertext[done..]);
}

/// Authenticates the ciphertext that waits. At the same time, replaces the window with the key
/// stream from block `counter` on.
pub(super) fn refill<S: Simd>(
    token: S,
    state: &State,
    mac: &mut Accumulator,
    Waiting { window, range }: Waiting<'_>,
    counter: u32,
) {
    interleaves!(S, token => refill(token, state, mac, Waiting { window, range }, counter));
    token.enter_apart(
        #[inline(always)]
        |token| {
            let rows = mac.blocks_during(
                &window[range],
                #[inline(always)]
                |pending| kernel::group_interleaved(token, state, counter, pending),
            );
            write_rows(&rows, window);
        },
    );
}

/// Combines `data`, at most a window, with the key stream from block `counter` on.
#[inline(never)]
pub(super) fn xor(level: Level, state: &State, counter: u32, data: &mut [u8]) {
    if level.tuning().narrower_max_bytes.is_some() {
        dispatch!(level, token => xor_on_narrower(token, state, counter, data));
    } else {
        xor_chacha20(level, state, counter, data);
    }
}

fn xor_on_narrower<S: Simd>(token: S, state: &State, counter: u32, data: &mut [u8]) {
    interleaves!(S, token => xor_on_narrower(token, state, counter, data));
    let mut mac = Accumulator::new(&[0; 32]).short();
    authenticate_and_xor(token, state, &mut mac, Some(&[]), counter, data);
}

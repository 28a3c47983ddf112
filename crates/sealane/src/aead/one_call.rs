//! Messages whose whole key stream is computed in one call, and which are then authenticated in one
//! call. Block 0 is computed on integers beside sets or a group, or the message is one
//! [`FirstPortion`].

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{AlignedBytes, CpuClass, Simd, Words};

use super::ciphertext_copy::CiphertextCopy;
use super::construction::{lengths, verify};
use super::first_portion::{FirstPortion, GROUP_BYTES, PAIR_BYTES};
use super::payload::{Ciphertext, Payload};
use crate::chacha20::paired::{MAX_BLOCKS_IN_SETS, SET_BYTES};
use crate::chacha20::sets::xor_sets;
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, kernel};
use crate::error::OpenError;
use crate::poly1305::{self, Short, Tag};
use crate::wipe::wipe;

/// Bytes of the longest message of this plan whose key stream is in sets.
const MAX_BYTES_IN_SETS: usize = MAX_BLOCKS_IN_SETS * BLOCK_BYTES;
/// Bytes of the longest message of this plan.
const MAX_BYTES: usize = PAIR_BYTES;

/// Returns the class of CPUs for which [`seal`] and [`open`] take a message of `length` bytes that
/// [`super::short`] does not take, or `None` if they do not take it.
///
/// They need the same class, because [`CpuClass::force`] may change it in the meantime.
#[inline(always)]
pub(super) fn takes<S: Simd>(token: S, aad: &[u8], length: usize) -> Option<CpuClass> {
    if !S::MUL_ADD_52 || S::TUNING.vertical_sets < 2 || aad.len() > SHORT_MAX_AAD_BYTES {
        return None;
    }
    let class = token.cpu_class();
    let most = if S::TUNING.block_0_beside_vectors.of(class) { MAX_BYTES } else { MAX_BYTES_IN_SETS };
    (length <= most).then_some(class)
}

/// Does the same as [`super::plan::seal`]. `class` comes from [`takes`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, class: CpuClass, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let length = message.length();
    xor_and_authenticate(token, class, state, aad, message.upto(length), None)
}

/// Does the same as [`super::plan::open`]. `class` comes from [`takes`].
///
/// Decrypts, and authenticates a copy of the ciphertext. If the message is a forgery, the copy
/// restores it. To decrypt only after the verification, the key stream would have to be stored, and
/// wiped.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    class: CpuClass,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Ciphertext,
) -> Result<(), OpenError> {
    let length = message.length();
    let mut copy = CiphertextCopy::<MAX_BYTES>::empty();
    let copy = copy.of(message.input());
    let computed = xor_and_authenticate(token, class, state, aad, message.upto(length), Some(copy));
    let result = verify(&computed, tag);
    if result.is_err() {
        message.undo_decryption(
            #[inline(always)]
            |message| message.copy_from_slice(copy),
        );
    }
    result
}

/// Combines the message with the key stream. Returns the tag of `copy`, or of the result if there
/// is no copy.
#[inline(always)]
fn xor_and_authenticate<S: Simd>(
    token: S,
    class: CpuClass,
    state: &State,
    aad: &[u8],
    message: &mut [u8],
    copy: Option<&[u8]>,
) -> Tag {
    let fit_sets = message.len() <= MAX_BYTES_IN_SETS;
    if !(fit_sets && kernel::computes_block_on_integers::<S>(class, BLOCK_BYTES + message.len())) {
        return in_one_portion(token, class, state, aad, message, copy);
    }
    macro_rules! beside_block_0 {
        ($key_stream:expr, $xor:expr) => {
            beside_block_0(
                token,
                aad,
                message,
                copy,
                #[inline(always)]
                |token| $key_stream(token, state),
                #[inline(always)]
                $xor,
            )
        };
    }
    macro_rules! sets {
        ($sets:literal, $slowly:literal) => {
            beside_block_0!(kernel::block_0_and_sets::<S, $sets, $slowly>, |token, rows, message| {
                xor_sets(token, rows, message);
            })
        };
    }
    if S::TUNING.group_and_narrower_sets_beside_block_0.of(class) {
        match message.len().div_ceil(BLOCK_BYTES) {
            ..=8 => return sets!(2, false),
            9 | 10 => {
                return beside_block_0!(
                    |token: S, state| {
                        kernel::block_0_and_sets::<S::Narrower, 5, false>(token.for_narrower(), state)
                    },
                    |token: S, rows, message| xor_sets(token.for_narrower(), rows, message)
                );
            }
            11 | 12 => return sets!(3, false),
            13..=16 => {
                return beside_block_0!(kernel::block_0_and_group::<S>, |token, rows, message| {
                    xor_sets(token, rows, message);
                });
            }
            17 | 18 => {
                return beside_block_0!(kernel::block_0_and_group_and_set::<S>, |token: S, (group, set), message| {
                    let (start, end) = message.split_at_mut(GROUP_BYTES);
                    xor_sets(token, group, start);
                    xor_sets(token.for_narrower(), core::slice::from_ref(set), end);
                });
            }
            // Longer ones take 0.99 to 1.00 times as long with fast integers.
            _ => {}
        }
    }
    match message.len().div_ceil(SET_BYTES) {
        ..2 => unreachable!("`short` takes messages of one set"),
        2 => sets!(2, true),
        3 => sets!(3, true),
        4 => sets!(4, true),
        5 => sets!(5, true),
        6 => sets!(6, true),
        _ => sets!(7, true),
    }
}

/// Does the same as [`xor_and_authenticate`]. `key_stream` computes block 0 on integers, and at the
/// same time the key stream on vectors. `xor` combines the key stream with the message. All callers
/// share one copy of this function for each shape.
#[inline(always)]
fn beside_block_0<S: Simd, K>(
    token: S,
    aad: &[u8],
    message: &mut [u8],
    copy: Option<&[u8]>,
    key_stream: impl FnOnce(S) -> (State, K),
    xor: impl FnOnce(S, &K, &mut [u8]),
) -> Tag {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let (block_0, key_stream) = key_stream(token);
            let mac = Short::from_words(&block_0).padded(aad);
            xor(token, &key_stream, message);
            authenticate(token, mac, aad, message, copy)
        },
    )
}

/// Does the same as [`xor_and_authenticate`], without block 0 on integers beside sets. The whole
/// message is one portion.
fn in_one_portion<S: Simd>(
    token: S,
    class: CpuClass,
    state: &State,
    aad: &[u8],
    message: &mut [u8],
    copy: Option<&[u8]>,
) -> Tag {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let length = message.len();
            let first = FirstPortion::of::<S>(class, length);
            let mut set = AlignedBytes([0; SET_BYTES]);
            let (start, last) = message.split_at_mut(first.head);
            let mac = first.xor(token.for_cipher(), state, length, &mut set.0, start).padded(aad);
            S::Words::xor_bytes(token, last, &set.0[BLOCK_BYTES..]);
            wipe(&mut set.0);
            authenticate(token, mac, aad, message, copy)
        },
    )
}

/// Returns the tag of `copy`, or of `message` if there is no copy.
#[inline(always)]
fn authenticate<S: Simd>(token: S, mac: Short, aad: &[u8], message: &[u8], copy: Option<&[u8]>) -> Tag {
    poly1305::padded_and_lengths(token, mac, copy.unwrap_or(message), &lengths(aad.len(), message.len()))
}

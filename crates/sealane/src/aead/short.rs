//! Messages whose whole key stream, block 0 included, is made in one call. It stays in registers
//! until it meets the message, and so does the authenticator.

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{Simd, Words};

use super::construction::{KEY_BLOCK, ROUNDS, begin_mac, finish_mac, lengths, one_time_key, verify};
use super::head::{MAX_SETS_IN_REGISTERS, apply, encrypt_head, in_memory};
use super::payload::Payload;
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel;
use crate::chacha20::rows::{KeyStreamConsumer, Rows, xor_rows};
use crate::chacha20::state::State;
use crate::error::OpenError;
use crate::poly1305::{self, Short, Tag};
use crate::wipe::wipe;

/// Returns whether [`seal`] and [`open`] take such a message.
#[inline(always)]
pub(super) fn takes<S: Simd>(token: S, aad: &[u8], length: usize) -> bool {
    let max_bytes = S::TUNING.short_max_bytes.of(token.cpu_class());
    S::VECTORS && aad.len() <= SHORT_MAX_AAD_BYTES && length <= max_bytes
}

/// Returns the most bytes of key stream that a message needs.
const fn max_key_stream_bytes<S: Simd>() -> usize {
    BLOCK_BYTES + S::TUNING.short_max_bytes.most()
}

/// Does the same as [`super::one_shot::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let message = message.upto(message.input().len());
    let bytes = BLOCK_BYTES + message.len();
    if S::MUL_ADD_52 && kernel::has_free_integer_units(token) {
        return seal_beside_block_0::<S>(token, state, aad, message);
    }
    let mac = kernel::rows::<S, _, ROUNDS>(token, state, KEY_BLOCK, bytes, Seal { token, message });
    authenticate(token, mac.padded(aad), message, &lengths(aad.len(), message.len()))
}

/// Does the same as [`super::one_shot::open`].
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Payload,
) -> Result<(), OpenError> {
    let bytes = BLOCK_BYTES + message.input().len();
    if S::MUL_ADD_52 && kernel::has_free_integer_units(token) {
        return open_beside_block_0::<S>(token, state, aad, tag, message);
    }
    kernel::rows::<S, _, ROUNDS>(token, state, KEY_BLOCK, bytes, Open { token, aad, tag, message })
}

/// Does the same as [`seal`], with the one-time key on integers, beside one set of the key stream
/// on vectors.
///
/// Like [`Short`], block 0 is a value in registers, which cannot be wiped. To wipe it, the code
/// would have to store it in memory, which costs 25 to 100 cycles.
#[inline(always)]
fn seal_beside_block_0<S: Simd>(token: S, state: &State, aad: &[u8], message: &mut [u8]) -> Tag {
    let (block_0, rows) = kernel::block_and_sets::<S, 1>(token, state);
    let mac = Short::from_words(&block_0).padded(aad);
    xor_rows(&rows, message);
    authenticate(token, mac, message, &lengths(aad.len(), message.len()))
}

/// Does the same as [`open`], with the one-time key on integers.
#[inline(always)]
fn open_beside_block_0<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Payload,
) -> Result<(), OpenError> {
    let (block_0, rows) = kernel::block_and_sets::<S, 1>(token, state);
    let input = message.input();
    let length = input.len();
    let mac = Short::from_words(&block_0).padded(aad);
    let result = verify(&authenticate(token, mac, input, &lengths(aad.len(), length)), tag);
    if result.is_ok() {
        xor_rows(&rows, message.upto(length));
    }
    result
}

/// Returns the tag of a whole ciphertext, once `mac` has the associated data.
#[inline(always)]
fn authenticate<S: Simd>(token: S, mac: Short, ciphertext: &[u8], lengths: &[u8; 16]) -> Tag {
    if S::MUL_ADD_52 && ciphertext.len() >= S::TUNING.poly1305_min_ciphertext_bytes.of(token.cpu_class()) {
        return poly1305::padded_and_lengths(token, mac, ciphertext, lengths);
    }
    finish_mac(mac, ciphertext, lengths)
}

/// Encrypts. Returns the authenticator.
struct Seal<'a, S> {
    token: S,
    message: &'a mut [u8],
}

impl<S: Simd> KeyStreamConsumer for Seal<'_, S> {
    type Output = Short;
    type Interleave = ();
    const MAX_BYTES: usize = max_key_stream_bytes::<S>();

    #[inline(always)]
    fn consume<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Short {
        if SETS <= MAX_SETS_IN_REGISTERS {
            return encrypt_head(&rows, self.message);
        }
        let mut key_stream = in_memory(&rows);
        let mac = Short::new(one_time_key(key_stream[0].as_ref()));
        // One copy for all these numbers of sets.
        self.token.enter_apart(
            #[inline(always)]
            |_| apply::<W>(&mut key_stream, self.message),
        );
        mac
    }
}

struct Open<'a, S, M> {
    token: S,
    aad: &'a [u8],
    tag: &'a Tag,
    message: M,
}

impl<S: Simd, M: Payload> KeyStreamConsumer for Open<'_, S, M> {
    type Output = Result<(), OpenError>;
    type Interleave = ();
    const MAX_BYTES: usize = max_key_stream_bytes::<S>();

    #[inline(always)]
    fn consume<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Self::Output {
        let mut key_stream = in_memory(&rows);
        if SETS == 1 {
            return open_with::<S, W>(self, &mut key_stream);
        }
        // One copy for all other numbers of sets.
        self.token.enter_apart(
            #[inline(always)]
            |_| open_with::<S, W>(self, &mut key_stream),
        )
    }
}

/// Does the same as [`open`], with the key stream, which is wiped.
#[inline(always)]
fn open_with<S: Simd, W: Words>(
    Open { token, aad, tag, mut message }: Open<'_, S, impl Payload>,
    key_stream: &mut [W::Blocks],
) -> Result<(), OpenError> {
    let mac = begin_mac(key_stream[0].as_ref(), aad);
    let input = message.input();
    let length = input.len();
    let result = verify(&authenticate(token, mac, input, &lengths(aad.len(), length)), tag);
    if result.is_ok() {
        apply::<W>(key_stream, message.upto(length));
    } else {
        key_stream.iter_mut().for_each(|set| wipe(set.as_mut()));
    }
    result
}

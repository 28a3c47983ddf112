//! Messages whose whole key stream, block 0 included, is computed in one call.

use sealane_simd::tuning::SHORT_MAX_AAD_BYTES;
use sealane_simd::{AlignedBytes, CpuClass, Simd, Words, xor_bytes};

use super::construction::{KEY_BLOCK, ROUNDS, begin_mac, finish_mac, lengths, verify};
use super::payload::{Ciphertext, Payload};
use crate::chacha20::rows::{set_bytes, xor_rows};
use crate::chacha20::state::State;
use crate::chacha20::{BLOCK_BYTES, interleaved_block_0, kernel, sets};
use crate::error::OpenError;
use crate::poly1305::{self, Short, Tag};
use crate::wipe::wipe;

/// Returns the class of CPUs for which [`seal`] and [`open`] take a message of `length` bytes with
/// this associated data, or `None` if they do not take it.
///
/// They need the same class, because [`CpuClass::force`] may change it in the meantime.
#[inline(always)]
pub(super) fn takes<S: Simd>(token: S, aad: &[u8], length: usize) -> Option<CpuClass> {
    // Where no message has this plan, the compiler leaves it out.
    let is_used = S::VECTORS && S::TUNING.short_max_bytes.most() > 0;
    if !is_used || aad.len() > SHORT_MAX_AAD_BYTES {
        return None;
    }
    let class = token.cpu_class();
    (length <= S::TUNING.short_max_bytes.of(class) && !interleaved_block_0::takes::<S>(class, length)).then_some(class)
}

/// Returns the most bytes of key stream that a message of this plan needs.
const fn max_key_stream_bytes<S: Simd>() -> usize {
    BLOCK_BYTES + S::TUNING.short_max_bytes.most()
}

/// Does the same as [`super::plan::seal`]. `class` comes from [`takes`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, class: CpuClass, state: &State, aad: &[u8], mut message: impl Payload) -> Tag {
    let message = message.upto(message.length());
    if S::MUL_ADD_52 && kernel::computes_block_on_integers::<S>(class, BLOCK_BYTES + message.len()) {
        if S::TUNING.slow_integers_beside_vectors.of(class) {
            return seal_interleaved_block_0::<S, true>(token, class, state, aad, message);
        }
        return seal_interleaved_block_0::<S, false>(token, class, state, aad, message);
    }
    let mut first;
    if BLOCK_BYTES + message.len() <= set_bytes::<S>() {
        first = kernel::first_set(token, state);
        // Without masks: the authenticator would wait for a masked store (3 % at 100 bytes, Zen 4).
        xor_bytes(message, &first.as_ref()[BLOCK_BYTES..]);
    } else {
        first = S::Words::ZERO_BLOCKS;
        sets::xor_behind_block_0(token.for_cipher(), state, first.as_mut(), message);
    }
    let mac = begin_mac(first.as_ref(), aad);
    wipe(first.as_mut());
    authenticate(token, class, mac, message, &lengths(aad.len(), message.len()))
}

/// Does the same as [`super::plan::open`]. `class` comes from [`takes`].
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    class: CpuClass,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Ciphertext,
) -> Result<(), OpenError> {
    let bytes = BLOCK_BYTES + message.length();
    if S::MUL_ADD_52 && kernel::computes_block_on_integers::<S>(class, bytes) {
        if S::TUNING.slow_integers_beside_vectors.of(class) {
            return open_interleaved_block_0::<S, true>(token, class, state, aad, tag, message);
        }
        return open_interleaved_block_0::<S, false>(token, class, state, aad, tag, message);
    }
    if bytes <= set_bytes::<S>() {
        let mut key_stream = kernel::first_set(token, state);
        let result = open_with(token, class, aad, tag, message, key_stream.as_ref());
        wipe(key_stream.as_mut());
        return result;
    }
    // Buffers of constant length are cleared without a call. There are several lengths, so that
    // short messages do not clear a long buffer.
    macro_rules! open_in_buffer {
        ($bytes:literal) => {{
            let mut key_stream = AlignedBytes([0; $bytes]);
            let needed = bytes.next_multiple_of(set_bytes::<S>());
            let key_stream_of_sets = &mut key_stream.0[..needed];
            let result = open_behind_block_0(token, class, state, aad, tag, message, key_stream_of_sets);
            wipe(&mut key_stream.0);
            result
        }};
    }
    match bytes {
        ..=256 => open_in_buffer!(256),
        ..=512 if const { max_key_stream_bytes::<S>() > 256 } => open_in_buffer!(512),
        ..=1024 if const { max_key_stream_bytes::<S>() > 512 } => open_in_buffer!(1024),
        _ if const { max_key_stream_bytes::<S>() > 1024 } => open_in_buffer!(1792),
        _ => unreachable!("`takes` allows no longer message"),
    }
}

/// Does the same as [`seal`], with block 0 on integers, beside one set of the key stream on
/// vectors. It is a function of its own, because block 0 needs all registers.
///
/// Like [`Short`], block 0 is a value in registers, which cannot be wiped. To wipe it, the code
/// would have to store it in memory, which costs 25 to 100 cycles.
fn seal_interleaved_block_0<S: Simd, const SLOWLY: bool>(
    token: S,
    class: CpuClass,
    state: &State,
    aad: &[u8],
    message: &mut [u8],
) -> Tag {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let (block_0, rows) = kernel::block_0_and_sets::<S, 1, SLOWLY>(token, state);
            let mac = Short::from_words(&block_0).padded(aad);
            xor_rows(token, &rows, message);
            authenticate(token, class, mac, message, &lengths(aad.len(), message.len()))
        },
    )
}

/// Does the same as [`open`], with block 0 on integers.
fn open_interleaved_block_0<S: Simd, const SLOWLY: bool>(
    token: S,
    class: CpuClass,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Ciphertext,
) -> Result<(), OpenError> {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let (block_0, rows) = kernel::block_0_and_sets::<S, 1, SLOWLY>(token, state);
            let input = message.input();
            let length = input.len();
            let mac = Short::from_words(&block_0).padded(aad);
            let result = verify(&authenticate(token, class, mac, input, &lengths(aad.len(), length)), tag);
            if result.is_ok() {
                xor_rows(token, &rows, message.upto(length));
            }
            result
        },
    )
}

/// Returns the tag of a whole ciphertext. `mac` has already processed the associated data.
#[inline(always)]
fn authenticate<S: Simd>(token: S, class: CpuClass, mac: Short, ciphertext: &[u8], lengths: &[u8; 16]) -> Tag {
    if S::MUL_ADD_52 && ciphertext.len() >= S::TUNING.poly1305_min_ciphertext_bytes.of(class) {
        return poly1305::padded_and_lengths(token, mac, ciphertext, lengths);
    }
    if const { may_authenticate_in_rows::<S>() } {
        return finish_mac(poly1305::padded_end(token, mac, ciphertext), &[], lengths);
    }
    finish_mac(mac, ciphertext, lengths)
}

/// Returns whether some messages of this plan are long enough for Poly1305 on vectors, if these
/// have no products of 52 bits. Where [`super::interleaved`] is in use, it takes the longer
/// messages.
const fn may_authenticate_in_rows<S: Simd>() -> bool {
    let tuning = S::TUNING;
    let longest = tuning.short_max_bytes.most();
    !S::MUL_ADD_52 && !tuning.authenticate_between_rounds && longest >= tuning.poly1305_min_bytes.least()
}

/// Does the same as [`open`]. `key_stream` holds zeros, which are overwritten with the key stream.
/// The buffers of all lengths share one copy of this function.
fn open_behind_block_0<S: Simd>(
    token: S,
    class: CpuClass,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    message: impl Ciphertext,
    key_stream: &mut [u8],
) -> Result<(), OpenError> {
    token.enter_apart(
        #[inline(always)]
        |token| {
            let (first, rest) = key_stream.split_at_mut(set_bytes::<S>());
            sets::xor::<_, ROUNDS>(token.for_cipher(), state, KEY_BLOCK, first, rest);
            open_with(token, class, aad, tag, message, key_stream)
        },
    )
}

/// Does the same as [`open`], with the given key stream, block 0 first.
#[inline(always)]
fn open_with<S: Simd>(
    token: S,
    class: CpuClass,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Ciphertext,
    key_stream: &[u8],
) -> Result<(), OpenError> {
    let mac = begin_mac(key_stream, aad);
    let input = message.input();
    let length = input.len();
    let result = verify(&authenticate(token, class, mac, input, &lengths(aad.len(), length)), tag);
    if result.is_ok() {
        xor_bytes(message.upto(length), &key_stream[BLOCK_BYTES..]);
    }
    result
}

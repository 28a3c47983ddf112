//! Messages of middle length where the CPU does vector and scalar work side by side: while the key stream of a group of blocks is
//! made, the group before it is authenticated.

use sealane_simd::{Horner, Simd, Words};

use super::one_shot::{Message, counter};
use super::short::{MAX_AAD_BYTES, encrypt_head, lengths, one_time_key};
use crate::chacha20::BLOCK_BYTES;
use crate::chacha20::kernel::{self, Beside, Rows, State, UseRows, xor_bytes, xor_rows};
use crate::poly1305::{Short, horner_step, tags_equal};
use crate::wipe::wipe;
use crate::{OpenError, Tag};

/// Length of a message from which two passes are faster, as measured on Zen 3: a vector of blocks takes fewer instructions than as
/// many blocks on 64-bit integers.
const TWO_PASS_BYTES: usize = 4608;
/// Key stream that opening keeps: a group.
const GROUP_BYTES: usize = 512;

/// Whether [`seal`] and [`open`] take such a message, which is longer than [`super::short::takes`].
#[inline(always)]
pub(super) fn takes<S: Simd>(aad: &[u8], length: usize) -> bool {
    const { assert!(!S::SCALAR_BESIDE || kernel::group_bytes::<S>() == GROUP_BYTES, "one group is kept") };
    S::SCALAR_BESIDE && aad.len() <= MAX_AAD_BYTES && length < TWO_PASS_BYTES
}

/// As [`super::one_shot::seal`].
#[inline(always)]
pub(super) fn seal<S: Simd>(token: S, state: &State, aad: &[u8], mut message: impl Message) -> Tag {
    let length = message.input().len();
    let (mut start, mut end) = (0, GROUP_BYTES - BLOCK_BYTES);
    let head = SealHead(message.upto(end));
    let mut mac = kernel::rows::<S, _, 20, false>(token, state, 0, GROUP_BYTES, head).padded(aad);
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        let (before, group) = message.upto(next)[start..].split_at_mut(end - start);
        let work = Seal { mac, before, group };
        mac = kernel::rows::<S, _, 20, false>(token, state, counter(end), next - end, work);
        (start, end) = (end, next);
    }
    mac.padded(&message.upto(end)[start..]).block(&lengths(aad.len(), length)).tag()
}

/// As [`super::one_shot::open`]: decrypts while it authenticates, and encrypts again if the message turns out to be a forgery.
#[inline(always)]
pub(super) fn open<S: Simd>(
    token: S,
    state: &State,
    aad: &[u8],
    tag: &Tag,
    mut message: impl Message,
) -> Result<(), OpenError> {
    let length = message.input().len();
    let (mut start, mut end) = (0, GROUP_BYTES - BLOCK_BYTES);
    // From `ready_from` on, the key stream of the bytes from `start` to `end`; those before are decrypted.
    let mut ready = [0; GROUP_BYTES];
    let mut ready_from = BLOCK_BYTES;
    kernel::rows::<S, _, 20, false>(token, state, 0, GROUP_BYTES, Keep(&mut ready));
    let mut mac = Short::new(one_time_key(&ready)).padded(aad);
    while end < length {
        let next = length.min(end + GROUP_BYTES);
        let work = Open { mac, before: &mut message.upto(end)[start..], ready: &mut ready, ready_from };
        mac = kernel::rows::<S, _, 20, false>(token, state, counter(end), next - end, work);
        (start, end, ready_from) = (end, next, 0);
    }
    let mac = mac.padded(&message.input()[start..]).block(&lengths(aad.len(), length));
    let result = tags_equal(&mac.tag(), tag);
    if result.is_ok() {
        xor_bytes(&mut message.upto(end)[start..], &ready[ready_from..]);
    } else {
        message.take_back(
            #[inline(always)]
            |message| kernel::apply::<_, 20, false>(token, state, counter(0), &mut message[..start]),
        );
    }
    wipe(&mut ready);
    result
}

/// Authentication beside the cipher.
enum Authenticate {}

impl Beside for Authenticate {
    const ACTIVE: bool = true;

    #[inline(always)]
    fn step(horner: &mut Horner<'_>) {
        horner_step(horner);
    }
}

struct SealHead<'a>(&'a mut [u8]);

impl UseRows for SealHead<'_> {
    type Output = Short;
    type Beside = ();

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) -> Short {
        encrypt_head(&rows, self.0)
    }
}

/// Encryption of `group` while `before` is authenticated.
struct Seal<'a> {
    mac: Short,
    before: &'a [u8],
    group: &'a mut [u8],
}

impl UseRows for Seal<'_> {
    type Output = Short;
    type Beside = Authenticate;

    #[inline(always)]
    fn beside(&self) -> Horner<'_> {
        self.mac.horner(self.before)
    }

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], h: [u64; 3], taken: usize) -> Short {
        xor_rows(&rows, self.group);
        self.mac.after_horner(h, taken, self.before)
    }
}

/// Decryption of `before` once it is authenticated, and the key stream of the next group.
struct Open<'a> {
    mac: Short,
    before: &'a mut [u8],
    ready: &'a mut [u8; GROUP_BYTES],
    ready_from: usize,
}

impl UseRows for Open<'_> {
    type Output = Short;
    type Beside = Authenticate;

    #[inline(always)]
    fn beside(&self) -> Horner<'_> {
        self.mac.horner(self.before)
    }

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], h: [u64; 3], taken: usize) -> Short {
        let mac = self.mac.after_horner(h, taken, self.before);
        xor_bytes(self.before, &self.ready[self.ready_from..]);
        Keep(self.ready).with(rows, h, taken);
        mac
    }
}

/// Nothing but the key stream.
struct Keep<'a>(&'a mut [u8; GROUP_BYTES]);

impl UseRows for Keep<'_> {
    type Output = ();
    type Beside = ();

    #[inline(always)]
    fn with<W: Words, const SETS: usize>(self, rows: [Rows<W>; SETS], _: [u64; 3], _: usize) {
        for (&Rows(a, b, c, d), set) in rows.iter().zip(self.0.chunks_exact_mut(W::ROWS * BLOCK_BYTES)) {
            set.fill(0);
            W::xor_rows(a, b, c, d, set);
        }
    }
}

//! Arithmetic on blocks of 64 elements: values of polynomials, and linear combinations.

use sealane_simd::tuning::{SHAMIR_COEFFICIENT_BLOCKS, SHAMIR_COMBINE_PIECE_BYTES};
use sealane_simd::{Gf8, Gf8Bytes};

use super::coefficients::Coefficients;
use super::field;
use super::points::Points;
use crate::wipe::wipe;

/// 64 elements: the same byte of 64 polynomials or shares. A block is as long as a block of the key
/// stream, and a whole number of vectors on every backend.
pub(crate) type Block = [u8; BLOCK_BYTES];
pub(crate) const BLOCK_BYTES: usize = 64;

/// The number of blocks of coefficients that are computed at once for short secrets. This limits
/// the stack to 1 KiB, for which a microcontroller has room, and the buffer that must be zeroed.
const SHORT_COEFFICIENT_BLOCKS: usize = 16;
/// The number of shares combined at once, for which [`combine`] has a loop each. The tables of four
/// factors take half of the sixteen registers of AVX2.
const ROWS: usize = 4;

/// Sets every share to the value of the polynomials at its point. With `ADD`, it instead adds the
/// values of polynomials that are 0 at 0. All shares have the same length.
#[inline(always)]
pub(super) fn share<G: Gf8, const ADD: bool>(
    token: G,
    threshold: usize,
    points: &Points,
    coefficients: &mut Coefficients,
    secret: &[u8],
    shares: &mut [&mut [u8]],
) {
    let length = if ADD { shares[0].len() } else { secret.len() };
    let blocks = (coefficients.offset() + length).div_ceil(BLOCK_BYTES);
    let per_block = threshold - 1;
    if blocks.saturating_mul(per_block) <= SHORT_COEFFICIENT_BLOCKS {
        let buffer = &mut [[0; BLOCK_BYTES]; SHORT_COEFFICIENT_BLOCKS];
        share_with::<G, ADD>(token, buffer, per_block, points, coefficients, secret, shares);
    } else {
        share_long::<G, ADD>(token, per_block, points, coefficients, secret, shares);
    }
}

/// Does the same as [`share`] with a large buffer.
// Not inlined, so that short secrets need no stack frame for the large buffer. A microcontroller
// has no room for it.
#[inline(never)]
fn share_long<G: Gf8, const ADD: bool>(
    token: G,
    per_block: usize,
    points: &Points,
    coefficients: &mut Coefficients,
    secret: &[u8],
    shares: &mut [&mut [u8]],
) {
    let buffer = &mut [[0; BLOCK_BYTES]; SHAMIR_COEFFICIENT_BLOCKS];
    share_with::<G, ADD>(token, buffer, per_block, points, coefficients, secret, shares);
}

/// Does the same as [`share`] with the given buffer for coefficients, which is wiped. All callers
/// share one copy of this function.
fn share_with<G: Gf8, const ADD: bool>(
    token: G,
    buffer: &mut [Block],
    per_block: usize,
    points: &Points,
    coefficients: &mut Coefficients,
    secret: &[u8],
    shares: &mut [&mut [u8]],
) {
    token.enter_apart(
        #[inline(always)]
        |token| share_inlined::<G, ADD>(token, buffer, per_block, points, coefficients, secret, shares),
    );
}

#[inline(always)]
fn share_inlined<G: Gf8, const ADD: bool>(
    token: G,
    buffer: &mut [Block],
    per_block: usize,
    points: &Points,
    coefficients: &mut Coefficients,
    secret: &[u8],
    shares: &mut [&mut [u8]],
) {
    let length = if ADD { shares[0].len() } else { secret.len() };
    let most_blocks = buffer.len() / per_block.max(1);
    let mut start = 0;
    while start < length {
        let offset = coefficients.offset();
        let bytes = (most_blocks * BLOCK_BYTES - offset).min(length - start);
        let blocks = (offset + bytes).div_ceil(BLOCK_BYTES);
        let random = &mut buffer[..blocks * per_block];
        coefficients.fill(token.for_chacha(), per_block, random.as_flattened_mut());
        coefficients.advance(bytes);

        // The loop takes the end of a started block, then whole blocks, then the start of a block.
        let end = start + bytes;
        let mut random = &*random;
        let mut offset = offset;
        while start < end {
            let whole = if offset == 0 { (end - start) / BLOCK_BYTES } else { 0 };
            let length = if whole > 0 { whole * BLOCK_BYTES } else { (BLOCK_BYTES - offset).min(end - start) };
            let (now, later) = random.split_at(whole.max(1) * per_block);
            let part = Part { random: now, per_block, start, length, offset };
            part.share::<G, ADD>(token, points, secret, shares);
            (start, random, offset) = (start + length, later, 0);
        }
    }
    wipe(buffer.as_flattened_mut());
}

/// Whole blocks of the secret, or part of one.
struct Part<'a> {
    /// The random coefficients.
    random: &'a [Block],
    /// The number of coefficient blocks for each block of the secret.
    per_block: usize,
    /// The position in the secret.
    start: usize,
    length: usize,
    /// The position in the first block.
    offset: usize,
}

/// The largest number of shares at points that differ in their three low bits only.
const GROUP: usize = 8;

impl Part<'_> {
    fn range(&self) -> core::ops::Range<usize> {
        self.start..self.start + self.length
    }

    fn is_whole(&self) -> bool {
        self.offset == 0 && self.length.is_multiple_of(BLOCK_BYTES)
    }

    #[inline(always)]
    fn share<G: Gf8, const ADD: bool>(&self, token: G, points: &Points, secret: &[u8], shares: &mut [&mut [u8]]) {
        let secret = if ADD { &[][..] } else { &secret[self.range()] };
        let mut padded = [[0; BLOCK_BYTES]];
        let secret = if self.is_whole() {
            secret.as_chunks().0
        } else {
            if !ADD {
                padded[0][self.offset..][..self.length].copy_from_slice(secret);
            }
            &padded[..]
        };
        match self.per_block {
            1 => self.share_groups::<G, ADD, false>(token, points, secret, shares),
            2 => self.share_groups::<G, ADD, true>(token, points, secret, shares),
            _ => self.share_each::<G, ADD>(token, points, secret, shares),
        }
        if !self.is_whole() {
            wipe(padded.as_flattened_mut());
        }
    }

    /// Does the work of [`share`] on this part for a threshold of 2 or, with `SQUARES`, 3.
    #[inline(always)]
    fn share_groups<G: Gf8, const ADD: bool, const SQUARES: bool>(
        &self,
        token: G,
        points: &Points,
        secret: &[Block],
        shares: &mut [&mut [u8]],
    ) {
        let mut groups = points.iter().fold(0_u32, |groups, point| groups | 1 << (point >> 3));
        while groups != 0 {
            let group = groups.trailing_zeros() as u8;
            groups &= groups - 1;
            let members = || points.iter().enumerate().filter(|(_, point)| **point >> 3 == group);
            let slot = |point: u8| usize::from(point & 7);
            let mut slots: [Option<&mut [Block]>; GROUP] = [const { None }; GROUP];
            let mut padded = None;
            if self.is_whole() {
                for (point, share) in points.iter().zip(shares.iter_mut()) {
                    if point >> 3 == group {
                        slots[slot(*point)] = Some(share[self.range()].as_chunks_mut().0);
                    }
                }
            } else {
                let padded = padded.insert([[[0; BLOCK_BYTES]]; GROUP]);
                for (i, point) in members().filter(|_| ADD) {
                    padded[slot(*point)][0][self.offset..][..self.length].copy_from_slice(&shares[i][self.range()]);
                }
                for (slot, padded) in slots.iter_mut().zip(padded) {
                    *slot = Some(padded);
                }
            }
            group_of_shares::<G, ADD, SQUARES>(token, group << 3, secret, self.random, &mut slots);
            if let Some(padded) = &mut padded {
                for (i, point) in members() {
                    shares[i][self.range()].copy_from_slice(&padded[slot(*point)][0][self.offset..][..self.length]);
                }
                wipe(padded.as_flattened_mut().as_flattened_mut());
            }
        }
    }

    /// Does the work of [`share`] on this part for any threshold.
    #[inline(always)]
    fn share_each<G: Gf8, const ADD: bool>(
        &self,
        token: G,
        points: &Points,
        secret: &[Block],
        shares: &mut [&mut [u8]],
    ) {
        for (point, share) in points.iter().zip(shares) {
            let share = &mut share[self.range()];
            let mut padded = [[0; BLOCK_BYTES]];
            let blocks = if self.is_whole() {
                share.as_chunks_mut().0
            } else {
                if ADD {
                    padded[0][self.offset..][..self.length].copy_from_slice(share);
                }
                &mut padded
            };
            horner::<G, ADD>(token, *point, secret, self.random, self.per_block, blocks);
            if !self.is_whole() {
                share.copy_from_slice(&padded[0][self.offset..][..self.length]);
                wipe(padded.as_flattened_mut());
            }
        }
    }
}

/// Writes s + c1 x (+ c2 x^2) to the slots, of which slot i is for the point `high` + i. With
/// `ADD`, adds the values without s to the slots.
///
/// x and x^2 are linear over GF(2), so the value at a sum of points is a sum of values. The values
/// at `high`, 1, 2 and 4 give all eight.
#[inline(always)]
fn group_of_shares<G: Gf8, const ADD: bool, const SQUARES: bool>(
    token: G,
    high: u8,
    secret: &[Block],
    random: &[Block],
    slots: &mut [Option<&mut [Block]>; GROUP],
) {
    type V<G> = <G as Gf8>::Bytes;
    let factor = |x| V::<G>::factor(token, x);
    let at_high = (factor(high), factor(field::mul(high, high)));
    let at_2 = (factor(2), factor(4));
    let at_4 = (factor(4), factor(16));
    let per_block = if SQUARES { 2 } else { 1 };
    for (block, random) in random.chunks_exact(per_block).enumerate() {
        for start in (0..BLOCK_BYTES).step_by(V::<G>::BYTES) {
            let c1 = V::<G>::load(token, &random[0][start..]);
            let c2 = if SQUARES { V::<G>::load(token, &random[1][start..]) } else { V::<G>::zero(token) };
            let (m1, m2) = (c1.multiplicand(), c2.multiplicand());
            let at = |factors: (<V<G> as Gf8Bytes>::Factor, _)| {
                let value = V::<G>::mul(m1, factors.0);
                if SQUARES { value.xor(V::<G>::mul(m2, factors.1)) } else { value }
            };
            let mut v0 = if ADD { V::<G>::zero(token) } else { V::<G>::load(token, &secret[block][start..]) };
            if high != 0 {
                v0 = v0.xor(at(at_high));
            }
            let (d1, d2, d4) = (if SQUARES { c1.xor(c2) } else { c1 }, at(at_2), at(at_4));
            let v1 = v0.xor(d1);
            let (v2, v3) = (v0.xor(d2), v1.xor(d2));
            let values = [v0, v1, v2, v3, v0.xor(d4), v1.xor(d4), v2.xor(d4), v3.xor(d4)];
            macro_rules! store {
                ($($i:literal)*) => {$(
                    if let Some(share) = &mut slots[$i] {
                        let share = &mut share[block][start..];
                        let value = if ADD { values[$i].xor(V::<G>::load(token, share)) } else { values[$i] };
                        value.store(share);
                    }
                )*};
            }
            store!(0 1 2 3 4 5 6 7);
        }
    }
}

/// Computes the values of polynomials at `point`, by Horner's rule. With `ADD`, adds them to the
/// share.
#[inline(always)]
fn horner<G: Gf8, const ADD: bool>(
    token: G,
    point: u8,
    secret: &[Block],
    random: &[Block],
    per_block: usize,
    share: &mut [Block],
) {
    type V<G> = <G as Gf8>::Bytes;
    let factor = V::<G>::factor(token, point);
    for (block, share) in share.iter_mut().enumerate() {
        let random = &random[block * per_block..][..per_block];
        for start in (0..BLOCK_BYTES).step_by(V::<G>::BYTES) {
            let mut value = V::<G>::zero(token);
            for coefficient in random.iter().rev() {
                let sum = value.xor(V::<G>::load(token, &coefficient[start..]));
                value = V::<G>::mul(sum.multiplicand(), factor);
            }
            let rest = if ADD { &share[start..] } else { &secret[block][start..] };
            value.xor(V::<G>::load(token, rest)).store(&mut share[start..]);
        }
    }
}

/// Computes the sum of the inputs, each times its public factor. All inputs are as long as `out`.
#[inline(always)]
pub(super) fn combine<G: Gf8>(token: G, factors: &[u8], inputs: &[&[u8]], out: &mut [u8]) {
    let mut start = 0;
    for out in out.chunks_mut(SHAMIR_COMBINE_PIECE_BYTES) {
        let mut accumulate = false;
        let length = out.len();
        for (factors, inputs) in factors.chunks(ROWS).zip(inputs.chunks(ROWS)) {
            macro_rules! rows {
                ($($n:literal)*) => {
                    match factors.len() {
                        $($n => {
                            let factors: &[u8; $n] = factors.try_into().expect("one factor for each row");
                            let mut pieces = [&[][..]; $n];
                            for (piece, input) in pieces.iter_mut().zip(inputs) {
                                *piece = &input[start..][..length];
                            }
                            linear::<G, $n>(token, factors, &pieces, accumulate, out);
                        })*
                        _ => unreachable!("no more than {ROWS} at once"),
                    }
                };
            }
            rows!(1 2 3 4);
            accumulate = true;
        }
        start += length;
    }
}

#[inline(always)]
fn linear<G: Gf8, const N: usize>(token: G, factors: &[u8; N], inputs: &[&[u8]; N], accumulate: bool, out: &mut [u8]) {
    type V<G> = <G as Gf8>::Bytes;
    let mut prepared = [V::<G>::factor(token, 0); N];
    for i in 0..N {
        prepared[i] = V::<G>::factor(token, factors[i]);
    }
    let bytes = V::<G>::BYTES;
    let whole = out.len() - out.len() % bytes;
    let mut at = 0;
    while at < whole {
        let out = &mut out[at..at + bytes];
        let mut sum = if accumulate { V::<G>::load(token, out) } else { V::<G>::zero(token) };
        for i in 0..N {
            let input = V::<G>::load(token, &inputs[i][at..at + bytes]);
            sum = sum.xor(V::<G>::mul(input.multiplicand(), prepared[i]));
        }
        sum.store(out);
        at += bytes;
    }
    if at < out.len() {
        let out = &mut out[at..];
        let mut padded = [0; BLOCK_BYTES];
        if accumulate {
            padded[..out.len()].copy_from_slice(out);
        }
        let mut sum = V::<G>::load(token, &padded);
        for i in 0..N {
            padded[..out.len()].copy_from_slice(&inputs[i][at..]);
            sum = sum.xor(V::<G>::mul(V::<G>::load(token, &padded).multiplicand(), prepared[i]));
        }
        sum.store(&mut padded);
        out.copy_from_slice(&padded[..out.len()]);
        wipe(&mut padded);
    }
}

//! An operation of two instructions: what a field multiplication or a hash is made of.

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes, dispatch};

use super::{Operation, detected};

/// Multiply-adds in each call, each of which needs the result of the one before.
const PER_CALL: u32 = 16;

/// x ← (x mod 2^32)^2 + c in each 64-bit lane, 16 times.
pub(super) struct MultiplyAdd;

#[derive(Clone, PartialEq)]
pub(super) struct Lanes {
    x: [u64; MAX_U64_LANES],
    c: u64,
}

#[inline(always)]
fn multiply_add<S: Simd>(x: S::U64Lanes, c: S::U64Lanes) -> S::U64Lanes {
    // The compiler sees that a chain of these needs no high halves, drops the masks, forgets why it could, and emulates a
    // multiplication of 64 bits.
    let x = x.opaque();
    x.mul_low(x).add(c)
}

/// The inner operation on its own: operands come from memory, and the result goes there.
#[inline(always)]
fn on_memory<S: Simd>(token: S, lanes: &mut Lanes) {
    let x = S::U64Lanes::from_lanes(token, &lanes.x);
    lanes.x = multiply_add::<S>(x, S::U64Lanes::splat(token, lanes.c)).to_lanes();
}

impl Operation for MultiplyAdd {
    type Data = Lanes;

    const NAME: &'static str = "multiply-add";
    const DESCRIPTION: &'static str =
        "multiplication (32×32→64 bits) and addition in a vector's lanes, 16 in each call; leaf: each of them";
    const PER_CALL: u32 = PER_CALL;

    fn data() -> Lanes {
        // Above 2^32, so that the high half, which the multiplication ignores, is never zero for long.
        Lanes { x: [0x1234_5678_9abc_def1; MAX_U64_LANES], c: 0x9e37_79b9_7f4a_7c15 }
    }

    #[inline(always)]
    fn call<S: Simd>(token: S, lanes: &mut Lanes) {
        Self::repeat(token, 1, lanes);
    }

    fn call_leaf(lanes: &mut Lanes) {
        for _ in 0..PER_CALL {
            dispatch!(detected(), token => on_memory(token, lanes));
        }
    }

    /// The lanes stay in a register from call to call.
    #[inline(always)]
    fn repeat<S: Simd>(token: S, calls: u64, lanes: &mut Lanes) {
        let mut x = S::U64Lanes::from_lanes(token, &lanes.x);
        let c = S::U64Lanes::splat(token, lanes.c);
        for _ in 0..calls {
            for _ in 0..PER_CALL {
                x = multiply_add::<S>(x, c);
            }
        }
        lanes.x = x.to_lanes();
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All lanes that a vector has hold the same; the others are unused.
    pub(in super::super) fn check(lanes: &Lanes, calls: u64) {
        let Lanes { x: [mut x, ..], c } = MultiplyAdd::data();
        for _ in 0..calls * u64::from(PER_CALL) {
            x = (x & 0xffff_ffff).pow(2).wrapping_add(c);
        }
        assert_eq!(lanes.x[..2], [x, x]);
        assert!(lanes.x[2..].iter().all(|&lane| lane == x || lane == 0));
    }
}

//! Numbers in five limbs of 26 bits. Each of five vectors holds one limb of all numbers, and each
//! lane belongs to one number.

use sealane_simd::{Simd, U64Lanes};

use super::field::LIMB;

/// Splits numbers of 128 bits, given as their low and high halves, into limbs of 26 bits.
#[inline(always)]
pub(super) fn limbs<S: Simd>(token: S, low: S::U64Lanes, high: S::U64Lanes) -> [S::U64Lanes; 5] {
    let limb = S::U64Lanes::splat(token, LIMB);
    [
        low.and(limb),
        low.shr::<26>().and(limb),
        low.shr::<52>().or(high.shl::<12>()).and(limb),
        high.shr::<14>().and(limb),
        high.shr::<40>(),
    ]
}

/// Propagates carries. Each limb must be below 2^64 - 2^40, and becomes at most 2^26 + 2^16.
#[inline(always)]
pub(super) fn carry<S: Simd>(token: S, mut h: [S::U64Lanes; 5]) -> [S::U64Lanes; 5] {
    let limb = S::U64Lanes::splat(token, LIMB);
    let carry = |h: &mut [S::U64Lanes; 5], i: usize| {
        let above = h[i].shr::<26>();
        h[i] = h[i].and(limb);
        h[i + 1] = h[i + 1].add(above);
    };
    // Two chains of carries side by side: limbs 0, 1, 2, 3, 4 and limbs 3, 4, 0, 1.
    carry(&mut h, 0);
    carry(&mut h, 3);
    carry(&mut h, 1);
    let above = h[4].shr::<26>();
    h[4] = h[4].and(limb);
    h[0] = h[0].add(above).add(above.shl::<2>());
    carry(&mut h, 2);
    carry(&mut h, 0);
    carry(&mut h, 3);
    h
}

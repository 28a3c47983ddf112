//! The powers and factors that rows are multiplied by. [`super`] defines N and R.

use sealane_simd::{Pair, PairTable, Simd, U64Lanes};

use super::{MAX_ROWS, multiply_add, opaque, times_5};
use crate::poly1305::field::LIMB;
use crate::poly1305::limbs26::carry;
use crate::wipe::wipe;

/// A power R^j and its multiples by 2^32, 2^64 and 2^96. In `[i]`, the even half is limb i of R^j,
/// and the odd half is limb i of 2^64 R^j. In `[5 + i]`, the halves are limbs of 2^32 R^j and 2^96
/// R^j.
pub(in crate::poly1305) type Shifted = [Pair; 10];

/// The powers …, R^3, R^2, R^1 in this order, as many as are needed.
#[derive(Clone)]
pub(crate) struct Powers(PairTable<MAX_ROWS, 10>);

impl Powers {
    #[inline(always)]
    pub(in crate::poly1305) fn new() -> Self {
        Self(PairTable::new())
    }

    /// Does the same as [`Powers::new`], for a value on the heap.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(super) fn zeroed() -> Self {
        Self(PairTable::zeroed())
    }

    #[inline(always)]
    pub(in crate::poly1305) fn rows(&self) -> &[Shifted] {
        self.0.rows()
    }

    /// Computes the first `count` powers of R. `count` is a multiple of the number of lanes, N. The
    /// lanes of `r` are r^N … r^1, in the order of the blocks.
    #[inline(always)]
    pub(super) fn fill<S: Simd>(&mut self, token: S, r: &[S::U64Lanes; 5], count: usize) {
        self.clear();
        // r^j to the power of N is R^j.
        let zero = [S::U64Lanes::splat(token, 0); 5];
        let mut power = *r;
        for _ in 0..S::U64Lanes::LANES.ilog2() {
            power = carry(token, multiply_add(&opaque(&power), &opaque(&power), &times_5(&power), zero));
        }
        loop {
            self.push(&multiples(token, &power));
            if self.rows().len() >= count {
                return;
            }
            // Multiplied by R^N, these N powers give the next N powers.
            let rows = self.rows();
            let step = Factors::new(limbs(&rows[rows.len() - S::U64Lanes::LANES]), [0; 5]);
            power = carry(token, step.multiply_add(token, &power));
        }
    }

    /// Puts the powers in the lanes of `columns` before the existing powers.
    #[inline(always)]
    pub(in crate::poly1305) fn push<W: U64Lanes>(&mut self, columns: &[(W, W); 10]) {
        self.0.push(columns);
    }

    #[inline(always)]
    fn clear(&mut self) {
        // This works row by row. For a longer piece of memory, the compiler would call a system
        // function.
        self.0.clear(
            #[inline(always)]
            |row| wipe(row),
        );
    }
}

impl Drop for Powers {
    #[inline(always)]
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns the multiples of the power in each lane by 1, 2^32, 2^64 and 2^96, as in [`Shifted`].
#[inline(always)]
fn multiples<S: Simd>(token: S, power: &[S::U64Lanes; 5]) -> [(S::U64Lanes, S::U64Lanes); 10] {
    let [p0, p1, p2, p3, _] = *power;
    let [_, _, f2, f3, f4] = times_5(power);
    // 2^32 = 2^26 2^6, 2^64 = 2^52 2^12 and 2^96 = 2^78 2^18: limbs move up, and those that leave
    // at the top come back at the bottom, times 5, because 2^130 = 5. They stay below 2^47.
    let by_32 = [f4.shl::<6>(), p0.shl::<6>(), p1.shl::<6>(), p2.shl::<6>(), p3.shl::<6>()];
    let by_64 = [f3.shl::<12>(), f4.shl::<12>(), p0.shl::<12>(), p1.shl::<12>(), p2.shl::<12>()];
    let by_96 = [f2.shl::<18>(), f3.shl::<18>(), f4.shl::<18>(), p0.shl::<18>(), p1.shl::<18>()];
    let (by_32, by_64, by_96) = (carry_once(token, by_32), carry_once(token, by_64), carry_once(token, by_96));
    let mut columns = [(p0, p0); 10];
    for i in 0..5 {
        columns[i] = (power[i], by_64[i]);
        columns[5 + i] = (by_32[i], by_96[i]);
    }
    columns
}

/// Carries from each limb to the next. If the limbs are at most (2^26 + 2^16) · 5 · 2^18, the
/// results are below 2^26 + 2^21.
#[inline(always)]
fn carry_once<S: Simd>(token: S, h: [S::U64Lanes; 5]) -> [S::U64Lanes; 5] {
    let limb = S::U64Lanes::splat(token, LIMB);
    let top = h[4].shr::<26>();
    [
        h[0].and(limb).add(top.add(top.shl::<2>())),
        h[1].and(limb).add(h[0].shr::<26>()),
        h[2].and(limb).add(h[1].shr::<26>()),
        h[3].and(limb).add(h[2].shr::<26>()),
        h[4].and(limb).add(h[3].shr::<26>()),
    ]
}

/// Returns the limbs of R^j.
#[inline(always)]
fn limbs(power: &Shifted) -> [u64; 5] {
    [power[0].even(), power[1].even(), power[2].even(), power[3].even(), power[4].even()]
}

/// The factors that are computed once for a number of rows, k.
#[derive(Clone)]
pub(super) struct Factors {
    /// R^k.
    limbs: [u32; 5],
    /// Five times each limb.
    times_5: [u32; 5],
    /// 2^128 (R^0 + … + R^(k-1)), not reduced.
    ones: [u64; 5],
}

impl Factors {
    /// Takes R^k in limbs of little more than 26 bits, and [`Factors::ones`].
    #[inline(always)]
    pub(super) fn new(limbs: [u64; 5], ones: [u64; 5]) -> Self {
        debug_assert!(limbs.iter().all(|limb| limb >> 32 == 0), "factors have 32 bits");
        let limbs = limbs.map(|limb| limb as u32);
        Self { limbs, times_5: limbs.map(|limb| 5 * limb), ones }
    }

    /// Computes the factors for `count` rows. `sums` must have been used only for fewer rows, or
    /// not at all.
    #[inline(always)]
    pub(super) fn of(powers: &[Shifted], count: usize, sums: &mut Sums) -> Self {
        let end = powers.len();
        for power in powers[end - count..end - sums.count].iter().rev() {
            for (sum, limb) in sums.below.iter_mut().zip(sums.power) {
                *sum += limb;
            }
            sums.power = limbs(power);
        }
        sums.count = count;
        // 2^128 = 2^104 2^24: limbs move up by four. A limb that leaves at the top moves down by
        // one instead, times 5, because 2^130 = 5. They stay below 2^57.
        let [s0, s1, s2, s3, s4] = sums.below;
        debug_assert!(sums.below.iter().all(|sum| sum >> 31 == 0), "the sums of powers have 31 bits");
        Self::new(sums.power, [(5 * s1) << 24, (5 * s2) << 24, (5 * s3) << 24, (5 * s4) << 24, s0 << 24])
    }

    /// Returns the product of `h` and R^k, plus the ones, without carries. The limbs of `h` are
    /// below 2^28.
    #[inline(always)]
    pub(super) fn multiply_add<S: Simd>(&self, token: S, h: &[S::U64Lanes; 5]) -> [S::U64Lanes; 5] {
        let splat = |limbs: &[u32; 5]| {
            let splat = |i: usize| S::U64Lanes::splat_low(token, limbs[i]);
            [splat(0), splat(1), splat(2), splat(3), splat(4)]
        };
        let ones = |i: usize| S::U64Lanes::splat(token, self.ones[i]);
        let ones = [ones(0), ones(1), ones(2), ones(3), ones(4)];
        multiply_add(&opaque(h), &splat(&self.limbs), &splat(&self.times_5), ones)
    }
}

/// R^0 + … + R^(count - 1), not reduced: each limb is the sum of up to 16 limbs of little more than
/// 26 bits.
pub(super) struct Sums {
    count: usize,
    below: [u64; 5],
    /// R^count.
    power: [u64; 5],
}

impl Sums {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { count: 0, below: [0; 5], power: [1, 0, 0, 0, 0] }
    }
}

impl Drop for Sums {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.below);
        wipe(&mut self.power);
    }
}

impl Drop for Factors {
    #[inline(always)]
    fn drop(&mut self) {
        wipe(&mut self.limbs);
        wipe(&mut self.times_5);
        wipe(&mut self.ones);
    }
}

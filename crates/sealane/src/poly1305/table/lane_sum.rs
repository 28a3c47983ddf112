//! A sum that stays in lanes from one piece of a message to the next. [`super`] defines rows, N and
//! R.

use core::marker::PhantomData;

use sealane_simd::{MAX_U64_LANES, Simd, U64Lanes};

use super::powers::{Factors, Powers, Sums};
use super::{Element, Limbs26, MAX_ROWS, PowersOfR, add_rows, combine, first_row};
use crate::poly1305::BLOCK_BYTES;
use crate::poly1305::accumulator::Accumulator;
use crate::poly1305::lane_sum::{BUFFER_BYTES, LaneSum};
use crate::wipe::wipe;

/// The sum of rows, and the powers of r for further rows.
#[derive(Clone)]
#[repr(C)]
pub(crate) struct LaneSum26 {
    limbs: [[u64; MAX_U64_LANES]; 5],
    /// Empty before the first row.
    powers: Powers,
    /// The factors for a whole group.
    factors: Factors,
}

const _: () = assert!(
    size_of::<LaneSum26>() == size_of::<[[u64; MAX_U64_LANES]; 5]>() + size_of::<Powers>() + size_of::<Factors>(),
    "no padding"
);

impl LaneSum for LaneSum26 {
    const MUL_ADD_52: bool = false;

    fn new() -> Self {
        Self { limbs: [[0; MAX_U64_LANES]; 5], powers: Powers::zeroed(), factors: Factors::new([0; 5], [0; 5]) }
    }

    /// Adds whole rows. The first call continues from `accumulator`.
    #[inline(always)]
    fn add<S: Simd>(&mut self, token: S, accumulator: &Accumulator, rows: &[u8]) {
        if self.has_begun() {
            return self.add_rows(token, rows);
        }
        let (first, rest) = rows.split_at(Group::<S>::ROW_BYTES);
        let mut powers = PowersOfR::new(token, accumulator.r.loaded());
        self.begin(token, &powers.lanes, first_row(token, accumulator.h.loaded(), first));
        powers.wipe(token);
        self.add_rows(token, rest);
    }

    fn has_begun(&self) -> bool {
        !self.powers.rows().is_empty()
    }

    /// Writes the sum with the whole rows of `data` to `accumulator`. Returns the number of bytes
    /// in these rows.
    #[inline(always)]
    fn finish<S: Simd>(&self, token: S, accumulator: &mut Accumulator, data: &[u8]) -> usize {
        let rows = &data[..data.len() - data.len() % Group::<S>::ROW_BYTES];
        let mut powers = PowersOfR::new(token, accumulator.r.loaded());
        accumulator.h = Element::from_limbs(self.sum_with(token, &powers.lanes, rows));
        powers.wipe(token);
        rows.len()
    }
}

impl LaneSum26 {
    /// Computes the powers of R from `lanes`, which has r^N … r^1, and starts with a row.
    #[inline(always)]
    pub(in crate::poly1305) fn begin<S: Simd>(
        &mut self,
        token: S,
        lanes: &Limbs26<S::U64Lanes>,
        row: Limbs26<S::U64Lanes>,
    ) {
        self.powers.fill(token, &lanes.0, Group::<S>::ROWS);
        self.factors = Factors::of(self.powers.rows(), Group::<S>::ROWS, &mut Sums::new());
        self.store(row.0);
    }

    /// Adds rows.
    #[inline(always)]
    pub(in crate::poly1305) fn add_rows<S: Simd>(&mut self, token: S, rows: &[u8]) {
        let h = self.after_rows(token, rows);
        self.store(h);
    }

    /// Returns the sum of all lanes after further rows. `lanes` has r^N … r^1.
    #[inline(always)]
    pub(in crate::poly1305) fn sum_with<S: Simd>(
        &self,
        token: S,
        lanes: &Limbs26<S::U64Lanes>,
        rows: &[u8],
    ) -> [u64; 5] {
        combine(token, &self.after_rows(token, rows), &lanes.0)
    }

    #[inline(always)]
    fn after_rows<S: Simd>(&self, token: S, rows: &[u8]) -> [S::U64Lanes; 5] {
        let powers = self.powers.rows();
        let mut h = self.load(token);
        // An incomplete group comes first, with its own factors.
        let (few, groups) = rows.split_at(rows.len() % Group::<S>::BYTES);
        if !few.is_empty() {
            let factors = Factors::of(powers, few.len() / Group::<S>::ROW_BYTES, &mut Sums::new());
            h = add_rows(token, powers, &factors, &h, few);
        }
        for rows in groups.chunks_exact(Group::<S>::BYTES) {
            h = add_rows(token, powers, &self.factors, &h, rows);
        }
        h
    }

    #[inline(always)]
    fn load<S: Simd>(&self, token: S) -> [S::U64Lanes; 5] {
        let limb = |i: usize| S::U64Lanes::from_lanes(token, &self.limbs[i]);
        [limb(0), limb(1), limb(2), limb(3), limb(4)]
    }

    #[inline(always)]
    fn store<W: U64Lanes>(&mut self, h: [W; 5]) {
        for (limb, lanes) in self.limbs.iter_mut().zip(h) {
            *limb = lanes.to_lanes();
        }
    }
}

impl Drop for LaneSum26 {
    fn drop(&mut self) {
        // The other fields wipe themselves.
        wipe(&mut self.limbs);
    }
}

/// The rows between two carries, on the backend of `S`.
struct Group<S>(PhantomData<S>);

impl<S: Simd> Group<S> {
    const ROW_BYTES: usize = S::U64Lanes::LANES * BLOCK_BYTES;
    const ROWS: usize = {
        let rows = BUFFER_BYTES / Self::ROW_BYTES;
        if rows < MAX_ROWS { rows } else { MAX_ROWS }
    };
    const BYTES: usize = {
        let bytes = Self::ROWS * Self::ROW_BYTES;
        assert!(BUFFER_BYTES.is_multiple_of(bytes), "the buffer has whole groups");
        bytes
    };
}

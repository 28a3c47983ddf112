//! Poly1305 on vectors: messages in raw 32-bit limbs, powers of r in 26-bit limbs.
//!
//! A *row* has one block for each lane of a vector. N is the number of lanes. Each lane is a
//! separate Horner scheme in R = r^N, and the lanes are combined at the end. K rows are added with
//! one carry. If M(j) are the blocks of row j,
//!
//! H ← H R^K + M(0) R^(K-1) + … + M(K-2) R + M(K-1).
//!
//! A block is not split: it stays four 32-bit limbs. A table of 2^(32 i) R^j mod p for i = 0 … 3
//! saves the split into limbs of 26 bits, and the fifth limb: a row takes 20 multiplications
//! instead of 25. The halves of a block even stay in the neighbouring lanes that they are loaded
//! into. Their products are summed separately, and added once for K rows. Each block is completed
//! with 2^128 (RFC 8439, section 2.5). For a given K, the sum of these terms is a constant, which
//! is added once.
//!
//! Sums stay below 2^64: a limb of the table is below 2^26 + 2^21, so a row adds less than 4 · 2^32
//! · (2^26 + 2^21) = 2^60 + 2^55 to a limb, and [`MAX_ROWS`] - 1 = 15 rows less than 2^64 - 2^59. H
//! R^K and the constants together are below 2^58.

#[cfg(feature = "alloc")]
mod lane_sum;
mod powers;

use sealane_simd::tuning::{
    POLY1305_MIN_ROWS_FOR_TABLE as MIN_ROWS_FOR_TABLE, poly1305_rows_per_carry as rows_per_carry,
};
use sealane_simd::{Simd, U64Lanes};

use super::BLOCK_BYTES;
use super::accumulator::Accumulator;
use super::field::Element;
use super::limbs26::{carry, limbs};
use super::rows::{Limbs, Limbs26, PowersOfR, first_row, split_head};
#[cfg(feature = "alloc")]
pub(super) use lane_sum::LaneSum26;
pub(super) use powers::Powers;
pub(super) use powers::Shifted;
use powers::{Factors, Sums};

/// The largest number of rows between two carries.
const MAX_ROWS: usize = 16;

/// Powers of r for vectors. They are computed once a message is long enough, only as many as it
/// needs, and are kept from one piece of the message to the next.
pub(crate) type Table = Option<Powers>;

/// Adds more than a row of whole blocks to `accumulator`.
#[inline(always)]
pub(super) fn blocks<S: Simd>(token: S, accumulator: &mut Accumulator, table: &mut Table, data: &[u8]) {
    let (head, rows) = split_head::<S::U64Lanes>(data);
    let first = first_row(token, accumulator.h.loaded(), head);
    let PowersOfR { mut lanes, step } = PowersOfR::new(token, accumulator.r.loaded());
    let sums = sums_of_rows(token, first, &lanes, &step, table, rows);
    lanes = Limbs26::zero(token);
    zeroize::optimization_barrier(&lanes);
    accumulator.h = Element::from_limbs(sums);
}

/// Returns the new accumulator in five limbs. `h` has the first row, `lanes` the factor that each
/// lane's sum still needs at the end, and `step` is R.
#[inline(always)]
pub(super) fn sums_of_rows<S: Simd>(
    token: S,
    Limbs26(mut h): Limbs26<S::U64Lanes>,
    Limbs26(lanes): &Limbs26<S::U64Lanes>,
    step: &Element,
    table: &mut Table,
    rest: &[u8],
) -> [u64; 5] {
    let row_bytes = S::U64Lanes::LANES * BLOCK_BYTES;
    let count = rest.len() / row_bytes;

    // If `super::rows` processes the short messages on this backend, there are always enough rows
    // for a table.
    let may_be_few = S::TUNING.poly1305_min_bytes_for_table <= MIN_ROWS_FOR_TABLE * row_bytes;
    if may_be_few && count < MIN_ROWS_FOR_TABLE && table.is_none() {
        // One row at a time needs no table.
        let factors = Factors::new(step.limbs(), [0, 0, 0, 0, 1 << 24]);
        for row in rest.chunks_exact(row_bytes) {
            h = carry(token, add_row(token, factors.multiply_add(token, &h), row));
        }
    } else {
        // A piece of a longer message uses the powers that earlier pieces have computed.
        let table = table.get_or_insert_with(Powers::new);
        let group_rows = rows_per_carry(count, S::U64Lanes::LANES);
        if table.rows().len() < group_rows {
            table.fill(token, lanes, group_rows);
        }
        let powers = table.rows();
        // A mask gives the remainder, because the number of powers is a power of two. A division
        // would take as long as a row.
        let mut group_rows = count & (powers.len() - 1);
        let (mut rest, mut sums) = (rest, Sums::new());
        while !rest.is_empty() {
            if group_rows == 0 {
                group_rows = powers.len();
            }
            // An incomplete group comes first. The factors of all others are the same.
            let factors = Factors::of(powers, group_rows, &mut sums);
            loop {
                let (rows, after) = rest.split_at(group_rows * row_bytes);
                h = add_rows(token, powers, &factors, &h, rows);
                rest = after;
                if group_rows < powers.len() || rest.is_empty() {
                    break;
                }
            }
            group_rows = 0;
        }
    }

    combine(token, &h, lanes)
}

/// Multiplies the lanes of `h` by their factors r^N … r^1, which `lanes` has, and returns the sum
/// of all lanes. The sums stay below 2^57 in each lane.
#[inline(always)]
fn combine<S: Simd>(token: S, h: &[S::U64Lanes; 5], lanes: &[S::U64Lanes; 5]) -> [u64; 5] {
    let zero = [S::U64Lanes::splat(token, 0); 5];
    let h = multiply_add(&opaque(h), &opaque(lanes), &times_5(lanes), zero);
    [h[0].sum_lanes(), h[1].sum_lanes(), h[2].sum_lanes(), h[3].sum_lanes(), h[4].sum_lanes()]
}

/// Returns the values, hidden from the compiler.
#[inline(always)]
fn opaque<W: U64Lanes>(h: &[W; 5]) -> [W; 5] {
    [h[0].opaque(), h[1].opaque(), h[2].opaque(), h[3].opaque(), h[4].opaque()]
}

/// Returns five times each limb. Opaque, because factors must be, and because the compiler would
/// turn the shifts into multiplications.
#[inline(always)]
fn times_5<W: U64Lanes>(h: &[W; 5]) -> [W; 5] {
    let times_5 = |limb: W| limb.add(limb.shl::<2>()).opaque();
    [times_5(h[0]), times_5(h[1]), times_5(h[2]), times_5(h[3]), times_5(h[4])]
}

/// Returns `sum` plus a row of blocks, without their 2^128.
#[inline(always)]
fn add_row<S: Simd>(token: S, sum: [S::U64Lanes; 5], row: &[u8]) -> [S::U64Lanes; 5] {
    let (low, high) = S::U64Lanes::load_blocks(token, row);
    let mut limbs = limbs(token, low, high);
    for i in 0..5 {
        limbs[i] = limbs[i].add(sum[i]);
    }
    limbs
}

/// Adds up to one row for each power, with one carry. `factors` must be those for the number of
/// rows.
#[inline(always)]
fn add_rows<S: Simd>(
    token: S,
    powers: &[Shifted],
    factors: &Factors,
    h: &[S::U64Lanes; 5],
    data: &[u8],
) -> [S::U64Lanes; 5] {
    let row_bytes = S::U64Lanes::LANES * BLOCK_BYTES;
    let (rows, last_row) = data.split_at(data.len() - row_bytes);
    let count = rows.len() / row_bytes;

    // The rows wait neither for this product nor for the carry before it.
    let mut sum = factors.multiply_add(token, h);
    let mut first = [S::U64Lanes::splat(token, 0); 5];
    let mut second = first;
    for (row, power) in rows.chunks_exact(row_bytes).zip(&powers[powers.len() - count..]) {
        // Low words of all halves come first, then high words, so that fewer vectors are in use at
        // a time.
        let (mut a, mut b) = S::U64Lanes::load(token, row);
        for i in 0..5 {
            let pair = S::U64Lanes::splat_pair(token, &power[i]);
            first[i] = first[i].add(a.mul_low(pair));
            second[i] = second[i].add(b.mul_low(pair));
        }
        (a, b) = (a.shr::<32>(), b.shr::<32>());
        for i in 0..5 {
            let pair = S::U64Lanes::splat_pair(token, &power[5 + i]);
            first[i] = first[i].add(a.mul_low(pair));
            second[i] = second[i].add(b.mul_low(pair));
        }
    }
    for i in 0..5 {
        let (low, high) = first[i].unpack(second[i]);
        sum[i] = sum[i].add(low.add(high));
    }
    // The last row has the factor 1.
    carry(token, add_row(token, sum, last_row))
}

/// Returns `sum` plus the product of `h` and a factor, without carries. The factor has five limbs,
/// and `times_5` has five times each limb. The limbs of `h` are below 2^28.
#[inline(always)]
fn multiply_add<W: U64Lanes>(h: &[W; 5], limbs: &[W; 5], times_5: &[W; 5], mut sum: [W; 5]) -> [W; 5] {
    // Limb i of h times limb j of the factor goes to limb i + j. Limb 5 and above wrap around,
    // times 5. The order is factor by factor, so that not all of them are in registers at once.
    for j in 0..5 {
        for (i, h) in h.iter().enumerate() {
            let (limb, factor) = if i + j < 5 { (i + j, limbs[j]) } else { (i + j - 5, times_5[j]) };
            sum[limb] = sum[limb].add(h.mul_low(factor));
        }
    }
    sum
}

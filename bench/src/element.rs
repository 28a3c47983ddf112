//! The peers of secret sharing in GF(2^256): NTL, and crates that share 32 bytes one by one in
//! GF(2^8).
//!
//! NTL (feature `ntl`) evaluates and interpolates polynomials over the same field. It draws no
//! random coefficients, and branches on secrets.

#[cfg(feature = "ntl")]
use sealane::gf2n::{Degree, Gf256};
use sealane_workloads::Size;
use sealane_workloads::benchmarks::shamir::SECRET;

use crate::crates::{self, Sharing};
#[cfg(feature = "ntl")]
use crate::peers::ntl::{Ntl, Operation};
use crate::targets::VSSS;
use crate::timed::Row;

/// Returns the peers' rows. The error is the name of a row that combines shares to a wrong secret.
pub fn peers(benchmark: &str, size: Size) -> Result<Vec<Row>, String> {
    let Size::Sharing(threshold, count) = size else { return Ok(Vec::new()) };
    let is_split = benchmark == "shamir-element-split";
    let mut rows = Vec::new();
    #[cfg(feature = "ntl")]
    rows.push(of_ntl(is_split, threshold, count)?);
    // Combines the last `threshold` shares.
    let last: Vec<_> = (count - threshold..count).collect();
    let sharing = Sharing { secret: &SECRET, threshold, count, chosen: &last };
    rows.push(crates::vsss(VSSS, &sharing, is_split)?);
    rows.push(crates::gf256("gf256, 32 x GF(2^8)", &sharing, is_split)?);
    Ok(rows)
}

/// Returns NTL's row, which evaluates or interpolates a polynomial over the same field.
#[cfg(feature = "ntl")]
fn of_ntl(is_split: bool, threshold: usize, count: usize) -> Result<Row, String> {
    const NAME: &str = "NTL, no randomness";
    let points = sealane::shamir::element::compact_points::<Degree<256>>(count).expect("fewer than the field has");
    let [mut coefficients, more] = sealane_workloads::benchmarks::gf2n::operands::<Degree<256>>(usize::MAX);
    coefficients.extend(more);
    coefficients.truncate(threshold);
    let secret = coefficients[0];
    // `Ntl` takes as many coefficients as points, so zeros are appended.
    coefficients.resize(count, Gf256::ZERO);
    let mut split = Ntl::new(&points, &coefficients);
    split.run(Operation::Split);
    let last = count - threshold;
    let mut reconstruct = Ntl::new(&points[last..], &split.results()[last..]);
    reconstruct.run(Operation::Reconstruct);
    if reconstruct.results()[0] != secret {
        return Err(NAME.into());
    }
    Ok(if is_split {
        Row::new(NAME, move || split.run(Operation::Split))
    } else {
        Row::new(NAME, move || reconstruct.run(Operation::Reconstruct))
    })
}

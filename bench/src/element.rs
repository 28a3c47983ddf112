//! Sharing of elements of GF(2^256): splitting, with the randomness, and reconstruction.
//!
//! The peers are NTL, which evaluates and interpolates in the same field (with the feature `ntl`;
//! it draws no coefficients, and branches on secrets), and crates that share 32 bytes one by one in
//! GF(2^8). The rows' secrets are compared.

use std::hint::black_box;

use sealane::chacha20::ChaCha20Rng;
use sealane::gf2n::{Backend, Gf256};
use sealane::shamir::element;
use sealane_measure::Rounds;

#[cfg(feature = "ntl")]
use crate::gf2n::elements;
#[cfg(feature = "ntl")]
use crate::peers::ntl::{Ntl, Operation};
use crate::targets::TIME_TARGETS;
use crate::timed::{self, Row, TimedResult};

pub const SUITE: &str = "shamir_element";
/// Thresholds and shares.
const SHARINGS: [(usize, usize); 4] = [(10, 10), (10, 20), (3, 255), (255, 255)];
const COLUMNS: [&str; SHARINGS.len()] = ["10 of 10", "10 of 20", "3 of 255", "255 of 255"];
const SPLIT: &str = "split";
const RECONSTRUCT: &str = "reconstruct";
const TITLES: [(&str, &str); 2] =
    [(SPLIT, "a secret of 256 bits into all shares"), (RECONSTRUCT, "it from as many as it takes")];

/// Measures all rows.
///
/// # Errors
/// If a row is too fast to be true, or gives a wrong secret; the error names it.
pub fn measure(rounds: &Rounds, quiet: bool) -> Result<Vec<TimedResult>, String> {
    let mut results = Vec::new();
    for (column, (threshold, count)) in COLUMNS.into_iter().zip(SHARINGS) {
        let wrong = |name| format!("{SUITE}: {name} gives a wrong secret, {column}");
        let mut rows = ours(threshold, count).map_err(wrong)?;
        #[cfg(feature = "ntl")]
        rows.extend(of_ntl(threshold, count).map_err(wrong)?);
        rows.extend(byte_wise(threshold, count).map_err(wrong)?);
        results.extend(timed::measure(SUITE, column, rows, rounds, TIME_TARGETS)?);
    }
    if !quiet {
        timed::print(&results, &TITLES, &COLUMNS);
    }
    Ok(results)
}

fn generator() -> ChaCha20Rng {
    ChaCha20Rng::with_backend(&[0x42; 32], sealane::Backend::detect())
}

/// Returns the last `threshold` shares. Their points are not the first numbers.
fn last<T: Clone>(threshold: usize, shares: &[T]) -> Vec<T> {
    shares[shares.len() - threshold..].to_vec()
}

fn ours(threshold: usize, count: usize) -> Result<Vec<Row>, String> {
    let secret = Gf256::from_bytes(&[0x5a; 32]);
    let points = element::compact_points(count).expect("fewer than the field has");
    let mut rows = Vec::new();
    for backend in Backend::available().rev() {
        let name = format!("sealane ({backend})");
        let (mut rng, points) = (generator(), points.clone());
        let split = move |secret: &Gf256, rng: &mut ChaCha20Rng| {
            element::split_with(secret, threshold, &points, rng, backend).expect("a sharing")
        };
        let chosen = last(threshold, &split(&secret, &mut rng));
        let reconstruct =
            move || element::reconstruct_on(threshold, black_box(&chosen), backend).expect("enough shares");
        if reconstruct() != secret {
            return Err(name);
        }
        let split = Row::new(name.clone(), SPLIT, 1, move || drop(black_box(split(black_box(&secret), &mut rng))));
        let reconstruct = Row::new(name, RECONSTRUCT, 1, move || {
            black_box(reconstruct());
        });
        rows.extend([split, reconstruct].map(|row| Row { chosen: backend == Backend::detect(), ..row }));
    }
    Ok(rows)
}

/// Returns NTL's rows: fast evaluation and interpolation, in the same field.
#[cfg(feature = "ntl")]
fn of_ntl(threshold: usize, count: usize) -> Result<[Row; 2], String> {
    let points = element::compact_points::<sealane::gf2n::Degree<256>>(count).expect("fewer than the field has");
    let mut coefficients = elements(threshold, &mut generator());
    let secret = coefficients[0];
    // Evaluation takes the same number of coefficients and points.
    coefficients.resize(count, Gf256::ZERO);
    let mut split = Ntl::new(&points, &coefficients);
    split.run(Operation::Split);
    let mut reconstruct = Ntl::new(&last(threshold, &points), &last(threshold, &split.results()));
    reconstruct.run(Operation::Reconstruct);
    if reconstruct.results()[0] != secret {
        return Err("NTL".into());
    }
    Ok([
        Row::new("NTL, no randomness", SPLIT, 1, move || split.run(Operation::Split)),
        Row::new("NTL, no randomness", RECONSTRUCT, 1, move || reconstruct.run(Operation::Reconstruct)),
    ])
}

/// Returns rows that share the same secret as 32 bytes, each separately.
fn byte_wise(threshold: usize, count: usize) -> Result<[Row; 4], String> {
    const VSSS: &str = "vsss-rs, 32 x GF(2^8)";
    const GF256: &str = "gf256, 32 x GF(2^8)";
    let secret = [0x5a; 32];

    let mut random = generator();
    let shares = vsss_rs::Gf256::split_bytes(threshold, count, secret, &mut random).expect("vsss-rs splits");
    let chosen = last(threshold, &shares);
    if vsss_rs::Gf256::combine_bytes(&chosen[..]).expect("vsss-rs combines") != secret {
        return Err(VSSS.into());
    }
    let vsss = [
        Row::new(VSSS, SPLIT, 1, move || {
            let shares = vsss_rs::Gf256::split_bytes(threshold, count, black_box(secret), &mut random);
            black_box(shares.expect("vsss-rs splits"));
        }),
        Row::new(VSSS, RECONSTRUCT, 1, move || {
            black_box(vsss_rs::Gf256::combine_bytes(black_box(&chosen[..])).expect("vsss-rs combines"));
        }),
    ];

    let chosen = last(threshold, &gf256::shamir::shamir::generate(&secret, count, threshold));
    if gf256::shamir::shamir::reconstruct(&chosen) != secret {
        return Err(GF256.into());
    }
    let [vsss_split, vsss_reconstruct] = vsss;
    Ok([
        vsss_split,
        vsss_reconstruct,
        Row::new(GF256, SPLIT, 1, move || {
            black_box(gf256::shamir::shamir::generate(black_box(&secret), count, threshold));
        }),
        Row::new(GF256, RECONSTRUCT, 1, move || {
            black_box(gf256::shamir::shamir::reconstruct(black_box(&chosen)));
        }),
    ])
}

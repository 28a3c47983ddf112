//! Secret sharing of bytes, 3 of 5: to split, with the randomness, and to combine.
//!
//! Shares differ between implementations and runs, so what is compared is the secret that they combine to.

use std::hint::black_box;
use std::time::Instant;

use sealane::chacha20::{ChaCha20Original, ChaCha20Rng};
use sealane::shamir::bytes::{Backend, Combiner, Splitter};
use serde::Serialize;

use crate::harness::Plan;
#[cfg(feature = "isal")]
use crate::peers::isal::Matrix;
use crate::report::bytes;

const THRESHOLD: usize = 3;
const POINTS: [u8; 5] = [1, 2, 3, 4, 5];
/// Shares that are combined: not those at 1, 2 and 3, whose factors are all 1.
const CHOSEN: [usize; THRESHOLD] = [1, 3, 4];
const SEED: [u8; 32] = [0x42; 32];
/// In cache, and of the sizes of keys, packets and files.
const SIZES: [usize; 5] = [32, 1024, 16 << 10, 64 << 10, 1 << 20];
/// What a row does to the secret, or gives of it; the result of one call is looked at, those that are timed are not.
type Operation = Box<dyn FnMut()>;

/// One implementation, operation and size.
#[derive(Serialize)]
pub struct ShamirResult {
    pub name: String,
    pub operation: &'static str,
    pub size: usize,
    pub best_ns: f64,
    pub median_ns: f64,
}

struct Row {
    name: String,
    operation: &'static str,
    run: Operation,
}

/// Measures all rows at all sizes.
///
/// # Errors
/// Which row gives a wrong secret.
pub fn measure(plan: &Plan, quiet: bool) -> Result<Vec<ShamirResult>, String> {
    let mut results = Vec::new();
    for size in SIZES {
        let secret: Vec<u8> = (0..size).map(|i| (i * 31 + i / 256) as u8).collect();
        let mut rows = ours(&secret)?;
        rows.extend(floor(&secret));
        rows.extend(crates(&secret)?);
        #[cfg(feature = "isal")]
        rows.extend(isal(size));
        let mut samples = vec![Vec::with_capacity(plan.rounds); rows.len()];
        let calls: Vec<_> = rows.iter_mut().map(|row| calls(row, plan)).collect();
        for round in 0..plan.rounds {
            for i in 0..rows.len() {
                let i = (i + round) % rows.len();
                samples[i].push(time(&mut rows[i], calls[i]));
            }
        }
        for (row, mut samples) in rows.iter().zip(samples) {
            samples.sort_by(f64::total_cmp);
            results.push(ShamirResult {
                name: row.name.clone(),
                operation: row.operation,
                size,
                best_ns: samples[0],
                median_ns: samples[samples.len() / 2],
            });
        }
    }
    if !quiet {
        print(&results);
    }
    Ok(results)
}

/// Calls that fill a slice of time, at least one.
fn calls(row: &mut Row, plan: &Plan) -> u32 {
    let mut calls = 1;
    loop {
        let total = time(row, calls) * f64::from(calls);
        if total >= plan.slice.as_nanos() as f64 / 2.0 {
            return calls;
        }
        calls *= 2;
    }
}

/// Nanoseconds for each call.
fn time(row: &mut Row, calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        (row.run)();
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

fn row(name: impl Into<String>, operation: &'static str, run: impl FnMut() + 'static) -> Row {
    Row { name: name.into(), operation, run: Box::new(run) }
}

fn ours(secret: &[u8]) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for backend in Backend::available().rev() {
        let mut shares = vec![vec![0; secret.len()]; POINTS.len()];
        let points = CHOSEN.map(|i| POINTS[i]);
        let split = move |secret: &[u8], shares: &mut [Vec<u8>]| {
            let mut buffers: Vec<_> = shares.iter_mut().map(Vec::as_mut_slice).collect();
            // Made for each secret, as its users would. The seed from the system is not in the figure.
            let splitter = Splitter::from_seed(THRESHOLD, &POINTS, black_box(&SEED), backend);
            splitter.and_then(|mut splitter| splitter.split(secret, &mut buffers)).expect("a sharing");
        };
        let combine = move |shares: &[Vec<u8>], out: &mut [u8]| {
            let shares: Vec<_> = shares.iter().map(Vec::as_slice).collect();
            let combiner = Combiner::with_backend(black_box(&points), 0, backend);
            combiner.and_then(|combiner| combiner.combine(&shares, out)).expect("three shares");
        };
        split(secret, &mut shares);
        let chosen = CHOSEN.map(|i| shares[i].clone());
        let mut out = vec![0; secret.len()];
        combine(&chosen, &mut out);
        if out != secret {
            return Err(format!("shamir: sealane ({backend}) gives a wrong secret"));
        }
        let secret = secret.to_vec();
        rows.push(row(format!("sealane ({backend})"), "split", move || split(black_box(&secret), &mut shares)));
        rows.push(row(format!("sealane ({backend})"), "combine", move || combine(black_box(&chosen), &mut out)));
    }
    Ok(rows)
}

/// What splitting cannot do without: the key stream of two coefficients for each byte, made in the nearest cache, and five
/// buffers written.
fn floor(secret: &[u8]) -> Option<Row> {
    const PIECE: usize = 8192;
    let (secret, mut shares) = (secret.to_vec(), vec![vec![0; secret.len()]; POINTS.len()]);
    Some(row("key stream and copies alone", "split", move || {
        let mut cipher = ChaCha20Original::new(black_box(&SEED), &[0; 8]);
        let mut buffer = [0; 2 * PIECE];
        for (number, piece) in secret.chunks(PIECE).enumerate() {
            let random = &mut buffer[..2 * piece.len()];
            random.fill(0);
            cipher.apply_keystream(random).expect("2^70 bytes are never used up");
            black_box(random);
            for share in &mut shares {
                share[number * PIECE..][..piece.len()].copy_from_slice(piece);
            }
        }
    }))
}

fn generator() -> ChaCha20Rng {
    ChaCha20Rng::with_backend(&SEED, sealane::Backend::detect())
}

/// vsss-rs, blahaj (the maintained sharks) and gf256, each with the interface that its users have.
fn crates(secret: &[u8]) -> Result<Vec<Row>, String> {
    let wrong = |name: &str| Err(format!("shamir: {name} gives a wrong secret"));
    let mut rows = Vec::new();
    // At 4 to 22 MB/s, a mebibyte would take minutes and teach nothing that 64 KiB do not.
    if secret.len() > 64 << 10 {
        return Ok(rows);
    }

    let mut random = generator();
    let shares = vsss_rs::Gf256::split_bytes(THRESHOLD, POINTS.len(), secret, &mut random).expect("vsss-rs splits");
    let chosen = CHOSEN.map(|i| shares[i].clone());
    if vsss_rs::Gf256::combine_bytes(&chosen[..]).expect("vsss-rs combines") != secret {
        return wrong("vsss-rs");
    }
    let copy = secret.to_vec();
    rows.push(row("vsss-rs", "split", move || {
        let shares = vsss_rs::Gf256::split_bytes(THRESHOLD, POINTS.len(), black_box(&copy), &mut random);
        black_box(shares.expect("vsss-rs splits"));
    }));
    rows.push(row("vsss-rs", "combine", move || {
        black_box(vsss_rs::Gf256::combine_bytes(black_box(&chosen[..])).expect("vsss-rs combines"));
    }));

    let (mut random, blahaj) = (generator(), blahaj::Sharks(THRESHOLD as u8));
    let shares: Vec<_> = blahaj.dealer_rng(secret, &mut random).take(POINTS.len()).collect();
    let chosen = CHOSEN.map(|i| shares[i].clone());
    if blahaj.recover(&chosen).as_deref() != Ok(secret) {
        return wrong("blahaj");
    }
    let copy = secret.to_vec();
    rows.push(row("blahaj", "split", move || {
        let dealer = blahaj::Sharks(THRESHOLD as u8).dealer_rng(black_box(&copy), &mut random);
        black_box(dealer.take(POINTS.len()).collect::<Vec<_>>());
    }));
    rows.push(row("blahaj", "combine", move || {
        black_box(blahaj.recover(black_box(&chosen)).expect("blahaj combines"));
    }));

    let shares = gf256::shamir::shamir::generate(secret, POINTS.len(), THRESHOLD);
    let chosen = CHOSEN.map(|i| shares[i].clone());
    if gf256::shamir::shamir::reconstruct(&chosen) != secret {
        return wrong("gf256");
    }
    let copy = secret.to_vec();
    rows.push(row("gf256", "split", move || {
        black_box(gf256::shamir::shamir::generate(black_box(&copy), POINTS.len(), THRESHOLD));
    }));
    rows.push(row("gf256", "combine", move || {
        black_box(gf256::shamir::shamir::reconstruct(black_box(&chosen)));
    }));
    Ok(rows)
}

/// The same sums and products, with coefficients that are there already.
#[cfg(feature = "isal")]
fn isal(size: usize) -> Vec<Row> {
    // The squares of 1 to 5 are the same with this polynomial.
    let powers: Vec<u8> = POINTS.iter().flat_map(|&x| [1, x, [0, 1, 4, 5, 16, 17][usize::from(x)]]).collect();
    let (split, combine) = (Matrix::new(3, 5, &powers), Matrix::new(3, 1, &[2, 0x53, 0xca]));
    let sources = vec![vec![0x5a; size]; 3];
    let chosen = sources.clone();
    let (mut shares, mut out) = (vec![vec![0; size]; 5], vec![vec![0; size]]);
    vec![
        row("ISA-L, no randomness", "split", move || split.apply(black_box(&sources), &mut shares)),
        row("ISA-L, no randomness", "combine", move || combine.apply(black_box(&chosen), &mut out)),
    ]
}

fn print(results: &[ShamirResult]) {
    for operation in ["split", "combine"] {
        println!("\nshamir {operation}, {THRESHOLD} of {}: MB of secret a second, median", POINTS.len());
        print!("{:30}", "");
        SIZES.iter().for_each(|&size| print!("{:>10}", bytes(size)));
        println!();
        let mut names: Vec<&str> = Vec::new();
        for result in results.iter().filter(|result| result.operation == operation) {
            if !names.contains(&result.name.as_str()) {
                names.push(&result.name);
            }
        }
        for name in names {
            print!("{name:30}");
            for size in SIZES {
                let is_it = |r: &&ShamirResult| r.name == name && r.operation == operation && r.size == size;
                match results.iter().find(is_it) {
                    Some(result) => print!("{:>10.1}", size as f64 * 1e3 / result.median_ns),
                    None => print!("{:>10}", "-"),
                }
            }
            println!();
        }
    }
}

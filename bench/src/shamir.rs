//! Secret sharing of bytes, 3 of 5: splitting, with the randomness, and combination.
//!
//! Shares differ between implementations and runs, so the combined secrets are compared.

use std::hint::black_box;

use sealane::chacha20::{ChaCha20Original, ChaCha20Rng};
use sealane::shamir::bytes::{Backend, Combiner, Splitter};
use sealane_measure::Rounds;

#[cfg(feature = "isal")]
use crate::peers::isal::Matrix;
use crate::targets::TIME_TARGETS;
use crate::timed::{self, Row, TimedResult};

pub const SUITE: &str = "shamir";
/// The name of the row for the least work of splitting.
pub const FLOOR: &str = "key stream and copies alone";
const THRESHOLD: usize = 3;
const POINTS: [u8; 5] = [1, 2, 3, 4, 5];
/// The shares that are combined. The shares at 1, 2 and 3 would not do, because their factors are
/// all 1.
const CHOSEN: [usize; THRESHOLD] = [1, 3, 4];
const SEED: [u8; 32] = [0x42; 32];
/// Sizes of keys, packets and files, in the cache.
const SIZES: [usize; 5] = [32, 1024, 16 << 10, 64 << 10, 1 << 20];
const COLUMNS: [&str; SIZES.len()] = ["32 B", "1024 B", "16 KiB", "64 KiB", "1 MiB"];
const SPLIT: &str = "split";
const COMBINE: &str = "combine";
const TITLES: [(&str, &str); 2] =
    [(SPLIT, "a secret into shares, 3 of 5, its bytes"), (COMBINE, "it from three of them, its bytes")];

/// Measures all rows at all sizes.
///
/// # Errors
/// If a row is too fast to be true, or gives a wrong secret; the error names it.
pub fn measure(rounds: &Rounds, quiet: bool) -> Result<Vec<TimedResult>, String> {
    let mut results = Vec::new();
    for (column, size) in COLUMNS.into_iter().zip(SIZES) {
        let secret: Vec<u8> = (0..size).map(|i| (i * 31 + i / 256) as u8).collect();
        let mut rows = ours(&secret)?;
        rows.push(floor(&secret));
        rows.extend(crates(&secret)?);
        #[cfg(feature = "isal")]
        rows.extend(isal(size));
        results.extend(timed::measure(SUITE, column, rows, rounds, TIME_TARGETS)?);
    }
    if !quiet {
        timed::print(&results, &TITLES, &COLUMNS);
    }
    Ok(results)
}

fn ours(secret: &[u8]) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for backend in Backend::available().rev() {
        let mut shares = vec![vec![0; secret.len()]; POINTS.len()];
        let points = CHOSEN.map(|i| POINTS[i]);
        let split = move |secret: &[u8], shares: &mut [Vec<u8>]| {
            let mut buffers: Vec<_> = shares.iter_mut().map(Vec::as_mut_slice).collect();
            // Each secret gets a new splitter, as its users would make it. The seed from the system
            // is not in the figure.
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
            return Err(format!("{SUITE}: sealane ({backend}) gives a wrong secret"));
        }
        let (secret, size, name) = (secret.to_vec(), secret.len(), format!("sealane ({backend})"));
        let split = Row::on_bytes(&name, SPLIT, size, move || split(black_box(&secret), &mut shares));
        let combine = Row::on_bytes(&name, COMBINE, size, move || combine(black_box(&chosen), &mut out));
        rows.extend([split, combine].map(|row| Row { chosen: backend == Backend::detect(), ..row }));
    }
    Ok(rows)
}

/// Returns the row for the least work of splitting: the key stream of two coefficients for each
/// byte, made in the nearest cache, and five buffers written.
fn floor(secret: &[u8]) -> Row {
    const PIECE: usize = 8192;
    let (secret, mut shares) = (secret.to_vec(), vec![vec![0; secret.len()]; POINTS.len()]);
    Row::on_bytes(FLOOR, SPLIT, secret.len(), move || {
        let mut cipher = ChaCha20Original::new(black_box(&SEED), &[0; 8]);
        let mut buffer = [0; 2 * PIECE];
        for (number, piece) in secret.chunks(PIECE).enumerate() {
            let random = &mut buffer[..2 * piece.len()];
            random.fill(0);
            cipher.apply_keystream(random).expect("2^70 bytes are never used up");
            black_box(random);
            let (blocks, rest) = piece.as_chunks::<64>();
            for share in &mut shares {
                let (copies, last) = share[number * PIECE..][..piece.len()].as_chunks_mut::<64>();
                // Hidden from the compiler, which would call `memcpy`. The speed of `memcpy`
                // depends on how the addresses lie to each other.
                copies.iter_mut().zip(blocks).for_each(|(copy, block)| *copy = *black_box(block));
                last.copy_from_slice(rest);
            }
        }
    })
}

fn generator() -> ChaCha20Rng {
    ChaCha20Rng::with_backend(&SEED, sealane::Backend::detect())
}

/// Returns the rows of vsss-rs, blahaj (the maintained fork of sharks) and gf256, each called as
/// its users call it.
fn crates(secret: &[u8]) -> Result<Vec<Row>, String> {
    let wrong = |name: &str| Err(format!("{SUITE}: {name} gives a wrong secret"));
    let size = secret.len();
    let mut rows = Vec::new();
    // At 4 to 22 MB/s, a mebibyte would take minutes and show nothing more than 64 KiB.
    if size > 64 << 10 {
        return Ok(rows);
    }

    let mut random = generator();
    let shares = vsss_rs::Gf256::split_bytes(THRESHOLD, POINTS.len(), secret, &mut random).expect("vsss-rs splits");
    let chosen = CHOSEN.map(|i| shares[i].clone());
    if vsss_rs::Gf256::combine_bytes(&chosen[..]).expect("vsss-rs combines") != secret {
        return wrong("vsss-rs");
    }
    let copy = secret.to_vec();
    rows.push(Row::on_bytes("vsss-rs", SPLIT, size, move || {
        let shares = vsss_rs::Gf256::split_bytes(THRESHOLD, POINTS.len(), black_box(&copy), &mut random);
        black_box(shares.expect("vsss-rs splits"));
    }));
    rows.push(Row::on_bytes("vsss-rs", COMBINE, size, move || {
        black_box(vsss_rs::Gf256::combine_bytes(black_box(&chosen[..])).expect("vsss-rs combines"));
    }));

    let (mut random, blahaj) = (generator(), blahaj::Sharks(THRESHOLD as u8));
    let shares: Vec<_> = blahaj.dealer_rng(secret, &mut random).take(POINTS.len()).collect();
    let chosen = CHOSEN.map(|i| shares[i].clone());
    if blahaj.recover(&chosen).as_deref() != Ok(secret) {
        return wrong("blahaj");
    }
    let copy = secret.to_vec();
    rows.push(Row::on_bytes("blahaj", SPLIT, size, move || {
        let dealer = blahaj::Sharks(THRESHOLD as u8).dealer_rng(black_box(&copy), &mut random);
        black_box(dealer.take(POINTS.len()).collect::<Vec<_>>());
    }));
    rows.push(Row::on_bytes("blahaj", COMBINE, size, move || {
        black_box(blahaj.recover(black_box(&chosen)).expect("blahaj combines"));
    }));

    let shares = gf256::shamir::shamir::generate(secret, POINTS.len(), THRESHOLD);
    let chosen = CHOSEN.map(|i| shares[i].clone());
    if gf256::shamir::shamir::reconstruct(&chosen) != secret {
        return wrong("gf256");
    }
    let copy = secret.to_vec();
    rows.push(Row::on_bytes("gf256", SPLIT, size, move || {
        black_box(gf256::shamir::shamir::generate(black_box(&copy), POINTS.len(), THRESHOLD));
    }));
    rows.push(Row::on_bytes("gf256", COMBINE, size, move || {
        black_box(gf256::shamir::shamir::reconstruct(black_box(&chosen)));
    }));
    Ok(rows)
}

/// Returns ISA-L's rows: the same sums and products, with given coefficients.
#[cfg(feature = "isal")]
fn isal(size: usize) -> Vec<Row> {
    // The squares of 1 to 5 are the same with this polynomial.
    let powers: Vec<u8> = POINTS.iter().flat_map(|&x| [1, x, [0, 1, 4, 5, 16, 17][usize::from(x)]]).collect();
    let (split, combine) = (Matrix::new(3, 5, &powers), Matrix::new(3, 1, &[2, 0x53, 0xca]));
    let sources = vec![vec![0x5a; size]; 3];
    let chosen = sources.clone();
    let (mut shares, mut out) = (vec![vec![0; size]; 5], vec![vec![0; size]]);
    vec![
        Row::on_bytes("ISA-L, no randomness", SPLIT, size, move || split.apply(black_box(&sources), &mut shares)),
        Row::on_bytes("ISA-L, no randomness", COMBINE, size, move || combine.apply(black_box(&chosen), &mut out)),
    ]
}

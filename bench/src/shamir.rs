//! The peers for secret sharing of bytes, with 5 shares and a threshold of 3. Shares differ between
//! implementations and runs, so the combined secrets are compared.

use std::hint::black_box;

use sealane::chacha20::ChaCha20Original;
use sealane_workloads::Size;
use sealane_workloads::benchmarks::shamir::{CHOSEN, POINTS, THRESHOLD};
use sealane_workloads::benchmarks::{SEED, data};

use crate::crates::{self, Sharing};
#[cfg(feature = "isal")]
use crate::peers::isal::Matrix;
use crate::targets::FLOOR;
use crate::timed::Row;

/// Returns the peers' rows. The error is the name of a row that combines shares to a wrong secret.
pub fn peers(benchmark: &str, size: Size) -> Result<Vec<Row>, String> {
    let (secret, is_split) = (data(size.length()), benchmark == "shamir-split");
    let mut rows = Vec::new();
    if is_split {
        rows.push(floor(&secret));
    }
    // These crates process 4 to 22 MB/s. Measuring them with 1 MiB would take minutes, and show no
    // more than with 64 KiB.
    if secret.len() <= 64 << 10 {
        let sharing = Sharing { secret: &secret, threshold: THRESHOLD, count: POINTS.len(), chosen: &CHOSEN };
        rows.extend([
            crates::vsss("vsss-rs", &sharing, is_split)?,
            crates::blahaj("blahaj", &sharing, is_split)?,
            crates::gf256("gf256", &sharing, is_split)?,
        ]);
    }
    #[cfg(feature = "isal")]
    rows.push(isal(is_split, secret.len()));
    Ok(rows)
}

/// Returns the row for the least work of splitting: generating the key stream for two coefficients
/// a byte, in the first-level cache, and writing five buffers.
fn floor(secret: &[u8]) -> Row {
    const PIECE: usize = 8192;
    let (secret, mut shares) = (secret.to_vec(), vec![vec![0; secret.len()]; POINTS.len()]);
    Row::new(FLOOR, move || {
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
                // `black_box` keeps the compiler from calling `memcpy`, whose speed depends on the
                // distance between the addresses.
                copies.iter_mut().zip(blocks).for_each(|(copy, block)| *copy = *black_box(block));
                last.copy_from_slice(rest);
            }
        }
    })
}

/// Returns ISA-L's row: the sums and products of secret sharing, with fixed coefficients.
#[cfg(feature = "isal")]
fn isal(is_split: bool, size: usize) -> Row {
    const NAME: &str = "ISA-L, no randomness";
    let sources = vec![vec![0x5a; size]; THRESHOLD];
    if is_split {
        // ISA-L has another polynomial, but the squares of 1 to 5 need no reduction.
        let powers: Vec<u8> = POINTS.iter().flat_map(|&x| [1, x, [0, 1, 4, 5, 16, 17][usize::from(x)]]).collect();
        let (split, mut shares) = (Matrix::new(3, 5, &powers), vec![vec![0; size]; POINTS.len()]);
        return Row::new(NAME, move || split.apply(black_box(&sources), &mut shares));
    }
    let (combine, mut out) = (Matrix::new(3, 1, &[2, 0x53, 0xca]), vec![vec![0; size]]);
    Row::new(NAME, move || combine.apply(black_box(&sources), &mut out))
}

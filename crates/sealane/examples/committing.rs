//! Times sealing and opening with tags that commit to the key, beside the plain AEAD, on this
//! machine.
//!
//! `cargo run --release -p sealane --features commit --example committing`

use std::hint::black_box;
use std::time::Instant;

use sealane::{ChaCha20Poly1305, CommittingChaCha20Poly1305};

const AAD: &[u8] = b"associated data";
/// The number of times that each operation is timed, in turn with the others. The fastest counts.
const ROUNDS: u64 = 200;

fn main() {
    // One key must not be used with both.
    let (plain, committing) = (ChaCha20Poly1305::new(&[1; 32]), CommittingChaCha20Poly1305::new(&[2; 32]));
    println!("{}, nanoseconds a message, 15 bytes of associated data", plain.backend());
    println!("   size     seal   commit             open   commit");
    for size in [64, 1024, 4096, 16_384, 65_536] {
        let mut buffer = vec![7; size];
        let repeat = 1 + 200_000 / size;
        let mut best = [f64::MAX; 4];
        let mut nonce = [0; 12];
        for round in 0..ROUNDS {
            nonce[..8].copy_from_slice(&round.to_le_bytes());
            let start = Instant::now();
            for _ in 0..repeat {
                black_box(plain.seal_in_place(&nonce, AAD, &mut buffer));
            }
            let seal = start.elapsed();
            let start = Instant::now();
            for _ in 0..repeat {
                black_box(committing.seal_in_place(&nonce, AAD, &mut buffer));
            }
            let commit_seal = start.elapsed();
            // Opening overwrites its input, so each repetition starts with a copy. Both figures
            // include the copy.
            let mut sealed = buffer.clone();
            let tag = plain.seal_in_place(&nonce, AAD, &mut sealed);
            let start = Instant::now();
            for _ in 0..repeat {
                buffer.copy_from_slice(&sealed);
                plain.open_in_place(&nonce, AAD, &mut buffer, &tag).expect("what was sealed opens");
            }
            let open = start.elapsed();
            let tag = committing.seal_in_place(&nonce, AAD, &mut buffer);
            sealed.copy_from_slice(&buffer);
            let start = Instant::now();
            for _ in 0..repeat {
                buffer.copy_from_slice(&sealed);
                committing.open_in_place(&nonce, AAD, &mut buffer, &tag).expect("what was sealed opens");
            }
            let commit_open = start.elapsed();
            for (best, time) in best.iter_mut().zip([seal, commit_seal, open, commit_open]) {
                *best = best.min(time.as_nanos() as f64 / repeat as f64);
            }
        }
        let [seal, commit_seal, open, commit_open] = best;
        let more = |commit: f64, plain: f64| (commit / plain - 1.0) * 100.0;
        println!(
            "{size:7} {seal:8.0} {commit_seal:8.0} {:+6.1} % {open:8.0} {commit_open:8.0} {:+6.1} %",
            more(commit_seal, seal),
            more(commit_open, open)
        );
    }
}

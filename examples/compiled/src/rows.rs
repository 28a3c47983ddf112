//! The rows of one build of this program, and their measurement.

use std::time::{Duration, Instant};

use sealane::Backend;
use sealane::chacha20::ChaCha20;
use sealane_measure::{Rounds, take_turns};
use serde::{Deserialize, Serialize};

use crate::lanes;

/// The lengths of messages in bytes.
pub(crate) const SIZES: [usize; 3] = [1 << 10, 1 << 14, 1 << 20];
const KEY: [u8; 32] = [7; 32];
const NONCE: [u8; 12] = [9; 12];

/// The measurements of one implementation.
#[derive(Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// Gbit/s for each of [`SIZES`], in the median round.
    pub(crate) gbits: [f64; 3],
}

type Apply = Box<dyn Fn(&mut [u8])>;

/// Returns all implementations: the loops, then the library's backends, the narrowest first.
fn implementations() -> Vec<(String, Apply)> {
    let mut all: Vec<(String, Apply)> = vec![
        ("loop over 4 lanes".into(), Box::new(|data: &mut [u8]| lanes::apply::<4>(&KEY, &NONCE, data))),
        ("loop over 8 lanes".into(), Box::new(|data: &mut [u8]| lanes::apply::<8>(&KEY, &NONCE, data))),
        ("loop over 16 lanes".into(), Box::new(|data: &mut [u8]| lanes::apply::<16>(&KEY, &NONCE, data))),
    ];
    for backend in Backend::available() {
        let apply = move |data: &mut [u8]| {
            let mut stream = ChaCha20::with_backend(&KEY, &NONCE, backend);
            stream.apply_keystream(data).expect("the key stream is longer");
        };
        all.push((backend.name().into(), Box::new(apply)));
    }
    all
}

/// Compares the results of all implementations, and measures them.
///
/// # Errors
/// If a result differs.
pub(crate) fn measure(rounds: usize) -> Result<Vec<Row>, String> {
    let mut all = implementations();
    let names: Vec<_> = all.iter().map(|(name, _)| name.clone()).collect();
    let mut rows: Vec<_> = names.into_iter().map(|name| Row { name, gbits: [0.0; 3] }).collect();
    let rounds = Rounds { count: rounds, turn: Duration::from_millis(1), settle: Duration::from_micros(100) };
    for (column, size) in SIZES.into_iter().enumerate() {
        let message: Vec<_> = (0..size).map(|i| (i * i) as u8).collect();
        let results: Vec<_> = all
            .iter()
            .map(|(_, apply)| {
                let mut data = message.clone();
                apply(&mut data);
                data
            })
            .collect();
        if let Some(wrong) = results.iter().position(|result| *result != results[0]) {
            return Err(format!("{} has another result for {size} bytes", rows[wrong].name));
        }
        let mut data = message;
        let samples = take_turns(&mut all, &rounds, |(_, apply), calls| {
            let start = Instant::now();
            for _ in 0..calls {
                apply(std::hint::black_box(&mut data));
            }
            start.elapsed()
        });
        for (row, samples) in rows.iter_mut().zip(&samples) {
            row.gbits[column] = 8.0 * size as f64 / samples.median_ns();
        }
    }
    Ok(rows)
}

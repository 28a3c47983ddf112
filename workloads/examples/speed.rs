//! Prints the speed of the ciphers and of Poly1305 in GB/s, on each backend that was compiled. It
//! is for targets on which the command, with its `sealane bench`, does not run: docs/performance.md
//! has the call for WebAssembly.

use std::time::Duration;

use sealane_measure::{Messages, Rounds, Table, size_name, take_turns};
use sealane_workloads::{Benchmark, Code};

const BENCHMARKS: [&str; 4] = ["chacha20", "poly1305", "chacha20poly1305-seal", "chacha20poly1305-open"];
const SIZES: [usize; 4] = [1 << 10, 16 << 10, 64 << 10, 1 << 20];
const ROUNDS: Rounds = Rounds { count: 17, turn: Duration::from_millis(20), settle: Duration::from_millis(2) };

fn main() -> Result<(), sealane::BackendError> {
    let mut rows = Vec::new();
    for (family, benchmark) in Benchmark::all().filter(|(_, benchmark)| BENCHMARKS.contains(&benchmark.name)) {
        let Code::Messages { batch, seal, processing, .. } = &benchmark.code else { continue };
        for backend in family.available() {
            rows.push((format!("{} ({backend})", benchmark.name), *batch, *seal, processing(backend)?));
        }
    }
    let mut cells: Vec<Vec<String>> = rows.iter().map(|(name, ..)| vec![name.clone()]).collect();
    for size in SIZES {
        let mut turns: Vec<_> = rows
            .iter_mut()
            .map(|(_, batch, seal, processing)| {
                let mut messages = Messages::cached(size, 0, *batch);
                seal.iter().for_each(|seal| messages.seal(&mut seal()));
                (messages, processing, 0)
            })
            .collect();
        let samples = take_turns(&mut turns, &ROUNDS, |(messages, processing, next), passes| {
            messages.time(processing, passes, next)
        });
        for ((cells, samples), (messages, ..)) in cells.iter_mut().zip(samples).zip(&turns) {
            // A pass processes all messages.
            cells.push(format!("{:.2}", (messages.count() * size) as f64 / samples.median_ns()));
        }
    }
    let mut table = Table::new(["GB/s".to_owned()].into_iter().chain(SIZES.map(size_name)));
    cells.into_iter().for_each(|row| table.row(row));
    print!("{}", table.text(0));
    Ok(())
}

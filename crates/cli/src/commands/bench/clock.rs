//! The clock of the core, measured: what turns nanoseconds into cycles.
//!
//! The time-stamp counter is no help. It runs at a constant rate, whereas the core's clock rises and falls with load, with
//! temperature, and on some CPUs with the width of the vectors in use.

use std::hint::black_box;
use std::time::Instant;

/// How it is done, for readers of the report.
pub(super) const METHOD: &str =
    "a chain of dependent additions and exclusive ors, one cycle each, timed after each round";

/// Some 25 µs: long beside a reading of the time, short beside what is measured between two samples.
const STEPS: u32 = 32_768;
/// An addition and an exclusive or, which wait for each other.
const CYCLES_PER_STEP: u32 = 2;

/// The clock now, in GHz.
pub(super) fn sample() -> f64 {
    // Registers whose content the compiler does not know: it can neither fold steps together, nor make an address
    // calculation with three terms of an addition, which takes three cycles on some CPUs.
    let (addend, mask) = (black_box(0x9e37_79b9_7f4a_7c15_u64), black_box(0x5851_f42d_4c95_7f2d_u64));
    let mut x = black_box(1_u64);
    let start = Instant::now();
    for _ in 0..STEPS {
        x = x.wrapping_add(addend) ^ mask;
    }
    black_box(x);
    let ns = start.elapsed().as_nanos().max(1) as f64;
    f64::from(STEPS * CYCLES_PER_STEP) / ns
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_clock_is_one_that_a_cpu_could_have() {
        let mut samples: Vec<f64> = (0..50).map(|_| super::sample()).collect();
        let clock = crate::commands::bench::timing::median(&mut samples);
        assert!((0.2..8.0).contains(&clock), "{clock} GHz");
    }
}

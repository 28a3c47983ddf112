//! The clock of the core, which turns nanoseconds into cycles.
//!
//! The time-stamp counter runs at a constant rate. The core's clock changes with load, with
//! temperature, and on some CPUs with the width of the vectors in use, so it is measured.

use std::hint::black_box;
use std::time::Instant;

/// The method of measurement, for readers of a report.
pub const METHOD: &str = "a chain of dependent additions and XORs, one cycle each, right after the work";

/// The number of steps in a chain, which take about 4 µs: long compared with reading the time, and
/// short enough to end before the clock has changed. A Granite Rapids lowers its clock for products
/// of 512 bits, and raises it again 6 to 10 µs after the last one.
const STEPS: u32 = 8192;
/// An addition and an XOR. Each waits for the other's result.
const CYCLES_PER_STEP: u32 = 2;

/// Measures the current clock, in GHz. If the system interrupts the measurement, the result is too
/// low, so take the median of several.
#[must_use]
pub fn sample() -> f64 {
    // The compiler does not know these values, so it cannot fold steps together. It also cannot use
    // an address calculation with three terms, which takes three cycles on some CPUs.
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
        let samples: Vec<f64> = (0..50).map(|_| super::sample()).collect();
        let clock = crate::median(&samples);
        assert!((0.2..8.0).contains(&clock), "{clock} GHz");
    }
}

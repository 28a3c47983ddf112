//! Tests whether the time of an operation depends on secrets.
//!
//! Each operation runs on secrets that are zeros and on random ones, in random order, and Welch's
//! t-test compares the two sets of times: "Dude, is my code constant time?" (Reparaz, Balasch,
//! Verbauwhede, 2017). The test is repeated without the longest times, for several cut-offs,
//! because interrupts cause long times that do not depend on a secret.

use std::hint::black_box;
use std::time::Instant;

use sealane::BackendError;
use sealane::chacha20::ChaCha20;
use sealane_workloads::{Prepare, Run, Secrets};

/// The number of measurements of each operation.
const SAMPLES: usize = 50_000;
/// The shares of the longest times that the test leaves out.
const CROPS: i32 = 100;

/// Measures every operation whose name contains the filter, on the backends that the environment
/// names, or on the widest ones.
pub(crate) fn run(filter: &str) -> Result<(), String> {
    println!("{:<24} {:<14} {:>6}  largest t of {SAMPLES} measurements", "operation", "backend", "size");
    measure("control-that-leaks", "scalar", 256, control)?;
    for (family, operation) in crate::operations().filter(|(_, operation)| operation.name.contains(filter)) {
        for &size in operation.timed {
            let backend = family.chosen().map_err(|error| error.to_string())?;
            measure(operation.name, backend, size, operation.prepare)?;
        }
    }
    Ok(())
}

/// Prepares a comparison with zeros that stops at the first difference. Zeros are equal; random
/// octets differ at once.
fn control(_: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (mut input, expected) = (vec![0; size], vec![0; size]);
    secrets(&mut input);
    Ok(Box::new(move || {
        black_box(input.iter().zip(&expected).all(|(a, b)| black_box(a) == black_box(b)));
    }))
}

fn measure(name: &str, backend: &str, size: usize, prepare: Prepare) -> Result<(), String> {
    let mut random = ChaCha20::new(&[7; 32], &[0; 12]);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..SAMPLES {
        let mut class = [0];
        random.apply_keystream(&mut class).map_err(|error| error.to_string())?;
        let class = class[0] & 1;
        // Both classes do the same work before the measurement, so random octets are generated in
        // any case.
        let mask = black_box(0_u8.wrapping_sub(class));
        let mut secrets = |octets: &mut [u8]| {
            random.apply_keystream(octets).expect("the key stream is longer than that");
            octets.iter_mut().for_each(|octet| *octet &= mask);
        };
        let mut run = prepare(backend, size, &mut secrets).map_err(|error| error.to_string())?;
        let started = Instant::now();
        run();
        times[usize::from(class)].push(started.elapsed().as_nanos() as f64);
    }
    let t = largest_t(&times);
    println!("{name:<24} {backend:<14} {size:>6}  {t:>9.1}{}", if t.abs() > 5.0 { "  beyond 5: a leak" } else { "" });
    Ok(())
}

/// Returns Welch's t of the two sets. Repeats the test without the longest times, and returns the
/// value farthest from 0.
fn largest_t(times: &[Vec<f64>; 2]) -> f64 {
    let mut all = times.concat();
    all.sort_by(f64::total_cmp);
    let t_below = |limit: f64| {
        let [a, b] = times.each_ref().map(|times| moments(times.iter().copied().filter(|time| *time <= limit)));
        let t = (a.1 - b.1) / (a.2 / a.0 + b.2 / b.0).sqrt();
        // Too few times are left, or all are equal.
        if a.0.min(b.0) < 1000.0 || !t.is_finite() { 0.0 } else { t }
    };
    let share = |crop: i32| 1.0 - 0.5_f64.powf(f64::from(10 * crop) / f64::from(CROPS));
    let limits = (1..=CROPS).map(|crop| all[(share(crop) * (all.len() - 1) as f64) as usize]);
    limits.map(t_below).chain([t_below(f64::INFINITY)]).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0)
}

/// Returns the number of times, their mean and their variance (Welford).
fn moments(times: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let (mut count, mut mean, mut squares) = (0.0, 0.0, 0.0);
    for time in times {
        count += 1.0;
        let difference = time - mean;
        mean += difference / count;
        squares += difference * (time - mean);
    }
    (count, mean, squares / (count - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_have_no_t_and_different_ones_have_a_large_one() {
        let times = |offset: f64| (0..4000).map(|i| offset + f64::from(i * 7919 % 100)).collect::<Vec<_>>();
        assert!(largest_t(&[times(0.0), times(0.0)]).abs() < 1e-9);
        assert!(largest_t(&[times(0.0), times(10.0)]) < -5.0);
    }

    #[test]
    fn moments_are_those_of_the_definition() {
        assert_eq!(moments([2.0, 4.0, 6.0].into_iter()), (3.0, 4.0, 4.0));
    }
}

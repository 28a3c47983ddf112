//! Tests whether the time of an operation depends on secrets.
//!
//! Each operation runs on secrets that are zeros and on random ones, in random order, and Welch's
//! t-test compares the two sets of times.

use std::hint::black_box;
use std::time::Instant;

use sealane::BackendError;
use sealane::chacha20::ChaCha20;
use sealane_measure::largest_t;
use sealane_workloads::{Prepare, Run, Secrets};

/// The number of measurements of each operation.
const SAMPLES: usize = 50_000;

/// The largest t of an operation whose time does not depend on the secret.
const LIMIT: f64 = 5.0;

/// Measures every operation whose name contains the filter, on the backends that the environment
/// names, or on the widest ones. It is an error if an operation leaks, if the control does not seem
/// to, or if no name contains the filter.
pub(crate) fn run(filter: &str) -> Result<(), String> {
    println!("{:<24} {:<14} {:>6}  largest t of {SAMPLES} measurements", "operation", "backend", "size");
    if !measure("control-that-leaks", "scalar", 256, control)? {
        return Err("the control does not seem to leak: nothing can be measured on this machine".to_owned());
    }
    let (mut measured, mut leaks) = (0, 0);
    for (family, operation) in crate::operations().filter(|(_, operation)| operation.name.contains(filter)) {
        for &size in operation.timed {
            let backend = family.chosen().map_err(|error| error.to_string())?;
            leaks += u32::from(measure(operation.name, backend, size, operation.prepare)?);
            measured += 1;
        }
    }
    match (measured, leaks) {
        (0, _) => Err(format!("no operation that is timed has {filter:?} in its name")),
        (_, 0) => Ok(()),
        (_, leaks) => Err(format!("{leaks} of {measured} measurements depend on the secret")),
    }
}

/// Prepares a comparison of the secret with zeros, which stops at the first difference. It takes
/// longest if the secret is zeros, and ends at once if it is random.
fn control(_: &str, size: usize, secrets: Secrets<'_>) -> Result<Run, BackendError> {
    let (mut input, expected) = (vec![0; size], vec![0; size]);
    secrets(&mut input);
    Ok(Box::new(move || {
        black_box(input.iter().zip(&expected).all(|(a, b)| black_box(a) == black_box(b)));
    }))
}

/// Returns whether the time depends on the secret.
fn measure(name: &str, backend: &str, size: usize, prepare: Prepare) -> Result<bool, String> {
    let mut random = ChaCha20::new(&[7; 32], &[0; 12]);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..SAMPLES {
        let mut class = [0];
        random.apply_keystream(&mut class).map_err(|error| error.to_string())?;
        let class = class[0] & 1;
        // Both classes do the same work before the measurement, so random bytes are generated in
        // any case.
        let mask = black_box(0_u8.wrapping_sub(class));
        let mut secrets = |bytes: &mut [u8]| {
            random.apply_keystream(bytes).expect("the key stream is longer than that");
            bytes.iter_mut().for_each(|byte| *byte &= mask);
        };
        let mut run = prepare(backend, size, &mut secrets).map_err(|error| error.to_string())?;
        let started = Instant::now();
        run();
        times[usize::from(class)].push(started.elapsed().as_nanos() as f64);
    }
    let t = largest_t(&times);
    let leaks = t.abs() > LIMIT;
    println!("{name:<24} {backend:<14} {size:>6}  {t:>9.1}{}", if leaks { "  beyond 5: a leak" } else { "" });
    Ok(leaks)
}

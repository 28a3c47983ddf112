//! Measures rows in turns. Compares their results first, and checks their times against bounds
//! afterwards.

use std::time::{Duration, Instant};

use built_twice::Built;
use sealane_measure::{Rounds, Samples, Work, check, take_turns};

use crate::choices::{CHOICES, Rows};
use crate::report::{Operation, Row};

/// The choices to measure, and how long.
pub(crate) struct Plan {
    /// The number of turns of each row.
    pub(crate) rounds: u32,
    /// The approximate length of a turn.
    pub(crate) turn: Duration,
    /// The names of the choices to measure. If empty, all are measured.
    pub(crate) only: Vec<String>,
}

/// Calls whose results are compared before the measurement.
const CHECKED_CALLS: u64 = 37;

/// The name and description of an operation.
pub(crate) struct Description {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// The inner operation in which `leaf` branches.
    pub(crate) inner: &'static str,
    /// The kind of work of a call, and its number of bytes. They give a lower bound for the call's
    /// time.
    pub(crate) work: (Work, usize),
}

/// Checks and measures the rows of one operation. The second argument has the operation's rows, and
/// its function in the library that is built twice.
pub(crate) fn operation<D: Clone + PartialEq>(
    description: &Description,
    (mut calls, twice): (Rows<D>, fn(Built, &mut D)),
    mut data: D,
    plan: &Plan,
) -> Result<Operation, String> {
    let Description { name, title, inner, work: (work, bytes) } = *description;
    let mut expected = data.clone();
    (0..CHECKED_CALLS).for_each(|_| twice(Built::fallback(), &mut expected));
    let mut rows = Vec::new();
    for ((choice, _), calls) in CHOICES.iter().zip(&mut calls.calls) {
        if !plan.only.is_empty() && !plan.only.iter().any(|only| only == choice) {
            continue;
        }
        let mut result = data.clone();
        calls(CHECKED_CALLS, &mut result);
        if result != expected {
            return Err(format!("{title}, {choice}: the result differs from the fallback's"));
        }
        rows.push((*choice, calls));
    }
    let rounds = Rounds { count: plan.rounds as usize, turn: plan.turn, settle: plan.turn / 16 };
    let samples = take_turns(&mut rows, &rounds, |(_, row), calls| {
        let start = Instant::now();
        row(calls, &mut data);
        start.elapsed()
    });
    let named = || rows.iter().map(|(choice, _)| *choice).zip(&samples);
    for (choice, samples) in named() {
        possible(&format!("{title}, {choice}"), samples, work.least_cycles(bytes))?;
    }
    let rows = named().map(|(choice, row)| Row::new(choice, row, &samples[0])).collect();
    let clock_ghz = samples[0].median_clock_ghz();
    let (name, title, inner) = (name.into(), title.into(), inner.into());
    Ok(Operation { name, title, inner, level: calls.level.into(), clock_ghz, rows })
}

/// Refuses a time that no CPU can reach.
fn possible(row: &str, samples: &Samples, least_cycles: f64) -> Result<(), String> {
    check(row, samples.median_ns(), samples.median_clock_ghz(), least_cycles).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the compiler moves the key stream out of a loop that seals, a call takes the time of
    /// Poly1305 alone, 100 cycles.
    #[test]
    fn a_loop_that_the_compiler_removed_is_refused() {
        let samples = |ns| Samples { ns: vec![ns; 3], clock_ghz: vec![4.1; 3], calls: 1, every: 1 };
        let least = Work::Aead.least_cycles(64);
        assert!(possible("seal, static", &samples(149.0), least).is_ok());
        let error = possible("seal, static", &samples(12.0), least).unwrap_err();
        assert!(error.starts_with("seal, static: 49.2 cycles were measured"), "{error}");
    }
}

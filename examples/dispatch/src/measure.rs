//! Rows that take turns, so that a drift of the machine's speed meets all of them.

use std::time::{Duration, Instant};

use built_twice::Built;

use crate::choices::{CHOICES, Rows};
use crate::report::{Operation, Row};

/// What is measured, and for how long.
pub(crate) struct Plan {
    /// How often each row has its turn.
    pub(crate) rounds: u32,
    /// How long a turn takes, about.
    pub(crate) turn: Duration,
    /// The choices that are measured.
    pub(crate) only: Vec<String>,
}

/// Calls whose result is compared before anything is timed.
const CHECKED_CALLS: u64 = 37;

/// Checks and measures the rows of one operation. `calls` are its choices, and what the library does that was built twice.
pub(crate) fn operation<D: Clone + PartialEq>(
    (name, title): (&str, &str),
    inner: &str,
    (mut calls, twice): (Rows<D>, fn(Built, &mut D)),
    data: D,
    plan: &Plan,
) -> Result<Operation, String> {
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
    let samples = take_turns(&mut rows, data, plan);
    let base = samples[0].clone();
    let rows = rows.iter().zip(&samples).map(|((choice, _), samples)| Row::new(choice, samples, &base)).collect();
    Ok(Operation { name: name.into(), title: title.into(), inner: inner.into(), level: calls.level.into(), rows })
}

/// The nanoseconds of a call of each row, round by round.
fn take_turns<D, F: FnMut(u64, &mut D)>(rows: &mut [(&str, F)], mut data: D, plan: &Plan) -> Vec<Vec<f64>> {
    let mut calls = Vec::new();
    for (_, row) in &mut *rows {
        calls.push(calls_in(plan.turn, row, &mut data));
    }
    let mut samples = vec![Vec::new(); rows.len()];
    for round in 0..plan.rounds as usize {
        for turn in 0..rows.len() {
            // Another one begins each time.
            let i = (round + turn) % rows.len();
            let row = &mut rows[i].1;
            // What the row before left in caches and predictors is not measured.
            row(calls[i] / 16 + 1, &mut data);
            samples[i].push(time(row, calls[i], &mut data).as_nanos() as f64 / calls[i] as f64);
        }
    }
    samples
}

/// As many calls as fill `turn`, found while the row warms up.
fn calls_in<D>(turn: Duration, row: &mut impl FnMut(u64, &mut D), data: &mut D) -> u64 {
    let mut calls = 1;
    loop {
        let shortest = (0..3).map(|_| time(row, calls, data)).min().unwrap_or_default();
        if shortest >= turn / 4 {
            return ((calls as f64 * turn.as_secs_f64() / shortest.as_secs_f64()) as u64).max(1);
        }
        calls *= 2;
    }
}

fn time<D>(row: &mut impl FnMut(u64, &mut D), calls: u64, data: &mut D) -> Duration {
    let start = Instant::now();
    row(calls, data);
    // A clock that stood still would have the loop above wait for it.
    start.elapsed().max(Duration::from_nanos(1))
}

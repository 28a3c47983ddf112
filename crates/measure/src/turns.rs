//! Rows that take turns, so that a change of the machine's speed affects all of them.

use std::time::Duration;

use crate::{best, clock_ghz, median};

/// The duration of the measurement.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    /// The number of rounds. A row takes part in fewer if a single call is longer than `turn`.
    pub count: usize,
    /// The duration of a row's turn. A turn has at least one call.
    pub turn: Duration,
    /// The time for which a row runs unmeasured before its turn, so that it finds its own state in
    /// caches, predictors and the clock. A row that skips rounds does not.
    pub settle: Duration,
}

/// The fewest rounds that a row takes part in, even if one call is long.
const FEWEST: usize = 3;

/// The measurements of a row, round by round.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Nanoseconds for each call.
    pub ns: Vec<f64>,
    /// The core's clock after each turn, in GHz.
    pub clock_ghz: Vec<f64>,
    /// Calls in each turn.
    pub calls: u64,
    /// The row took part in one round out of this many.
    pub every: usize,
}

impl Samples {
    /// Returns the median of the times.
    #[must_use]
    pub fn median_ns(&self) -> f64 {
        median(&self.ns)
    }

    /// Returns the least time.
    #[must_use]
    pub fn best_ns(&self) -> f64 {
        best(&self.ns)
    }

    /// Returns the median of the clock.
    #[must_use]
    pub fn median_clock_ghz(&self) -> f64 {
        median(&self.clock_ghz)
    }

    /// Returns this row's time and the other's for each round in which both took part.
    #[must_use]
    pub fn pairs(&self, other: &Self) -> Vec<(f64, f64)> {
        let of_round = |(i, &ns): (usize, &f64)| {
            let round = i * self.every;
            let ns_of_other = round.is_multiple_of(other.every).then(|| other.ns.get(round / other.every))?;
            Some((ns, *ns_of_other?))
        };
        self.ns.iter().enumerate().filter_map(of_round).collect()
    }
}

/// Measures all rows in turns. `run` calls a row as often as its argument says, and returns the
/// time.
pub fn take_turns<R>(rows: &mut [R], rounds: &Rounds, mut run: impl FnMut(&mut R, u64) -> Duration) -> Vec<Samples> {
    // With a clock that does not advance, the loop in `samples_for` would never end.
    let mut run = |row: &mut R, calls| run(row, calls).max(Duration::from_nanos(1));
    let mut samples: Vec<_> = rows.iter_mut().map(|row| samples_for(row, rounds, &mut run)).collect();
    let settle = rounds.settle.as_secs_f64() / rounds.turn.as_secs_f64();
    for round in 0..rounds.count.max(FEWEST) {
        for turn in 0..rows.len() {
            // Each round begins with another row, because a row may lower the clock for its
            // successor, and the successor then varies.
            let i = (round + turn) % rows.len();
            let (row, samples) = (&mut rows[i], &mut samples[i]);
            if !round.is_multiple_of(samples.every) {
                continue;
            }
            let settling = (samples.calls as f64 * settle).ceil() as u64;
            if settling > 0 && samples.every == 1 {
                run(row, settling);
            }
            samples.ns.push(run(row, samples.calls).as_nanos() as f64 / samples.calls as f64);
            samples.clock_ghz.push(clock_ghz());
        }
    }
    samples
}

/// Finds the number of calls that fill a turn, while the row warms up.
fn samples_for<R>(row: &mut R, rounds: &Rounds, run: &mut impl FnMut(&mut R, u64) -> Duration) -> Samples {
    let turn = rounds.turn.as_nanos().max(1) as f64;
    let mut calls = 1;
    loop {
        let mut ns = run(row, calls).as_nanos() as f64;
        if ns < 4.0 * turn {
            // The system may have interrupted the first attempt.
            ns = ns.min(run(row, calls).as_nanos() as f64);
        }
        if ns >= turn / 4.0 {
            let calls = ((calls as f64 * turn / ns) as u64).max(1);
            let every = if calls > 1 { 1 } else { (ns / turn) as usize };
            let every = every.clamp(1, (rounds.count / FEWEST).max(1));
            return Samples { ns: Vec::new(), clock_ghz: Vec::new(), calls, every };
        }
        calls *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(ns: &[f64], every: usize) -> Samples {
        Samples { ns: ns.into(), clock_ghz: vec![1.0; ns.len()], calls: 1, every }
    }

    #[test]
    fn rows_are_compared_round_by_round() {
        let (quick, slow) = (samples(&[1.0, 4.0, 1.1, 1.2, 1.3], 1), samples(&[9.0, 8.0, 7.0], 2));
        assert_eq!(quick.pairs(&slow), [(1.0, 9.0), (1.1, 8.0), (1.3, 7.0)]);
        assert_eq!(slow.pairs(&quick), [(9.0, 1.0), (8.0, 1.1), (7.0, 1.3)]);
    }

    #[test]
    fn a_row_gets_its_time_and_a_slow_one_its_rounds() {
        let rounds = Rounds { count: 10, turn: Duration::from_millis(2), settle: Duration::from_millis(1) };
        // Milliseconds for each call, and the number of calls. The test sets the time; nothing is
        // measured.
        let mut rows = [(0.5, 0), (30.0, 0)];
        let results = take_turns(&mut rows, &rounds, |(ms, made), calls| {
            *made += calls;
            Duration::from_secs_f64(*ms * 1e-3 * calls as f64)
        });
        assert_eq!((results[0].ns.len(), results[0].calls, results[0].every), (10, 4, 1));
        assert_eq!((results[1].ns.len(), results[1].calls, results[1].every), (4, 1, 3));
        assert_eq!((results[0].median_ns(), results[1].best_ns()), (5e5, 3e7));
        // Two warm-up attempts with one call each; then half a turn to settle and a turn, ten
        // times.
        assert_eq!((rows[0].1, rows[1].1), (2 + 10 * 6, 5));
        assert!(results.iter().all(|row| row.clock_ghz.len() == row.ns.len()));
    }
}

//! Rows that take turns, so that a drift of the machine's speed meets all of them, each for a fixed time.

use std::time::{Duration, Instant};

use super::clock;

/// A row is measured in so many rounds at least, however long one call takes.
const MIN_ROUNDS: usize = 3;

/// For how long each row is measured, and in how many rounds if calls are short.
pub(super) struct Rounds {
    pub(super) budget: Duration,
    pub(super) wanted: u32,
}

/// What was measured of a row, round by round.
pub(super) struct Samples {
    /// Nanoseconds for each call.
    pub(super) ns: Vec<f64>,
    /// The core's clock after the round, in GHz.
    pub(super) clock_ghz: Vec<f64>,
    /// Calls in each round.
    pub(super) calls: u64,
}

impl Samples {
    pub(super) fn median_ns(&self) -> f64 {
        median(&mut self.ns.clone())
    }

    pub(super) fn best_ns(&self) -> f64 {
        self.ns.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub(super) fn median_clock_ghz(&self) -> f64 {
        median(&mut self.clock_ghz.clone())
    }

    /// The median of this row's times as multiples of the other's in the same round.
    pub(super) fn ratio_to(&self, other: &Self) -> f64 {
        median(&mut self.ns.iter().zip(&other.ns).map(|(ns, other)| ns / other).collect::<Vec<_>>())
    }
}

/// Runs every row, which is told how many calls to make, in turns until its time is up.
pub(super) fn take_turns<T, F: FnMut(u64, &mut T)>(rows: &mut [F], subject: &mut T, rounds: &Rounds) -> Vec<Samples> {
    let slice = rounds.budget / rounds.wanted;
    let mut samples: Vec<_> = rows
        .iter_mut()
        .map(|row| Samples { ns: Vec::new(), clock_ghz: Vec::new(), calls: calls_in(slice, row, subject) })
        .collect();
    let mut spent = vec![Duration::ZERO; rows.len()];
    for round in 0.. {
        let mut any = false;
        for turn in 0..rows.len() {
            // Another one begins each time: what a row leaves behind (a lower clock) does not always meet the same one.
            let i = (round + turn) % rows.len();
            if spent[i] >= rounds.budget && samples[i].ns.len() >= MIN_ROUNDS {
                continue;
            }
            any = true;
            let time = time(&mut rows[i], samples[i].calls, subject);
            spent[i] += time;
            let ns = time.as_nanos() as f64 / samples[i].calls as f64;
            samples[i].ns.push(ns);
            samples[i].clock_ghz.push(clock::sample());
        }
        if !any {
            break;
        }
    }
    samples
}

/// As many calls as fill `slice`, found while the row warms up.
fn calls_in<T>(slice: Duration, row: &mut impl FnMut(u64, &mut T), subject: &mut T) -> u64 {
    let target = slice.as_nanos().max(1) as f64;
    let mut calls = 1;
    loop {
        // The system may have done something else in between.
        let ns = (0..3).map(|_| time(row, calls, subject).as_nanos()).min().unwrap_or(0).max(1) as f64;
        if ns >= target / 4.0 {
            return ((calls as f64 * target / ns) as u64).max(1);
        }
        calls *= 2;
    }
}

fn time<T>(row: &mut impl FnMut(u64, &mut T), calls: u64, subject: &mut T) -> Duration {
    let start = Instant::now();
    row(calls, subject);
    // A clock that stood still would have every loop wait for it.
    start.elapsed().max(Duration::from_nanos(1))
}

/// The middle value; the lower one of two.
pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [5.0]), 5.0);
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let row = |ns: &[f64]| Samples { ns: ns.into(), clock_ghz: vec![1.0; ns.len()], calls: 1 };
        // The machine was four times slower in the second round, which both rows met.
        assert_eq!(row(&[2.0, 8.0, 2.2]).ratio_to(&row(&[1.0, 4.0, 1.1])), 2.0);
    }

    #[test]
    fn a_row_gets_its_time_and_a_slow_one_its_rounds() {
        let mut calls = [0_u64; 2];
        let pause = |ms: u64| std::thread::sleep(Duration::from_millis(ms));
        let rounds = Rounds { budget: Duration::from_millis(20), wanted: 10 };
        let mut quick = |n: u64, calls: &mut [u64; 2]| {
            calls[0] += n;
            (0..n).for_each(|_| pause(1));
        };
        let mut slow = |n: u64, calls: &mut [u64; 2]| {
            calls[1] += n;
            (0..n).for_each(|_| pause(30));
        };
        type Row<'a> = &'a mut dyn FnMut(u64, &mut [u64; 2]);
        let mut rows: [Row<'_>; 2] = [&mut quick, &mut slow];
        let samples = take_turns(&mut rows, &mut calls, &rounds);
        assert!(samples[0].ns.len() >= MIN_ROUNDS && samples[0].ns.len() <= 20, "{}", samples[0].ns.len());
        assert_eq!((samples[1].ns.len(), samples[1].calls), (MIN_ROUNDS, 1));
        assert!(samples[0].median_ns() >= 1e6 && samples[1].best_ns() >= 3e7);
        assert!(calls[0] > 0 && calls[1] > 0);
    }
}

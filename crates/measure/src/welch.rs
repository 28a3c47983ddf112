//! Welch's t-test of two sets of times.
//!
//! "Dude, is my code constant time?" (Reparaz, Balasch, Verbauwhede, 2017) compares the times of an
//! operation on two sets of secrets. The test is repeated without the longest times, for
//! several cut-offs, because interrupts cause long times that do not depend on a secret.

/// The shares of the longest times that the test leaves out.
const CROPS: i32 = 100;

/// Returns Welch's t of two sets of times. Repeats the test without the longest times, and returns
/// the value farthest from 0.
#[must_use]
pub fn largest_t(times: &[Vec<f64>; 2]) -> f64 {
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

//! The rule for lengths: no length is much slower than a longer one.

/// A length that breaks the rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slow {
    /// The length.
    pub bytes: usize,
    /// Its time, as a multiple of the time of `next`.
    pub ratio: f64,
    /// The next multiple of 128 bytes above.
    pub next: usize,
}

/// A length may take at most this multiple of the time of the next multiple of 128.
const MOST: f64 = 1.08;
const STEP: usize = 128;

/// Returns the lengths that are more than 8 % slower than the next multiple of 128 above them.
/// `times` has lengths in bytes, and times in any unit. A length is skipped if its multiple is
/// missing.
#[must_use]
pub fn slow_lengths(times: &[(usize, f64)]) -> Vec<Slow> {
    let time_of = |length: usize| times.iter().find(|(bytes, _)| *bytes == length).map(|(_, time)| *time);
    let slow = |&(bytes, time): &(usize, f64)| {
        let next = (bytes + 1).next_multiple_of(STEP);
        let ratio = time / time_of(next)?;
        (ratio > MOST).then_some(Slow { bytes, ratio, next })
    };
    times.iter().filter_map(slow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_compared_with_the_next_multiple_of_128() {
        let times = [(0, 5.0), (1, 10.8), (127, 10.9), (128, 10.0), (129, 9.0), (256, 10.0), (300, 99.0)];
        assert_eq!(slow_lengths(&times), [Slow { bytes: 127, ratio: 1.09, next: 128 }]);
        let times = [(128, 12.0), (256, 11.0)];
        assert_eq!(slow_lengths(&times)[0].bytes, 128);
    }
}

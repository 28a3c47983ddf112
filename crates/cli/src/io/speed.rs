//! The speed of work, and the time that is left.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use indicatif::HumanBytes;

/// The time over which the speed is averaged, so that it follows a change within seconds.
const WINDOW: Duration = Duration::from_secs(10);

/// The least time between two samples.
const INTERVAL: Duration = Duration::from_millis(100);

/// Measures the speed of work in bytes per second. The caller passes the time.
pub(crate) struct Speed {
    /// Samples of the time and the number of bytes: one before the window, and all within it.
    samples: VecDeque<(Instant, u64)>,
}

impl Speed {
    /// Starts with `bytes` that are done already.
    pub(crate) fn new(now: Instant, bytes: u64) -> Self {
        Self { samples: VecDeque::from([(now, bytes)]) }
    }

    /// Takes a sample, unless the last one is too recent. Returns whether it did.
    pub(crate) fn record(&mut self, now: Instant, bytes: u64) -> bool {
        let age = |(then, _): &(Instant, u64)| now.saturating_duration_since(*then);
        if self.samples.back().is_some_and(|last| age(last) < INTERVAL) {
            return false;
        }
        while self.samples.get(1).is_some_and(|second| age(second) >= WINDOW) {
            self.samples.pop_front();
        }
        self.samples.push_back((now, bytes));
        true
    }

    /// Returns the bytes per second, once there are two samples.
    fn bytes_per_second(&self) -> Option<u64> {
        let ((first, before), (last, after)) = (self.samples.front()?, self.samples.back()?);
        let micros = last.saturating_duration_since(*first).as_micros();
        let bytes = u128::from(after.saturating_sub(*before));
        u64::try_from((bytes * 1_000_000).checked_div(micros)?).ok()
    }

    /// Returns the speed, and the time for the bytes that are `left`, if their number is known. The
    /// text is empty before the second sample.
    pub(crate) fn text(&self, left: Option<u64>) -> String {
        let Some(speed) = self.bytes_per_second() else { return String::new() };
        match left.and_then(|left| left.checked_div(speed)) {
            Some(seconds) => format!("{}/s  {} left", HumanBytes(speed), duration(seconds)),
            None => format!("{}/s", HumanBytes(speed)),
        }
    }
}

/// Formats a time in its two largest units.
fn duration(seconds: u64) -> String {
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min {} s", seconds % 60),
        _ => format!("{hours} h {} min", minutes % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_steady_pipe_has_a_steady_speed() {
        let start = Instant::now();
        let mut speed = Speed::new(start, 0);
        assert_eq!(speed.text(Some(100 * MIB)), "");
        for tick in 1..=400 {
            // 5 MiB a second, in pieces that arrive every 50 ms.
            let done = tick * MIB / 4;
            let recorded = speed.record(start + Duration::from_millis(50 * tick), done);
            assert_eq!(recorded, tick % 2 == 0, "{tick}");
            if recorded {
                assert_eq!(speed.bytes_per_second(), Some(5 * MIB), "{tick}");
            }
        }
        assert!(speed.samples.len() <= 102, "{}", speed.samples.len());
        assert_eq!(speed.text(Some(5 * MIB * 125)), "5.00 MiB/s  2 min 5 s left");
        assert_eq!(speed.text(Some(5 * MIB * 7265)), "5.00 MiB/s  2 h 1 min left");
        assert_eq!(speed.text(None), "5.00 MiB/s");
    }

    #[test]
    fn the_estimate_follows_changes_of_speed() {
        let start = Instant::now();
        let mut speed = Speed::new(start, 0);
        for second in 1..=60 {
            speed.record(
                start + Duration::from_secs(second),
                second.min(30) * 10 * MIB + second.saturating_sub(30) * MIB,
            );
        }
        assert_eq!(speed.text(Some(9 * MIB)), "1.00 MiB/s  9 s left");
        speed.record(start + Duration::from_secs(90), 330 * MIB);
        assert_eq!(speed.text(Some(MIB)), "0 B/s");
    }
}

//! Questions about a threshold, and the measurements that answer them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sealane::{Backend, ChaCha20Poly1305, SealRequest};
use sealane_measure::{Messages, Processing, Rounds, figure, take_turns};
use sealane_simd::tuning::ByClass;
use sealane_simd::{CpuClass, Level, LevelList};
use sealane_workloads::benchmarks::MakeProcessing;
use sealane_workloads::benchmarks::messages::{BATCH, KEY, nonce};

/// How a threshold is judged.
pub(super) enum Question {
    /// At the length `from` in bytes, one plan gives way to another. For each plan, each further
    /// `step` bytes take about the same time.
    Length { name: &'static str, make: MakeProcessing, from: usize, step: usize },
    /// The classes of CPUs have different values, which matter at this length.
    Class { name: &'static str, make: MakeProcessing, length: usize, values: ByClass<bool> },
    /// This many messages of this length are sealed together rather than one by one.
    Together { messages: usize, length: usize },
    /// Messages of this length are authenticated between the rounds if they have at most `max_aad`
    /// bytes of associated data, and in a second pass if they have more.
    BetweenRounds { length: usize, max_aad: usize },
    /// There is nothing to compare, for this reason.
    Nothing(&'static str),
}

pub(super) enum Verdict {
    /// The better value, and the gain as a fraction of the time; it may be negative.
    Measured {
        better: &'static str,
        gain: f64,
        times: String,
    },
    Unmeasured(&'static str),
}

impl Question {
    pub(super) fn answer(&self, level: Level, rounds: &Rounds) -> Verdict {
        match *self {
            Self::Length { name, make, from, step } => {
                // The step is reduced if the shortest message would have no byte.
                let step = step.min((from - 1) / 2).max(1);
                let lengths = [from - 2 * step, from - step, from, from + step];
                let times = times(lengths.map(|length| of_messages(make, level, length, None)), rounds);
                let (better, gain) = at_threshold(times);
                Verdict::Measured { better, gain, times: listed(name, &lengths.map(bytes), &times) }
            }
            Self::Class { name, make, length, values } => {
                let class = CpuClass::detect();
                let times = times(CpuClass::ALL.map(|class| of_messages(make, level, length, Some(class))), rounds);
                CpuClass::force(Some(class));
                let timed = CpuClass::ALL.into_iter().zip(times);
                let (_, here) = timed.clone().find(|(known, _)| *known == class).expect("a class of all");
                // Another class with the same value differs by other values only.
                let other = timed.filter(|(other, _)| values.of(*other) != values.of(class));
                let (better, best) =
                    other.filter(|(_, ns)| *ns < here).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((class, here));
                let gain = here / best - 1.0;
                let names = CpuClass::ALL.map(|class| format!("as {}", class.name()));
                Verdict::Measured {
                    better: better.name(),
                    gain,
                    times: listed(&format!("{name} of {}", bytes(length)), &names, &times),
                }
            }
            Self::Together { messages, length } => {
                let times = times([true, false].map(|together| of_batch(level, messages, length, together)), rounds);
                let (better, gain) =
                    if times[0] > times[1] { ("alone", times[0] / times[1] - 1.0) } else { ("together", 0.0) };
                let what = format!("{messages} messages of {}", bytes(length));
                Verdict::Measured { better, gain, times: listed(&what, &["together".into(), "alone".into()], &times) }
            }
            Self::BetweenRounds { length, max_aad } => {
                // One more block takes almost no time.
                let aads = [max_aad, max_aad + 16];
                let times = times(aads.map(|aad| of_aad(level, length, aad)), rounds);
                let what = format!("seal of {} with associated data", bytes(length));
                let gain = times[0] / times[1] - 1.0;
                Verdict::Measured { better: "false", gain, times: listed(&what, &aads.map(bytes), &times) }
            }
            Self::Nothing(reason) => Verdict::Unmeasured(reason),
        }
    }
}

/// Returns whether a lower ("less") or a higher ("more") threshold is better, and the gain. The
/// arguments are the times of two lengths before the threshold, of the threshold itself, and of a
/// length after it, all one step apart.
fn at_threshold([before, last, first, after]: [f64; 4]) -> (&'static str, f64) {
    // The line of each plan, extrapolated by one step across the threshold.
    let (shorter_plan, longer_plan) = (2.0 * last - before, 2.0 * first - after);
    let (more, less) = (first / shorter_plan - 1.0, last / longer_plan - 1.0);
    if more > less { ("more", more) } else { ("less", less) }
}

type Timed = Box<dyn FnMut(u64) -> Duration>;

/// Returns the median time of each row, in nanoseconds.
fn times<const N: usize>(rows: [Timed; N], rounds: &Rounds) -> [f64; N] {
    let mut rows = rows;
    let samples = take_turns(&mut rows, rounds, |row, calls| row(calls));
    std::array::from_fn(|i| samples[i].median_ns())
}

/// Returns a function that times calls for one message, or for one batch. They use the thresholds
/// of `class`, if it is given.
fn of_messages(make: MakeProcessing, level: Level, length: usize, class: Option<CpuClass>) -> Timed {
    let mut processing = make(level.name()).expect("a backend that the CPU has");
    let count = if let Processing::Batch(_) = processing { BATCH } else { 1 };
    let (mut messages, mut next) = (Messages::new(length, 0, count, count), 0);
    Box::new(move |calls| {
        class.iter().for_each(|class| CpuClass::force(Some(*class)));
        messages.time(&mut processing, calls, &mut next)
    })
}

/// Returns a function that times the sealing of `count` messages, in one call together or in a call
/// for each.
fn of_batch(level: Level, count: usize, length: usize, together: bool) -> Timed {
    let cipher = cipher(level);
    let mut messages = vec![(vec![1; length], [0; 16]); count];
    Box::new(move |calls| {
        let start = Instant::now();
        for _ in 0..calls {
            let numbered = (0..).zip(black_box(&mut messages));
            if together {
                let requests = numbered.map(|(number, (data, tag))| SealRequest::new(nonce(number), &[], data, tag));
                cipher.seal_batch(&mut requests.collect::<Vec<_>>());
            } else {
                for (number, (data, tag)) in numbered {
                    *tag = cipher.seal_in_place(&nonce(number), &[], data);
                }
            }
        }
        start.elapsed()
    })
}

/// Returns a function that times the sealing of a message with `aad` bytes of associated data.
fn of_aad(level: Level, length: usize, aad: usize) -> Timed {
    let cipher = cipher(level);
    let (aad, mut message) = (vec![1; aad], vec![1; length]);
    Box::new(move |calls| {
        let start = Instant::now();
        for number in 0..calls {
            black_box(cipher.seal_in_place(&nonce(number), &aad, black_box(&mut message)));
        }
        start.elapsed()
    })
}

fn cipher(level: Level) -> ChaCha20Poly1305 {
    let backend = Backend::by_name(level.name()).expect("a backend that the CPU has");
    ChaCha20Poly1305::with_backend(&KEY, backend)
}

fn bytes(length: usize) -> String {
    format!("{length} B")
}

/// Formats the times for people: "poly1305: 304 B 44.0 ns, 320 B 45.1 ns".
fn listed(what: &str, names: &[String], times: &[f64]) -> String {
    let each: Vec<_> = names.iter().zip(times).map(|(name, ns)| format!("{name} {} ns", figure(*ns))).collect();
    format!("{what}: {}", each.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_continued_over_the_threshold() {
        // Both plans lie on one line, so no threshold is better.
        assert_eq!(at_threshold([10.0, 20.0, 30.0, 40.0]).1, 0.0);
        // The longer plan would have taken 10 at the second length.
        assert_eq!(at_threshold([10.0, 20.0, 15.0, 20.0]), ("less", 1.0));
        // The shorter plan would have taken 30 at the third length.
        assert_eq!(at_threshold([10.0, 20.0, 45.0, 46.0]), ("more", 0.5));
    }

    #[test]
    fn times_are_listed() {
        assert_eq!(listed("seal", &["1 B".into(), "2 B".into()], &[10.0, 20.5]), "seal: 1 B 10.0 ns, 2 B 20.5 ns");
    }
}

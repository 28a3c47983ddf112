//! Questions about a threshold, and the measurements that answer them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sealane::{Backend, ChaCha20Poly1305, SealRequest};
use sealane_measure::{Messages, Rounds, figure, take_turns};
use sealane_simd::{CpuClass, Level, LevelList};
use sealane_workloads::benchmarks::MakeProcessing;

/// How a threshold is judged.
pub(super) enum Question {
    /// One plan gives way to another at this length in bytes. Each plan's time grows with the
    /// length, by about the same for each step.
    Length { name: &'static str, make: MakeProcessing, from: usize, step: usize },
    /// The classes of CPUs have different values, which matter at this length.
    Class { name: &'static str, make: MakeProcessing, length: usize },
    /// That many messages of a length are sealed together, rather than one by one.
    Together { messages: usize, length: usize },
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
                // Shorter messages have a length of at least a step.
                let step = step.min((from - 1) / 2).max(1);
                let lengths = [from - 2 * step, from - step, from, from + step];
                let times = times(lengths.map(|length| of_messages(make, level, length, None)), rounds);
                let (better, gain) = at_threshold(times);
                Verdict::Measured { better, gain, times: listed(name, &lengths.map(bytes), &times) }
            }
            Self::Class { name, make, length } => {
                let class = CpuClass::detect();
                let times = times(CpuClass::ALL.map(|class| of_messages(make, level, length, Some(class))), rounds);
                CpuClass::force(Some(class));
                let index = CpuClass::ALL.iter().position(|known| *known == class).unwrap_or(0);
                let best = if times[0] <= times[1] { 0 } else { 1 };
                let gain = times[index] / times[best] - 1.0;
                let names = CpuClass::ALL.map(|class| format!("as {}", class.name()));
                Verdict::Measured {
                    better: CpuClass::ALL[best].name(),
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
            Self::Nothing(reason) => Verdict::Unmeasured(reason),
        }
    }
}

/// Returns whether a lower or a higher threshold is better, and the gain, from the times of two
/// equal steps before it and from it on.
fn at_threshold([before, last, first, after]: [f64; 4]) -> (&'static str, f64) {
    // Each plan's line, continued by one step over the threshold.
    let (shorter_plan, longer_plan) = (2.0 * last - before, 2.0 * first - after);
    let (more, less) = (first / shorter_plan - 1.0, last / longer_plan - 1.0);
    if more > less { ("more", more) } else { ("less", less) }
}

type Timed = Box<dyn FnMut(u64) -> Duration>;

/// Returns the median time of each, in nanoseconds.
fn times<const N: usize>(rows: [Timed; N], rounds: &Rounds) -> [f64; N] {
    let mut rows = rows;
    let samples = take_turns(&mut rows, rounds, |row, calls| row(calls));
    std::array::from_fn(|i| samples[i].median_ns())
}

/// Returns the time of calls for one message, on a class of CPUs.
fn of_messages(make: MakeProcessing, level: Level, length: usize, class: Option<CpuClass>) -> Timed {
    let mut processing = make(level.name()).expect("a backend that the CPU has");
    let (mut messages, mut next) = (Messages::new(length, 0, 1, 1), 0);
    Box::new(move |calls| {
        class.iter().for_each(|class| CpuClass::force(Some(*class)));
        messages.time(&mut processing, calls, &mut next)
    })
}

/// Returns the time of sealing messages, in one call or in one for each.
fn of_batch(level: Level, count: usize, length: usize, together: bool) -> Timed {
    let backend = Backend::by_name(level.name()).expect("a backend that the CPU has");
    let cipher = ChaCha20Poly1305::with_backend(&[7; 32], backend);
    let mut messages = vec![(vec![1; length], [0; 16]); count];
    Box::new(move |calls| {
        let start = Instant::now();
        for _ in 0..calls {
            let numbered = (0_u32..).zip(black_box(&mut messages));
            let nonce = |number: u32| -> [u8; 12] {
                let mut nonce = [0; 12];
                nonce[..4].copy_from_slice(&number.to_le_bytes());
                nonce
            };
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

fn bytes(length: usize) -> String {
    format!("{length} B")
}

/// Returns the times for a person: "poly1305: 304 B 44.0 ns, 320 B 45.1 ns".
fn listed(what: &str, names: &[String], times: &[f64]) -> String {
    let each: Vec<_> = names.iter().zip(times).map(|(name, ns)| format!("{name} {} ns", figure(*ns))).collect();
    format!("{what}: {}", each.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_continued_over_the_threshold() {
        // The two plans cross between 20 and 30.
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

//! Measures our code at every length. Lists the lengths that are slower than a longer one, and
//! saves the times, from which `cargo xtask figures` draws docs/lengths-*.svg.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use sealane_measure::{Messages, Rounds, Slow, clock_ghz, median, slow_lengths, take_turns};
use sealane_simd::CpuClass;
use serde::Serialize;

use crate::args::Args;
use crate::harness::{Suite, Time};
use crate::row::{Owner, Row};
use crate::suites;

/// The longest length that is judged. The next multiple of [`RULE_STEP`] is measured too.
const LONGEST: usize = 4200;
const RULE_STEP: usize = 128;

/// The document that `--save` writes.
#[derive(Serialize)]
struct Sweep {
    place: String,
    bytes: Vec<usize>,
    lines: Vec<Line>,
}

/// A primitive, with its time for each length.
#[derive(Serialize)]
struct Line {
    name: &'static str,
    ns: Vec<f64>,
}

/// Measures, prints the lengths that break the rule, and saves the times. The rule is that no
/// length takes over 8 % longer than the next multiple of [`RULE_STEP`].
///
/// # Errors
/// If the arguments select several backends, an unknown backend or no primitive, a row is wrong or
/// impossibly fast, or the file cannot be written.
pub fn run(args: &Args, step: u16) -> Result<ExitCode, String> {
    let backend = match args.backend.as_deref() {
        Some([name]) => sealane::Backend::by_name(name).map_err(|error| format!("backend {name}: {error}"))?,
        Some(_) => return Err("--sweep takes one backend".into()),
        None => sealane::Backend::from_env().map_err(|error| format!("SEALANE_BACKEND: {error}"))?,
    };
    let mut suites = suites::of_messages(args);
    suites.retain(|suite| suite.batch == 1);
    if suites.is_empty() {
        return Err("no primitive matches the filter".into());
    }
    let lengths = lengths(step.into());
    let place = format!("{backend}, class {}", CpuClass::detect().name());
    println!("{} lengths on {place}, at {:.2} GHz", lengths.len(), median(&[(); 101].map(|()| clock_ghz())));
    let mut lines = Vec::new();
    let mut all_fast = true;
    for suite in &mut suites {
        suite.rows.retain(Row::is_ours);
        suite.verify()?;
        suite.rows.retain(|row| matches!(row.owner, Owner::Sealane { backend: its, .. } if its == backend));
        let times = times(suite, &lengths, args.quick)?;
        let slow = slow_lengths(&times.iter().map(|(bytes, time)| (*bytes, time.median_ns)).collect::<Vec<_>>());
        println!("{}: {}", suite.name, described(&slow));
        all_fast &= slow.is_empty();
        // A tenth of a nanosecond is less than the noise, and keeps the file small.
        let ns = times.iter().map(|(_, time)| (time.median_ns * 10.0).round() / 10.0).collect();
        lines.push(Line { name: suite.name, ns });
    }
    if let Some(path) = &args.save {
        let json = serde_json::to_string(&Sweep { place, bytes: lengths, lines }).expect("figures are plain data");
        std::fs::write(path, json + "\n").map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(if args.check && !all_fast { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn lengths(step: usize) -> Vec<usize> {
    let longest = LONGEST.next_multiple_of(RULE_STEP);
    (0..=longest).filter(|n| (n % step == 0 && *n <= LONGEST) || n % RULE_STEP == 0).collect()
}

/// Measures the only row of a suite at all lengths. The lengths take turns.
fn times(suite: &mut Suite, lengths: &[usize], quick: bool) -> Result<Vec<(usize, Time)>, String> {
    // About a quarter of a minute for each primitive.
    let count = if quick { 9 } else { (60_000 / lengths.len()).clamp(11, 81) };
    let rounds = Rounds { count, turn: Duration::from_micros(150), settle: Duration::from_micros(75) };
    let mut messages: Vec<_> = lengths.iter().map(|&length| (suite.messages(length, 0), 0)).collect();
    let [row] = &mut suite.rows[..] else { return Err("one row".into()) };
    let samples = take_turns(&mut messages, &rounds, |(messages, next): &mut (Messages, u64), passes| {
        row.time(messages, passes, next)
    });
    let mut times = Vec::new();
    for ((samples, (messages, _)), &length) in samples.iter().zip(&messages).zip(lengths) {
        let time = Time::of(samples, messages.count());
        time.possible(&format!("{}, {length} bytes", suite.name), row.work(suite.work), length)?;
        times.push((length, time));
    }
    Ok(times)
}

/// Names the lengths that break the rule. Lengths with the same next multiple of 128 are listed
/// together.
fn described(slow: &[Slow]) -> String {
    if slow.is_empty() {
        return "no length is more than 8 % slower than the next multiple of 128".into();
    }
    let mut text = format!("too slow, {} in all:", slow.len());
    for group in slow.chunk_by(|a, b| a.next == b.next) {
        let worst = group.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)).expect("groups are not empty");
        let lengths: Vec<_> = group.iter().map(|slow| slow.bytes.to_string()).collect();
        // Writing to a String cannot fail.
        let _ = write!(text, "\n  {} (to {:.2} times {})", lengths.join(" "), worst.ratio, worst.next);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_the_one_that_it_is_compared_with() {
        for step in [1, 7, 128] {
            let lengths = lengths(step);
            assert!(lengths.iter().take_while(|length| **length <= LONGEST).all(|length| {
                lengths.contains(&length.next_multiple_of(RULE_STEP)) && (length % step == 0 || length % RULE_STEP == 0)
            }));
            assert_eq!((lengths[0], lengths[lengths.len() - 1]), (0, 4224));
        }
        assert_eq!(lengths(1).len(), 4202);
    }

    #[test]
    fn lengths_that_break_the_rule_are_named() {
        let slow = [(126, 1.2, 128), (127, 1.094, 128), (255, 1.1, 256)];
        let slow = slow.map(|(bytes, ratio, next)| Slow { bytes, ratio, next });
        let expected = "too slow, 3 in all:\n  126 127 (to 1.20 times 128)\n  255 (to 1.10 times 256)";
        assert_eq!(described(&slow), expected);
        assert!(described(&[]).starts_with("no length"));
    }

    #[test]
    fn a_row_that_does_nothing_is_refused() {
        let idle = Row::new(Owner::Peer(crate::peers::Peer::Ring), |_, _, _| true);
        let mut suite = Suite::new("seal", sealane_measure::Work::Aead, vec![idle]);
        let error = times(&mut suite, &[0, 1350], true).err().expect("too fast");
        assert!(error.starts_with("seal, 0 bytes: "), "{error}");
    }
}

//! `sealane bench --tune`: how well each threshold of the tuning table suits this CPU.
//!
//! The thresholds are constants in the code, so nothing is changed and nothing is compiled twice.
//! Most thresholds are lengths at which one plan gives way to another. There, each plan is timed at
//! two lengths on its own side of the threshold. The line through its two times is extrapolated
//! across the threshold, and compared with the time of the other plan there.

mod measurement;
mod thresholds;

use std::fmt::Write as _;
use std::time::Duration;

use sealane_measure::{Rounds, Table};
use sealane_simd::{CpuClass, Level, LevelList};

use crate::error::{Error, Result};
use crate::io::output::print;
use measurement::Verdict;

/// Differences below this are noise.
const LEAST_GAIN: f64 = 0.02;

/// Measures all thresholds of the backend in use, and prints how well they suit this CPU.
pub(super) fn run(time_per_cell: Duration) -> Result<()> {
    let name = crate::os::backend::chosen()?.name();
    let level = Level::available().find(|level| level.name() == name);
    let level = level.ok_or_else(|| Error::new(format!("{name}: this CPU does not have it")))?;
    const COUNT: u32 = 25;
    let rounds = Rounds { count: COUNT as usize, turn: time_per_cell / COUNT, settle: Duration::ZERO };

    let mut table = Table::new(["threshold", "value", "here", "gain"].map(String::from));
    let mut measurements = vec!["measured".to_owned()];
    for threshold in thresholds::of(level) {
        let verdict = threshold.question.answer(level, &rounds);
        let [here, gain, measured] = cells(&verdict);
        table.row([threshold.name.to_owned(), threshold.value, here, gain]);
        measurements.push(measured);
    }
    let mut text = String::new();
    let cpu = crate::os::cpu::model();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "CPU       {}", cpu.as_deref().unwrap_or("(name not readable)"));
    let _ = writeln!(text, "sealane   {} ({})", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let _ = writeln!(text, "backend   {name}, class {}", CpuClass::detect().name());
    let _ = writeln!(text);
    for (line, measured) in table.text(0).lines().zip(measurements) {
        let _ = writeln!(text, "{line}  {measured}");
    }
    print(text.as_bytes())
}

/// Returns three cells of a row: the better value, the gain, and the times.
fn cells(verdict: &Verdict) -> [String; 3] {
    match verdict {
        Verdict::Unmeasured(reason) => ["-".into(), "-".into(), (*reason).into()],
        Verdict::Measured { better, gain, times } if *gain >= LEAST_GAIN => {
            [(*better).into(), format!("{:.0}%", gain * 100.0), times.clone()]
        }
        Verdict::Measured { times, .. } => ["keep".into(), "-".into(), times.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_keep_the_value() {
        let measured = |gain| Verdict::Measured { better: "less", gain, times: "times".into() };
        assert_eq!(cells(&measured(0.25)), ["less", "25%", "times"]);
        assert_eq!(cells(&measured(0.019)), ["keep", "-", "times"]);
        assert_eq!(cells(&Verdict::Unmeasured("a reason")), ["-", "-", "a reason"]);
    }
}

//! Counts with valgrind's callgrind. Whenever the probe calls its function `boundary`, callgrind
//! writes down the number of instructions since the last call.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use super::limits::Counts;
use crate::{probe, process};

/// The backends with limits, of all families. AVX-512, VAES, VPCLMULQDQ and GFNI are not among
/// them, because valgrind (3.19 here) does not know them, and hides them from programs.
const BACKENDS: &[&str] = &["avx2", "ssse3", "aesni", "pclmulqdq", "scalar"];

/// Returns the counts of all cases on all backends.
pub(super) fn measure(program: &Path) -> Result<Counts> {
    let mut counts = Counts::new();
    for backend in BACKENDS {
        let (cases, profile) = run(program, backend)?;
        read(backend, &cases, &profile, &mut counts).with_context(|| format!("counting on {backend}"))?;
    }
    Ok(counts)
}

/// Returns the probe's list of cases, and callgrind's file.
fn run(program: &Path, backend: &str) -> Result<(String, String)> {
    let profile = program.with_file_name(format!("instructions-{backend}.callgrind"));
    let file = format!("--callgrind-out-file={}", profile.display());
    let flags = ["--tool=callgrind", "--combine-dumps=yes", "--dump-before=*boundary*", &file];
    let (status, cases, errors) = probe::under_valgrind(&flags, program, &["instructions", backend])?;
    ensure!(status == Some(0), "this needs a CPU with AVX2 and BMI2, and a valgrind that knows them: {errors}");
    Ok((cases, process::read(profile)?))
}

/// Adds the counts of one run of the probe.
fn read(backend: &str, cases: &str, profile: &str, counts: &mut Counts) -> Result<()> {
    let totals: Vec<u64> = profile
        .lines()
        .filter_map(|line| line.strip_prefix("totals: "))
        .map(|total| total.trim().parse().with_context(|| format!("callgrind wrote a total of {total:?}")))
        .collect::<Result<_>>()?;
    let cases: Vec<&str> = cases.lines().collect();
    // Each case has three counts: the code before it, the shorter interval, and the longer one. The
    // last count is the code after all cases.
    ensure!(
        !cases.is_empty() && totals.len() == 3 * cases.len() + 1,
        "the probe ran {} cases, but callgrind wrote down {} intervals",
        cases.len(),
        totals.len()
    );
    for (line, intervals) in cases.iter().zip(totals.chunks_exact(3)) {
        let &[operation, size, more, after] = line.split(' ').collect::<Vec<_>>().as_slice() else {
            bail!("the probe printed {line:?}");
        };
        let number = |text: &str| text.parse::<u32>().with_context(|| format!("the probe printed {line:?}"));
        let (size, more) = (number(size)? as usize, number(more)?);
        let all = per_operation(intervals[1], intervals[2], more.into()).with_context(|| line.to_string())?;
        // If an operation runs another one first, its cost is the difference.
        let mut instructions = all;
        if after != "-" {
            let before = counts.get(&format!("{backend} {after}")).and_then(|sizes| sizes.get(&size));
            let difference = before.and_then(|before| all.checked_sub(*before)).filter(|difference| *difference > 0);
            instructions = difference.with_context(|| format!("{line}: not after a cheaper {after} {size}"))?;
        }
        let previous = counts.entry(format!("{backend} {operation}")).or_default().insert(size, instructions);
        ensure!(previous.is_none(), "the probe ran a case twice: {line}");
    }
    Ok(())
}

/// Returns the number of instructions of one operation. The first interval has one operation, the
/// second has `more` further ones. Both have the same surrounding code.
fn per_operation(one: u64, with_more: u64, more: u64) -> Result<u64> {
    let difference = with_more.checked_sub(one).context("more operations took fewer instructions")?;
    ensure!(
        difference > 0 && more > 0 && difference.is_multiple_of(more),
        "{more} operations took {difference} instructions: not the same number each"
    );
    Ok(difference / more)
}

#[cfg(test)]
mod tests {
    use super::super::limits;
    use super::*;

    /// Returns the counts of these cases, as text.
    fn counted(cases: &str, totals: &[u64]) -> Result<Vec<(String, u64)>> {
        let profile: String =
            totals.iter().map(|total| format!("part: 1\nsummary: 9\nfn=(1) f\n3 4\ntotals: {total}\n\n")).collect();
        let mut counts = Counts::new();
        read("avx2", cases, &profile, &mut counts)?;
        Ok(limits::cases(&counts).map(|(name, size, count)| (format!("{name} {size}"), count)).collect())
    }

    #[test]
    fn a_count_is_the_difference_of_two_intervals() {
        let cases = "chacha20 64 10 -\nseal-batch 64 5 -\n";
        let counts = counted(cases, &[9999, 130, 1030, 50, 7, 262, 3]).unwrap();
        assert_eq!(counts, [("avx2 chacha20 64".into(), 90), ("avx2 seal-batch 64".into(), 51)]);
    }

    #[test]
    fn opening_is_what_is_left_of_the_pair() {
        let counts = counted("seal 16 10 -\nopen 16 10 seal\n", &[1, 130, 1030, 1, 230, 2330, 1]).unwrap();
        assert_eq!(counts, [("avx2 open 16".into(), 120), ("avx2 seal 16".into(), 90)]);
        for (open, longer) in [("open 64 10 seal", 2330), ("open 16 10 commit-seal", 2330), ("open 16 10 seal", 1030)] {
            let error = counted(&format!("seal 16 10 -\n{open}\n"), &[1, 130, 1030, 1, 130, longer, 1]).unwrap_err();
            assert!(error.to_string().contains("not after"), "{open}");
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for (cases, totals, why) in [
            ("", &[5][..], "no case"),
            ("seal 16 10 -\n", &[1, 130, 1030], "an interval is missing"),
            ("seal 16 10 -\n", &[1, 130, 1030, 1, 1], "one too many"),
            ("seal 16 10\n", &[1, 130, 1030, 1], "a line without the number of operations"),
            ("seal 16 ten -\n", &[1, 130, 1030, 1], "no number"),
            ("seal 16 0 -\n", &[1, 130, 1030, 1], "nothing more"),
            ("seal 16 10 -\n", &[1, 130, 1035, 1], "operations differ"),
            ("seal 16 10 -\n", &[1, 130, 130, 1], "nothing was repeated"),
            ("seal 16 10 -\nseal 16 10 -\n", &[1, 130, 1030, 1, 130, 1030, 1], "a case twice"),
        ] {
            assert!(counted(cases, totals).is_err(), "{why}");
        }
    }
}

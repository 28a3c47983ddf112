//! The limits of instruction counts, and the comparison of counts with them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Numbers of instructions of one operation, by backend and operation (`avx2 seal`), and by the
/// size of each input, in the unit of the operation: usually the length of a message, in bytes.
pub(super) type Counts = BTreeMap<String, BTreeMap<usize, u64>>;

/// Returns each backend and operation with each size and count.
pub(super) fn cases(counts: &Counts) -> impl Iterator<Item = (&str, usize, u64)> {
    counts.iter().flat_map(|(name, sizes)| sizes.iter().map(|(size, count)| (name.as_str(), *size, *count)))
}

/// The contents of xtask/instruction-limits.toml.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limits {
    /// The version of the compiler with which all cases were last counted.
    pub(super) compiler: String,
    pub(super) limit: Counts,
}

const BLESS: &str = "run `cargo xtask instructions --bless`";

/// The tolerance above a limit: the larger of a percentage and a number of instructions. After a
/// change elsewhere, the compiler may add register copies around a short message, which is no
/// regression. Eight instructions are only about 1 % of a kernel's loop.
const ABOVE: (u64, u64) = (2, 8);
/// The tolerance below a limit is wider, because a small gain is not worth the work to lower the
/// limit.
const BELOW: (u64, u64) = (5, 20);

fn tolerance(limit: u64, (percent, at_least): (u64, u64)) -> u64 {
    (limit * percent / 100).max(at_least)
}

impl Limits {
    /// Returns the new text of the file. `old` is the present text, whose comment at the top is
    /// kept.
    pub(super) fn text(&self, old: &str) -> String {
        let comment = old.lines().take_while(|line| line.starts_with('#'));
        let mut text = comment.map(|line| format!("{line}\n")).collect::<String>();
        text += &format!("\ncompiler = {:?}\n", self.compiler);
        for (name, sizes) in &self.limit {
            text += &format!("\n[limit.{name:?}]\n");
            text.extend(sizes.iter().map(|(size, limit)| format!("{size} = {limit}\n")));
        }
        text
    }

    /// Returns the limit of a case, if it has one.
    pub(super) fn of(&self, name: &str, size: usize) -> Option<u64> {
        self.limit.get(name)?.get(&size).copied()
    }

    /// Returns the error messages for these counts. `whole` tells whether they are the counts of
    /// all cases or only of some.
    pub(super) fn judge(&self, counts: &Counts, compiler: &str, whole: bool) -> Vec<String> {
        let mut complaints = Vec::new();
        for (name, size, count) in cases(counts) {
            let Some(limit) = self.of(name, size) else {
                complaints.push(format!("{name} {size}: {count} instructions, and no limit: {BLESS}"));
                continue;
            };
            let found =
                format!("{name} {size}: {count} instructions, the limit is {limit} ({:+.1} %)", change(count, limit));
            if count > limit + tolerance(limit, ABOVE) {
                complaints.push(found);
            // With another version of the compiler, a gain may come from that version, and the
            // older version would not have it.
            } else if count + tolerance(limit, BELOW) < limit && compiler == self.compiler {
                complaints.push(format!("{found}. An improvement: {BLESS}"));
            }
        }
        if whole {
            let is_counted = |name, size| counts.get(name).is_some_and(|sizes| sizes.contains_key(&size));
            let gone = cases(&self.limit).filter(|&(name, size, _)| !is_counted(name, size));
            complaints.extend(gone.map(|(name, size, _)| format!("{name} {size}: there is a limit, but no such case")));
        }
        complaints
    }
}

/// Returns the difference of a count and its limit, in per cent.
pub(super) fn change(count: u64, limit: u64) -> f64 {
    (count as f64 / limit as f64 - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPILER: &str = "rustc 1.95.0 (1 2026-04-14)";

    fn counts(cases: &[(&str, usize, u64)]) -> Counts {
        let mut counts = Counts::new();
        for &(name, size, count) in cases {
            counts.entry(name.to_owned()).or_default().insert(size, count);
        }
        counts
    }

    fn limits() -> Limits {
        let limit = counts(&[("avx2 seal", 64, 1000), ("avx2 seal", 16384, 100_000), ("scalar seal", 16, 100)]);
        Limits { compiler: COMPILER.to_owned(), limit }
    }

    #[test]
    fn counts_within_the_tolerance_pass() {
        let judged = |seal_64, seal_16384, scalar, compiler: &str| {
            let cases = [("avx2 seal", 64, seal_64), ("avx2 seal", 16384, seal_16384), ("scalar seal", 16, scalar)];
            limits().judge(&counts(&cases), compiler, true)
        };
        for (seal_64, seal_16384, scalar, expected) in [
            (1000, 100_000, 100, ""),
            (1020, 102_000, 108, ""),
            (950, 95_000, 80, ""),
            (1000, 102_001, 100, "avx2 seal 16384: 102001 instructions, the limit is 100000 (+2.0 %)"),
            (1021, 100_000, 100, "avx2 seal 64: 1021 instructions"),
            (949, 100_000, 100, "avx2 seal 64: 949 instructions, the limit is 1000 (-5.1 %). An improvement"),
            (1000, 100_000, 109, "scalar seal 16: 109"),
            (1000, 100_000, 79, "scalar seal 16: 79"),
        ] {
            let complaints = judged(seal_64, seal_16384, scalar, COMPILER);
            assert_eq!(complaints.len(), usize::from(!expected.is_empty()), "{complaints:?}");
            assert!(complaints.iter().all(|complaint| complaint.starts_with(expected)), "{complaints:?}");
        }
        // With another compiler version, a count may be lower, but not higher.
        assert!(judged(500, 100_000, 100, "rustc 1.96.0").is_empty());
        assert_eq!(judged(1100, 100_000, 100, "rustc 1.96.0").len(), 1);
    }

    #[test]
    fn every_case_has_a_limit_and_every_limit_a_case() {
        let some = counts(&[("avx2 seal", 64, 1000), ("avx2 open", 64, 1000)]);
        let complaints = limits().judge(&some, COMPILER, true);
        let expected = ["avx2 open 64: ", "avx2 seal 16384: ", "scalar seal 16: "];
        assert_eq!(complaints.len(), expected.len());
        assert!(complaints.iter().zip(expected).all(|(complaint, case)| complaint.starts_with(case)), "{complaints:?}");
        // If only some cases were counted, the limits of the others are not checked.
        assert_eq!(limits().judge(&some, COMPILER, false).len(), 1);
    }

    #[test]
    fn the_file_is_read_as_it_was_written() {
        let text = limits().text("# Why\n\ncompiler = \"another\"\n");
        assert_eq!(toml::from_str::<Limits>(&text).unwrap(), limits());
        let end = "\n[limit.\"avx2 seal\"]\n64 = 1000\n16384 = 100000\n\n[limit.\"scalar seal\"]\n16 = 100\n";
        assert!(text.starts_with("# Why\n\ncompiler = \"rustc") && text.ends_with(end), "{text}");
    }
}

//! The measurements as a document, and the verdicts on them.

use sealane_measure::{Samples, quartiles};
use serde::{Deserialize, Serialize};

/// The whole report.
#[derive(Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) cpu: String,
    /// The day of the measurement, such as 2022-11-30.
    pub(crate) date: String,
    /// Whether other programs are known to have run during the measurement.
    pub(crate) preliminary: bool,
    pub(crate) rounds: u32,
    /// The features of the library's second copy, which `twice` calls.
    pub(crate) copy: String,
    pub(crate) operations: Vec<Operation>,
    /// Empty unless the user asked for this comparison.
    pub(crate) static_build: Vec<StaticBuild>,
}

/// The choice `static` beside a program that is compiled for this CPU.
#[derive(Serialize, Deserialize)]
pub(crate) struct StaticBuild {
    pub(crate) title: String,
    pub(crate) ns: f64,
    pub(crate) compiled_for_this_cpu_ns: f64,
}

/// An operation.
#[derive(Serialize, Deserialize)]
pub(crate) struct Operation {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The inner operation in which `leaf` branches.
    pub(crate) inner: String,
    /// The instruction set of all choices except `twice`.
    pub(crate) level: String,
    /// The core's clock.
    pub(crate) clock_ghz: f64,
    pub(crate) rows: Vec<Row>,
}

/// The times of one choice for an operation.
#[derive(Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) choice: String,
    /// Nanoseconds of a call, in the median round.
    pub(crate) ns: f64,
    /// Nanoseconds of a call, in the best round.
    pub(crate) best_ns: f64,
    /// Nanoseconds above the first row in the same round: the quartiles, with the median in the
    /// middle.
    pub(crate) extra_ns: [f64; 3],
    /// The time as a multiple of the first row's in the same round: the quartiles.
    pub(crate) ratio: [f64; 3],
}

impl Row {
    /// Summarises the times of the rounds, and compares them with the first row's in the same
    /// rounds.
    pub(crate) fn new(choice: &str, samples: &Samples, first: &Samples) -> Self {
        let pairs = samples.pairs(first);
        let extra: Vec<_> = pairs.iter().map(|(ns, first)| ns - first).collect();
        let ratios: Vec<_> = pairs.iter().map(|(ns, first)| ns / first).collect();
        Self {
            choice: choice.into(),
            ns: samples.median_ns(),
            best_ns: samples.best_ns(),
            extra_ns: quartiles(&extra),
            ratio: quartiles(&ratios),
        }
    }
}

/// The limit of the cost is a share of the time for this operation and all longer ones, and a fixed
/// time for shorter ones.
const SHORTEST_BY_RATIO: &str = "seal";
const MAX_RATIO: f64 = 1.02;
const MAX_EXTRA_NS: f64 = 2.0;
/// The choices that have a target.
pub(crate) const WITH_TARGET: [&str; 2] = ["top", "object"];

impl Report {
    /// Returns the row's verdict, or `None` if its choice has no target or a time that the verdict
    /// needs was not measured.
    pub(crate) fn verdict(&self, operation: &Operation, row: &Row) -> Option<String> {
        if !WITH_TARGET.contains(&row.choice.as_str()) {
            return None;
        }
        let limit = self.operations.iter().find(|operation| operation.name == SHORTEST_BY_RATIO)?.row("static")?.ns;
        let [_, ratio, _] = row.ratio;
        let [_, extra, _] = row.extra_ns;
        Some(if operation.row("static")?.ns >= limit {
            let (percent, most) = ((ratio - 1.0) * 100.0, (MAX_RATIO - 1.0) * 100.0);
            verdict(
                ratio <= MAX_RATIO,
                &format!("{percent:+.1} % (target {most:.0} %)"),
                &format!("{:.1} %", percent - most),
            )
        } else {
            let most = MAX_EXTRA_NS;
            verdict(extra <= most, &format!("{extra:+.2} ns (target {most:.0} ns)"), &format!("{:.2} ns", extra - most))
        })
    }
}

fn verdict(met: bool, text: &str, by: &str) -> String {
    if met { format!("{text}: met") } else { format!("{text}: **missed** by {by}") }
}

impl Operation {
    /// Returns the row of that choice.
    pub(crate) fn row(&self, choice: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.choice == choice)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns these times, one round each.
    pub(crate) fn samples(ns: &[f64]) -> Samples {
        Samples { ns: ns.into(), clock_ghz: vec![2.0; ns.len()], calls: 1, every: 1 }
    }

    /// Returns a report in which each choice has a fixed price.
    pub(crate) fn report(extra_ns: f64) -> Report {
        let operation = |name: &str, ns: f64| {
            let row = |choice: &str, extra: f64| Row::new(choice, &samples(&[ns + extra; 5]), &samples(&[ns; 5]));
            Operation {
                name: name.into(),
                title: format!("{name} & co"),
                inner: "a part".into(),
                level: "avx2".into(),
                clock_ghz: 2.0,
                rows: crate::choices::CHOICES
                    .iter()
                    .map(|(choice, _)| row(choice, if *choice == "static" { 0.0 } else { extra_ns }))
                    .collect(),
            }
        };
        Report {
            cpu: "a <CPU>".into(),
            date: "2022-11-30".into(),
            preliminary: true,
            rounds: 5,
            copy: "AVX2".into(),
            operations: vec![operation("multiply", 5.0), operation("seal", 100.0)],
            static_build: vec![StaticBuild { title: "seal".into(), ns: 99.0, compiled_for_this_cpu_ns: 90.0 }],
        }
    }

    #[test]
    fn rows_are_compared_round_by_round() {
        // The machine was four times slower in the second round.
        let row = Row::new("top", &samples(&[2.0, 8.0, 2.0]), &samples(&[1.0, 4.0, 1.0]));
        assert_eq!((row.ratio[1], row.extra_ns[1], row.ns, row.best_ns), (2.0, 1.0, 2.0, 2.0));
    }

    #[test]
    fn verdicts() {
        let of = |report: &Report, name: &str, choice: &str| {
            let operation = report.operations.iter().find(|operation| operation.name == name).unwrap();
            report.verdict(operation, operation.row(choice).unwrap())
        };
        let report = report(1.9);
        assert_eq!(of(&report, "multiply", "top"), Some("+1.90 ns (target 2 ns): met".into()));
        assert_eq!(of(&report, "seal", "object"), Some("+1.9 % (target 2 %): met".into()));
        assert_eq!(of(&report, "seal", "leaf"), None);
        let report = self::report(2.5);
        assert_eq!(of(&report, "multiply", "top"), Some("+2.50 ns (target 2 ns): **missed** by 0.50 ns".into()));
        assert_eq!(of(&report, "seal", "top"), Some("+2.5 % (target 2 %): **missed** by 0.5 %".into()));
    }
}

//! The plots.

use sealane_measure::{Bar, Bars, Group};

use crate::choices::CHOICES;
use crate::report::{Report, Row};

/// Draws time as a multiple of `static`.
pub(crate) fn multiples(report: &Report) -> String {
    let bar = |row: &Row| {
        let text = if row.choice == "static" { format!("{:.1} ns", row.ns) } else { format!("{:.2}", row.ratio[1]) };
        (row.ratio, text)
    };
    let choices: Vec<_> = CHOICES.iter().map(|(choice, _)| *choice).collect();
    draw(report, "Time of a call, as a multiple of static", &choices, 3.0, bar)
}

/// Draws the nanoseconds above `static`. `leaf` is left out, because its times are on another
/// scale.
pub(crate) fn price(report: &Report) -> String {
    let bar = |row: &Row| {
        let text = format!("{:+.2} ns ({:+.1} %)", row.extra_ns[1], (row.ratio[1] - 1.0) * 100.0);
        (row.extra_ns, text)
    };
    draw(report, "Nanoseconds of a call beyond static", &["top", "object", "pointer", "twice"], 10.0, bar)
}

fn draw(report: &Report, title: &str, choices: &[&str], most: f64, bar: impl Fn(&Row) -> ([f64; 3], String)) -> String {
    let is_shown = |i: &usize| choices.contains(&CHOICES[*i].0);
    let groups = report.operations.iter().map(|operation| {
        let bars = (0..CHOICES.len()).filter(is_shown).filter_map(|name| {
            let (quartiles, text) = bar(operation.row(CHOICES[name].0)?);
            Some(Bar { name, quartiles, text })
        });
        Group { title: operation.title.clone(), bars: bars.collect() }
    });
    let preliminary = if report.preliminary { ", preliminary" } else { "" };
    let plot = Bars {
        title: format!("{title} · {}", report.cpu),
        note: format!("{}{preliminary}", report.date),
        legend: (0..CHOICES.len()).filter(is_shown).map(|i| (i, CHOICES[i].0.into())).collect(),
        groups: groups.collect(),
        most,
    };
    plot.file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{report, samples};

    #[test]
    fn plots_have_a_bar_for_each_row() {
        let report = report(2.5);
        for (svg, choices) in [(multiples(&report), 6), (price(&report), 4)] {
            // The panel, the legend, and two operations.
            assert_eq!(svg.matches("<rect").count(), 1 + choices + 2 * choices);
            assert!(svg.contains("seal &amp; co") && svg.contains("a &lt;CPU&gt;") && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn long_bars_are_cut() {
        let mut report = report(2.5);
        report.operations[0].rows[1] = Row::new("leaf", &samples(&[50.0]), &samples(&[1.0]));
        assert!(multiples(&report).contains("→ 50.00"));
    }
}

//! The plots: bars, as SVG, on a panel of their own, so that they can be read on a dark page and on a light one.

use std::fmt::Write;

use crate::choices::CHOICES;
use crate::report::{Operation, Report, Row};

const WIDTH: f64 = 880.0;
/// Where the bars begin.
const LEFT: f64 = 230.0;
const BAR: f64 = 13.0;
const GAP: f64 = 14.0;
/// Room for the figure behind the longest bar.
const RIGHT: f64 = 150.0;
const TOP: f64 = 64.0;
/// In the order of the choices; distinct for the colour-blind too (Okabe and Ito).
const COLOURS: [&str; CHOICES.len()] = ["#000000", "#d55e00", "#0072b2", "#56b4e9", "#e69f00", "#009e73"];

/// Time as a multiple of `static`.
pub(crate) fn multiples(report: &Report) -> String {
    let bar = |row: &Row| Bar {
        quartiles: row.ratio,
        text: if row.choice == "static" { format!("{:.1} ns", row.ns) } else { format!("{:.2}", row.ratio[1]) },
    };
    let choices: Vec<_> = CHOICES.iter().map(|(choice, _)| *choice).collect();
    draw(report, "Time of a call, as a multiple of static", &choices, 3.0, bar)
}

/// Nanoseconds beyond `static`, without `leaf`, which is on another scale.
pub(crate) fn price(report: &Report) -> String {
    let bar = |row: &Row| Bar {
        quartiles: row.extra_ns,
        text: format!("{:+.2} ns ({:+.1} %)", row.extra_ns[1], (row.ratio[1] - 1.0) * 100.0),
    };
    draw(report, "Nanoseconds of a call beyond static", &["top", "object", "pointer", "twice"], 10.0, bar)
}

struct Bar {
    quartiles: [f64; 3],
    text: String,
}

/// Bars of the choices for each operation. What is longer than `most` is cut, and has its figure.
fn draw(report: &Report, title: &str, choices: &[&str], most: f64, bar: impl Fn(&Row) -> Bar) -> String {
    let bars = |operation: &Operation| -> Vec<(usize, Bar)> {
        let index = |name: &str| CHOICES.iter().position(|(choice, _)| *choice == name);
        let rows = choices.iter().filter_map(|choice| Some((index(choice)?, operation.row(choice)?)));
        rows.map(|(colour, row)| (colour, bar(row))).collect()
    };
    let longest = report.operations.iter().flat_map(&bars);
    let longest = longest.map(|(_, bar)| bar.quartiles[2]).fold(f64::MIN_POSITIVE, f64::max).min(most);
    let scale = (WIDTH - LEFT - RIGHT) / longest;
    let x = |value: f64| LEFT + value.clamp(0.0, longest) * scale;

    let mut body = String::new();
    let mut y = TOP;
    for operation in &report.operations {
        let bars = bars(operation);
        let middle = y + bars.len() as f64 * BAR / 2.0 + 4.0;
        text(&mut body, LEFT - 10.0, middle, "end", &operation.title);
        for (colour, Bar { quartiles: [low, median, high], text: words }) in bars {
            let (fill, height, middle) = (COLOURS[colour], BAR - 2.0, y + BAR / 2.0 - 1.0);
            let width = (x(median) - LEFT).max(0.5);
            let _ = writeln!(body, r#"<rect x="{LEFT}" y="{y}" width="{width:.1}" height="{height}" fill="{fill}"/>"#);
            let (low, high) = (x(low), x(high));
            let _ = writeln!(body, r##"<path d="M{low:.1} {middle}H{high:.1}" stroke="#777"/>"##);
            let cut = if median > longest { "→ " } else { "" };
            text(&mut body, x(median).max(high) + 5.0, y + BAR - 3.0, "start", &format!("{cut}{words}"));
            y += BAR;
        }
        y += GAP;
    }

    let mut legend = String::new();
    let mut at = LEFT;
    for choice in choices {
        let Some(colour) = CHOICES.iter().position(|(name, _)| name == choice) else { continue };
        let _ = writeln!(legend, r#"<rect x="{at}" y="36" width="11" height="11" fill="{}"/>"#, COLOURS[colour]);
        text(&mut legend, at + 16.0, 46.0, "start", choice);
        at += 80.0;
    }
    let preliminary = if report.preliminary { ", preliminary" } else { "" };
    text(&mut legend, 16.0, 46.0, "start", &format!("{}{preliminary}", report.date));
    let height = y + 4.0;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11" fill="#222">
<rect width="{WIDTH}" height="{height}" rx="6" fill="#fff" stroke="#bbb"/>
<text x="16" y="24" font-size="15">{title} · {cpu}</text>
{legend}{body}</svg>
"##,
        cpu = escaped(&report.cpu)
    )
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(svg, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#, escaped(words));
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::report;

    #[test]
    fn plots_have_a_bar_for_each_row_and_nothing_outside() {
        let report = report(2.5);
        for (svg, choices) in [(multiples(&report), 6), (price(&report), 4)] {
            // The panel, the legend, and two operations.
            assert_eq!(svg.matches("<rect").count(), 1 + choices + 2 * choices);
            assert!(svg.contains("seal &amp; co") && svg.contains("a &lt;CPU>") && !svg.contains("NaN"), "{svg}");
            for x in svg.split("<text x=\"").skip(1) {
                let x: f64 = x.split('"').next().unwrap().parse().unwrap();
                assert!((0.0..WIDTH - 20.0).contains(&x), "{svg}");
            }
        }
    }

    #[test]
    fn long_bars_are_cut() {
        let mut report = report(2.5);
        report.operations[0].rows[1] = Row::new("leaf", &[50.0], &[1.0]);
        assert!(multiples(&report).contains("→ 50.00"));
    }
}

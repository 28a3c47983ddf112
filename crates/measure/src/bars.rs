//! Plots of bars, on a light panel, so that they can also be read on a dark page.

use std::fmt::Write as _;

use crate::svg::escaped;

const WIDTH: f64 = 880.0;
/// The start of the bars.
const LEFT: f64 = 230.0;
const BAR: f64 = 13.0;
const GAP: f64 = 14.0;
/// Room for the figure after the longest bar.
const RIGHT: f64 = 150.0;
const TOP: f64 = 64.0;
/// Colours that colour-blind people can distinguish (Okabe and Ito).
const COLOURS: [&str; 6] = ["#000000", "#d55e00", "#0072b2", "#56b4e9", "#e69f00", "#009e73"];

/// A bar. Its length is the median.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The index of its name in [`Bars::legend`].
    pub name: usize,
    /// A line on the bar goes from the first to the last of the quartiles.
    pub quartiles: [f64; 3],
    /// The text after the bar.
    pub text: String,
}

/// A group of bars.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their name.
    pub title: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// A plot of bars.
#[derive(Clone, Debug)]
pub struct Bars {
    /// The quantity, and the machine on which it was measured.
    pub title: String,
    /// The text beside the legend.
    pub note: String,
    /// The names of bars and their colours: indices below 6.
    pub legend: Vec<(usize, String)>,
    /// The groups.
    pub groups: Vec<Group>,
    /// The longest bar that is shown whole. A longer bar is cut, and keeps its figure.
    pub most: f64,
}

impl Bars {
    /// Returns the plot as a standalone file.
    #[must_use]
    pub fn file(&self) -> String {
        let longest = self.groups.iter().flat_map(|group| &group.bars);
        let longest = longest.map(|bar| bar.quartiles[2]).fold(f64::MIN_POSITIVE, f64::max).min(self.most);
        let scale = (WIDTH - LEFT - RIGHT) / longest;
        let x = |value: f64| LEFT + value.clamp(0.0, longest) * scale;

        let mut body = String::new();
        let mut y = TOP;
        for Group { title, bars } in &self.groups {
            let middle = y + bars.len() as f64 * BAR / 2.0 + 4.0;
            text(&mut body, LEFT - 10.0, middle, "end", title);
            for Bar { name, quartiles: [low, median, high], text: figure } in bars {
                let (fill, height, middle) = (COLOURS[*name], BAR - 2.0, y + BAR / 2.0 - 1.0);
                let width = (x(*median) - LEFT).max(0.5);
                // Writing to a String cannot fail.
                let _ =
                    writeln!(body, r#"<rect x="{LEFT}" y="{y}" width="{width:.1}" height="{height}" fill="{fill}"/>"#);
                let (low, high) = (x(*low), x(*high));
                let _ = writeln!(body, r##"<path d="M{low:.1} {middle}H{high:.1}" stroke="#777"/>"##);
                let cut = if *median > longest { "→ " } else { "" };
                text(&mut body, x(*median).max(high) + 5.0, y + BAR - 3.0, "start", &format!("{cut}{figure}"));
                y += BAR;
            }
            y += GAP;
        }

        let mut legend = String::new();
        for (i, (colour, name)) in self.legend.iter().enumerate() {
            let at = LEFT + i as f64 * 80.0;
            let _ = writeln!(legend, r#"<rect x="{at}" y="36" width="11" height="11" fill="{}"/>"#, COLOURS[*colour]);
            text(&mut legend, at + 16.0, 46.0, "start", name);
        }
        text(&mut legend, 16.0, 46.0, "start", &self.note);
        let (height, title) = (y + 4.0, escaped(&self.title));
        format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="11" fill="#222">
<rect width="{WIDTH}" height="{height}" rx="6" fill="#fff" stroke="#bbb"/>
<text x="16" y="24" font-size="15">{title}</text>
{legend}{body}</svg>
"##
        )
    }
}

fn text(out: &mut String, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#, escaped(words));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_medians_and_cut_where_they_are_too_long() {
        let bar = |name, median: f64| Bar { name, quartiles: [median; 3], text: format!("{median} ns") };
        let plot = Bars {
            title: "a & b".into(),
            note: "today".into(),
            legend: vec![(0, "static".into()), (1, "leaf".into())],
            groups: vec![Group { title: "seal".into(), bars: vec![bar(0, 1.0), bar(1, 2.0), bar(1, 9.0)] }],
            most: 4.0,
        };
        let svg = plot.file();
        let widths: Vec<_> = svg.split("width=\"").skip(4).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(widths, ["125.0", "250.0", "500.0"]);
        assert!(svg.contains("→ 9 ns") && svg.contains("a &amp; b") && !svg.contains("→ 2 ns"));
    }
}

//! Plots throughput over size, with one line for each backend. Both axes are logarithmic.

use sealane_measure::{Axis, Line, Lines, Point, size_name};

use crate::commands::bench::report::{Cell, Section};

/// Draws the plot of one benchmark.
pub(super) fn plot(out: &mut String, section: &Section<'_>) {
    let point = |cell: &Cell| {
        let [speed, cycles] = section.figures(cell);
        let title = format!("{}, {}: {speed} GB/s, {cycles} cycles per byte", cell.backend, cell.size);
        Point { x: cell.bytes as f64, y: cell.gb_per_s, title }
    };
    let lines = section.backends().into_iter().map(|backend| {
        let cells = section.cells.iter().filter(|cell| cell.backend == backend);
        Line { name: backend.into(), class: backend.into(), points: cells.map(point).collect() }
    });
    let (title, sizes) = (section.benchmark.title, section.rows().map(|row| row[0].bytes).collect::<Vec<_>>());
    let plot = Lines {
        title: format!("{title}: throughput in GB/s over message size, one line for each backend"),
        x: Axis {
            name: "message size".into(),
            logarithmic: true,
            ticks: size_ticks(&sizes).iter().map(|&bytes| (bytes as f64, size_name(bytes))).collect(),
        },
        y: Axis { name: "throughput in GB/s".into(), logarithmic: true, ticks: Vec::new() },
        lines: lines.collect(),
        marks: true,
    };
    out.push_str("<figure>\n");
    out.push_str(&plot.svg());
    out.push_str("</figure>\n");
}

/// Returns the sizes at the lines of the grid: powers of 4 within the range, or the ends of the
/// range if it has fewer than two of them.
fn size_ticks(sizes: &[usize]) -> Vec<usize> {
    let (smallest, largest) = (sizes[0], sizes[sizes.len() - 1]);
    let powers: Vec<_> = (0..16).map(|power| 1 << (2 * power)).filter(|p| (smallest..=largest).contains(p)).collect();
    if powers.len() >= 2 { powers } else { vec![smallest, largest][..if smallest < largest { 2 } else { 1 }].into() }
}

#[cfg(test)]
mod tests {
    use super::size_ticks;

    #[test]
    fn sizes_of_the_grid() {
        assert_eq!(size_ticks(&[16, 100, 1350, 4096]), [16, 64, 256, 1024, 4096]);
        assert_eq!(size_ticks(&[17, 60]), [17, 60]);
        assert_eq!(size_ticks(&[1350]), [1350]);
    }
}

//! Medians, ratios and targets.

use anyhow::Result;
use sealane_measure::median;
use serde::Serialize;

use crate::process::Usage;
use crate::tools::Tools;

/// Selects a figure of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
enum Figure {
    Wall,
    Cpu,
    Memory,
}

/// The upper limit of our figure: a multiple of the peer's figure, or without a peer, a number of
/// seconds or MiB.
struct Target {
    case: &'static str,
    figure: Figure,
    peer: Option<&'static str>,
    at_most: f64,
}

const fn beside(case: &'static str, figure: Figure, peer: &'static str, at_most: f64) -> Target {
    Target { case, figure, peer: Some(peer), at_most }
}

const fn alone(case: &'static str, figure: Figure, at_most: f64) -> Target {
    Target { case, figure, peer: None, at_most }
}

/// The name of the case with many small files.
pub(crate) const SMALL_FILES: &str = "small files";

const TARGETS: &[Target] = &[
    // With two cores.
    beside("encrypt", Figure::Wall, "cp", 0.9),
    beside("encrypt", Figure::Wall, "age", 0.45),
    beside("encrypt", Figure::Cpu, "age", 0.6),
    alone("encrypt", Figure::Memory, 48.0),
    beside("decrypt", Figure::Wall, "cp", 0.9),
    beside("decrypt", Figure::Wall, "age", 0.45),
    beside("decrypt", Figure::Cpu, "age", 0.6),
    alone("decrypt", Figure::Memory, 48.0),
    // At least 1.5 times age's speed.
    beside("pipe", Figure::Wall, "age", 1.0 / 1.5),
    alone("pipe", Figure::Memory, 48.0),
    beside("encrypt on one core", Figure::Wall, "age", 1.0),
    beside("encrypt on one core", Figure::Wall, "rage", 1.0),
    beside("decrypt on one core", Figure::Wall, "age", 1.0),
    beside("decrypt on one core", Figure::Wall, "rage", 1.0),
    // At least 3 times rage's speed. The goal for two cores is that they help at all.
    beside("folder on one core", Figure::Wall, "rage", 1.0 / 3.0),
    beside("folder", Figure::Wall, "sealane, one core", 0.75),
    alone("start", Figure::Wall, 0.005),
    beside(SMALL_FILES, Figure::Wall, "age's crate", 1.0 / 5.0),
];

#[derive(Serialize)]
struct Row {
    case: &'static str,
    name: &'static str,
    /// One value for each round.
    usage: Vec<Usage>,
    median: Option<Usage>,
}

/// All results.
#[derive(Serialize)]
pub(crate) struct Report {
    cpu: String,
    cores: usize,
    versions: Vec<String>,
    mib: u64,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(tools: &Tools, mib: u64) -> Self {
        let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            cpu: model.map_or("an unknown CPU", |(_, name)| name).to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            versions: tools.versions.clone(),
            mib,
            rows: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, case: &'static str, name: &'static str, usage: Usage) {
        match self.rows.iter_mut().find(|row| (row.case, row.name) == (case, name)) {
            Some(row) => row.usage.push(usage),
            None => self.rows.push(Row { case, name, usage: vec![usage], median: None }),
        }
    }

    /// Prints the report. Returns true if at least one target was checked, and all checked targets
    /// are reached.
    pub(crate) fn print(&mut self, json: bool) -> Result<bool> {
        for row in &mut self.rows {
            let median = |figure| median(&row.usage.iter().map(|usage| of(usage, figure)).collect::<Vec<_>>());
            row.median =
                Some(Usage { wall: median(Figure::Wall), cpu: median(Figure::Cpu), memory: median(Figure::Memory) });
        }
        let reached: Vec<bool> =
            TARGETS.iter().filter_map(|target| Some(self.reached(target)?.0 <= target.at_most)).collect();
        let all_reached = !reached.is_empty() && !reached.contains(&false);
        if json {
            println!("{}", serde_json::to_string_pretty(self)?);
            return Ok(all_reached);
        }
        println!("{}, {} cores; a file of {} MiB; {}\n", self.cpu, self.cores, self.mib, self.versions.join(", "));
        println!("| | | wall, s | CPU, s | memory, MiB |");
        println!("|---|---|---:|---:|---:|");
        for row in &self.rows {
            let Some(Usage { wall, cpu, memory }) = row.median else { continue };
            println!("| {} | {} | {wall:.3} | {cpu:.3} | {memory:.0} |", row.case, row.name);
        }
        println!();
        for target in TARGETS {
            let Some((value, what)) = self.reached(target) else { continue };
            let verdict = if value <= target.at_most {
                "reached".to_owned()
            } else {
                format!("MISSED by {:.0} %", (value / target.at_most - 1.0) * 100.0)
            };
            println!(
                "{}, {:?}: {value:.3} {what}, at most {:.3}: {verdict}",
                target.case, target.figure, target.at_most
            );
        }
        Ok(all_reached)
    }

    /// Returns our figure and its unit. If the target has a peer, divides the figure by the peer's.
    /// Returns `None` if either was not measured.
    fn reached(&self, target: &Target) -> Option<(f64, String)> {
        let of_row = |name: &str| {
            let row = self.rows.iter().find(|row| (row.case, row.name) == (target.case, name))?;
            row.median.map(|usage| of(&usage, target.figure))
        };
        let ours = of_row("sealane").or_else(|| of_row("sealane-age"))?;
        match target.peer {
            Some(peer) => Some((ours / of_row(peer)?, format!("x {peer}"))),
            None => Some((ours, if target.figure == Figure::Memory { "MiB" } else { "s" }.to_owned())),
        }
    }
}

fn of(usage: &Usage, figure: Figure) -> f64 {
    match figure {
        Figure::Wall => usage.wall,
        Figure::Cpu => usage.cpu,
        Figure::Memory => usage.memory,
    }
}

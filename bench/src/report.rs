//! The tables of a run.

use sealane_measure::{Table, size_name};
use serde::Serialize;

use crate::environment::Environment;
use crate::harness::{SuiteResult, Time};
use crate::peers::Peer;
use crate::row::Owner;
use crate::setup::SetupResult;
use crate::timed::TimedResult;
use crate::verdict::{Order, Statistic, Verdict};

/// All results of a run.
#[derive(Serialize)]
pub struct Report {
    pub environment: Environment,
    pub results: Vec<SuiteResult>,
    pub verdicts: Vec<Verdict>,
    pub orders: Vec<Order>,
    pub setup: Vec<SetupResult>,
    pub timed: Vec<TimedResult>,
}

impl Report {
    pub fn new(environment: Environment) -> Self {
        Self {
            environment,
            results: Vec::new(),
            verdicts: Vec::new(),
            orders: Vec::new(),
            setup: Vec::new(),
            timed: Vec::new(),
        }
    }

    /// Adds a result; prints its tables unless `quiet`.
    pub fn add(&mut self, result: SuiteResult, statistic: Statistic, quiet: bool) {
        let orders = result.orders(statistic);
        let chosen = result.verdicts(None, statistic);
        let forced: Vec<_> = sealane::Backend::available()
            .rev()
            .map(|backend| result.verdicts(Some(backend.name()), statistic))
            .filter(|verdicts| !verdicts.is_empty())
            .collect();
        if !quiet {
            print_rows(&result, statistic);
            print_ratios(&result, &chosen, statistic);
            for verdicts in &forced {
                print_forced(verdicts);
            }
            if !orders.is_empty() {
                print_orders(&orders);
            }
        }
        self.verdicts.extend(chosen);
        self.verdicts.extend(forced.into_iter().flatten());
        self.orders.extend(orders);
        self.results.push(result);
    }

    /// Adds the cost of setting up a key.
    pub fn add_setup(&mut self, results: Vec<SetupResult>, quiet: bool) {
        if !quiet {
            println!("\nsetup: a new key for one message, ns beyond the same message with the key kept");
            for result in &results {
                println!("{:6} {:24}{}", size_name(result.size), result.name, result.describe());
            }
        }
        self.setup.extend(results);
    }

    /// Prints each target with its worst size, and the sizes at which a wider backend is slower.
    pub fn print_summary(&self) {
        if !self.verdicts.is_empty() {
            println!("\ntargets, at the size that is worst for us");
        }
        for group in self.by_target() {
            let worst = group.iter().min_by(|a, b| a.ratio.total_cmp(&b.ratio)).expect("chunks are not empty");
            let met = group.iter().filter(|verdict| verdict.met).count();
            println!(
                "{:10} {:23}{:19}{:>5.2} of {:.2} x {:26} at {:24}{:18}{met} of {} sizes met",
                worst.suite,
                worst.ours,
                worst.class,
                worst.ratio,
                worst.target,
                worst.against,
                place(worst.size, worst.offset),
                worst.mark(),
                group.len(),
            );
        }
        for setup in self.setup.iter().filter(|setup| setup.met.is_some()) {
            println!("{:10} {:23}{:19}{}", "setup", setup.name, size_name(setup.size), setup.describe());
        }
        for time in self.timed.iter().filter(|time| time.has_target) {
            let unchecked = || format!("{}: not checked: the peer was not measured", time.size);
            println!("{:34} {:23}{}", time.benchmark, time.name, time.verdict().unwrap_or_else(unchecked));
        }
        if !self.orders.is_empty() {
            print_orders(&self.orders);
        }
        let (missed, all) = self.count();
        println!("\n{} of {all} checks met", all - missed);
    }

    /// Returns the verdicts, grouped by target. A group has verdicts on aligned and unaligned
    /// messages.
    fn by_target(&self) -> Vec<Vec<&Verdict>> {
        let mut groups: Vec<Vec<&Verdict>> = Vec::new();
        for verdict in &self.verdicts {
            match groups.iter_mut().find(|group| group[0].same_target(verdict)) {
                Some(group) => group.push(verdict),
                None => groups.push(vec![verdict]),
            }
        }
        groups
    }

    /// Returns whether there were checks, and all are met.
    pub fn all_met(&self) -> bool {
        let (missed, all) = self.count();
        missed == 0 && all > 0
    }

    /// Returns the number of missed checks, and the number of all checks.
    fn count(&self) -> (usize, usize) {
        let verdicts = self.verdicts.iter().map(|verdict| verdict.met);
        let orders = self.orders.iter().map(|order| order.met);
        let times =
            self.setup.iter().filter_map(|setup| setup.met).chain(self.timed.iter().filter_map(|time| time.met));
        let checks: Vec<_> = verdicts.chain(orders).chain(times).collect();
        (checks.iter().filter(|&&met| !met).count(), checks.len())
    }

    pub fn print_json(&self) {
        println!("{}", serde_json::to_string_pretty(self).expect("figures are plain data"));
    }
}

/// Prints the throughput of each row at each size.
fn print_rows(result: &SuiteResult, statistic: Statistic) {
    let unit = "GB/s, or ns for up to 64 bytes";
    if result.offset == 0 {
        println!("\n{}: {unit}", result.name);
    } else {
        println!("\n{}, messages that begin {} bytes behind a multiple of 64: {unit}", result.name, result.offset);
    }
    let mut table = Table::new([String::new()].into_iter().chain(result.sizes.iter().copied().map(size_name)));
    for row in &result.rows {
        let figures = row.times.iter().zip(&result.sizes).map(|(&time, &size)| figure(size, statistic.of(time)));
        table.row([row.name.clone()].into_iter().chain(figures));
    }
    print!("{}", table.text(0));
}

/// Prints our chosen backend beside the best peer at each size, with the targets. The first ratio
/// compares the figures of `statistic`, the second one the fastest rounds.
fn print_ratios(result: &SuiteResult, verdicts: &[Verdict], statistic: Statistic) {
    let Some(ours) = result.ours(None) else { return };
    if result.fastest(0, statistic, Peer::competes).is_none() {
        return;
    }
    println!(
        "\n  {}: {} against the best peer; cycles a byte, ratio, and that of the best rounds",
        result.name, ours.name
    );
    let mut table =
        Table::new(["", "ours", "cyc/B", "best peer", "its", "cyc/B", "ratio", "", "targets"].map(String::from));
    for (i, &size) in result.sizes.iter().enumerate() {
        let Some((peer, ns)) = result.fastest(i, statistic, Peer::competes) else { return };
        let best = result.fastest(i, Statistic::Best, Peer::competes).map_or(0.0, |(_, ns)| ns / ours.times[i].best_ns);
        let time = ours.times[i];
        let its = result.rows.iter().find(|row| row.owner == Owner::Peer(peer)).map(|row| row.times[i]);
        let cycles = |time: Time| format!("{:.2}", time.cycles_per_byte(size));
        let targets: Vec<_> = verdicts.iter().filter(|v| v.size == size).map(Verdict::describe).collect();
        table.row([
            size_name(size),
            figure(size, statistic.of(time)),
            cycles(time),
            peer.name().into(),
            figure(size, ns),
            its.map_or(String::new(), cycles),
            format!("{:.2}", ns / statistic.of(time)),
            format!("{best:.2}"),
            targets.join("; "),
        ]);
    }
    print!("{}", table.text(2));
}

fn print_forced(verdicts: &[Verdict]) {
    let first = &verdicts[0];
    println!("\n  {}: {}, at least {:.2} x {}", first.suite, first.ours, first.target, first.against);
    for verdict in verdicts {
        println!("  {:>7}   {}", size_name(verdict.size), verdict.describe());
    }
}

/// Prints the sizes at which a wider backend is slower, or that there are none.
fn print_orders(orders: &[Order]) {
    let wrong: Vec<_> = orders.iter().filter(|order| !order.met).collect();
    if wrong.is_empty() {
        println!("\n  A wider backend is nowhere slower than a narrower one.");
    } else {
        println!("\n  A wider backend is SLOWER than a narrower one:");
    }
    for Order { suite, wider, narrower, ratio, size, offset, .. } in wrong {
        println!("  {suite:10}{:>7}   {wider} has {ratio:.2} times the speed of {narrower}", place(*size, *offset));
    }
}

/// Formats the time of a message of `size` bytes: in ns up to 64 bytes, else as GB/s.
fn figure(size: usize, ns: f64) -> String {
    if size <= 64 { format!("{ns:.0} ns") } else { format!("{:.2}", size as f64 / ns) }
}

fn place(size: usize, offset: usize) -> String {
    if offset == 0 { size_name(size) } else { format!("{} at offset {offset}", size_name(size)) }
}

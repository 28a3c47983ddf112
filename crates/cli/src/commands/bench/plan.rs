//! The measurements that the command line requests.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use sealane_measure::{Rounds, size_name};
use sealane_workloads::{Benchmark, Code, Family, Size};

use crate::args::BenchArgs;
use crate::error::{Error, Result};

/// The backend of portable code, which every CPU has.
pub(super) const SCALAR: &str = "scalar";

/// The largest number of buffers of the measured size that a backend needs: for ten shards, as many
/// random ones from which they are copied, and their parity.
const BUFFERS: usize = 24;

/// The measurements to make.
pub(super) struct Plan {
    pub(super) tasks: Vec<Task>,
    /// The time for each cell.
    pub(super) time_per_cell: Duration,
}

/// A benchmark to measure.
pub(super) struct Task {
    pub(super) family: Family,
    pub(super) benchmark: &'static Benchmark,
    /// The backends, the narrowest first.
    pub(super) backends: Vec<&'static str>,
    /// The sizes, ascending.
    pub(super) sizes: Vec<Size>,
}

impl Plan {
    pub(super) fn new(args: &BenchArgs) -> Result<Self> {
        let benchmarks = filtered(&args.filters)?;
        check_backends(&args.backends, &benchmarks)?;
        // Reports a name in `SEALANE_BACKEND` that no family has.
        crate::os::backend::chosen()?;
        let mut tasks = Vec::new();
        for (family, benchmark) in benchmarks {
            let backends = backends(family, &args.backends)?;
            if !backends.is_empty() {
                tasks.push(Task { family, benchmark, backends, sizes: sizes(benchmark, &args.sizes) });
            }
        }
        let needed = |task: &Task| {
            let bytes = |size: &Size| if let Size::Bytes(bytes) = size { *bytes } else { 0 };
            let largest = task.sizes.iter().map(bytes).max().unwrap_or(0);
            (largest, largest as u64 * task.buffers())
        };
        if let Some((largest, needed)) = tasks.iter().map(needed).max_by_key(|(_, needed)| *needed) {
            check_memory(largest, needed, available_memory())?;
        }
        Ok(Self { tasks, time_per_cell: Duration::from_millis(args.time_per_cell.into()) })
    }

    /// Returns the number of steps of the progress bar.
    pub(super) fn steps(&self) -> usize {
        self.tasks.iter().map(|task| task.sizes.len()).sum()
    }

    /// Returns the number and the length of the rounds that measure a cell.
    pub(super) fn rounds(&self) -> Rounds {
        const COUNT: u32 = 25;
        Rounds { count: COUNT as usize, turn: self.time_per_cell / COUNT, settle: Duration::ZERO }
    }
}

impl Task {
    /// Returns the largest number of buffers that a measurement needs, each as long as a message.
    fn buffers(&self) -> u64 {
        match self.benchmark.code {
            // For a whole batch: the messages, a copy to restore them from, and the expected
            // results.
            Code::Messages { batch, .. } => 3 * batch as u64,
            // Portable code is prepared too.
            Code::Own(_) => (BUFFERS * (self.backends.len() + 1)) as u64,
        }
    }
}

/// Returns the family's backends with these names. Without names, returns the one in
/// `SEALANE_BACKEND`, or all if the variable is not set.
fn backends(family: Family, names: &[String]) -> Result<Vec<&'static str>> {
    let mut backends = family.available();
    if !names.is_empty() {
        backends.retain(|backend| names.iter().any(|name| name == backend));
    } else if std::env::var_os("SEALANE_BACKEND").is_some_and(|names| !names.is_empty()) {
        let chosen = family.chosen().map_err(|error| Error::new(format!("SEALANE_BACKEND: {error}")))?;
        backends.retain(|backend| *backend == chosen);
    }
    Ok(backends)
}

/// Refuses names of backends that no benchmark has on this CPU.
fn check_backends(names: &[String], benchmarks: &[(Family, &Benchmark)]) -> Result<()> {
    let (mut available, mut compiled) = (Vec::new(), Vec::new());
    for (family, _) in benchmarks {
        available.extend(family.available());
        compiled.extend(family.backends());
    }
    let Some(name) = names.iter().find(|name| !available.contains(&name.as_str())) else { return Ok(()) };
    let error = if compiled.contains(&name.as_str()) {
        Error::new(format!("--backend {name}: this CPU does not have it"))
    } else {
        Error::usage(format!("--backend {name:?}: no such backend"))
    };
    let mut named = BTreeSet::new();
    available.retain(|name| named.insert(*name));
    Err(error.hint(format!("available here: {}", available.join(", "))))
}

/// Returns the benchmarks with one of `filters` in their name. A complete name selects only that
/// benchmark.
fn filtered(filters: &[String]) -> Result<Vec<(Family, &'static Benchmark)>> {
    for filter in filters {
        if filter.is_empty() || !Benchmark::all().any(|(_, benchmark)| benchmark.matches(filter)) {
            let names: Vec<_> = Benchmark::all().map(|(_, benchmark)| benchmark.name).collect();
            return Err(Error::usage(format!("--filter {filter:?}: no benchmark has this in its name"))
                .hint(format!("there are {}", names.join(", "))));
        }
    }
    let is_wanted =
        |benchmark: &Benchmark| filters.is_empty() || filters.iter().any(|filter| benchmark.matches(filter));
    Ok(Benchmark::all().filter(|(_, benchmark)| is_wanted(benchmark)).collect())
}

/// Returns the sizes to measure: the requested lengths if the benchmark supports any length, or
/// else its own sizes.
fn sizes(benchmark: &Benchmark, lengths: &[usize]) -> Vec<Size> {
    let mut sizes = benchmark.sizes.to_vec();
    if !lengths.is_empty() && benchmark.takes_any_length() {
        sizes = lengths.iter().copied().map(Size::Bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
    }
    sizes
}

/// Refuses messages of `largest` bytes if their buffers do not fit into memory: the system might
/// kill other processes to make room.
fn check_memory(largest: usize, needed: u64, available: Option<u64>) -> Result<()> {
    match available {
        Some(available) if needed > available => Err(Error::new(format!(
            "not enough memory for messages of {}: {} are needed, {} available",
            size_name(largest),
            mebibytes(needed),
            mebibytes(available),
        ))
        .hint("give smaller --sizes, or fewer benchmarks with --filter")),
        _ => Ok(()),
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// Returns the memory that Linux could give to a process without swapping, in bytes.
fn available_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(filters: &[&str]) -> Vec<&'static str> {
        let filters: Vec<_> = filters.iter().map(|&filter| filter.to_owned()).collect();
        filtered(&filters).unwrap().into_iter().map(|(_, benchmark)| benchmark.name).collect()
    }

    #[test]
    fn filters() {
        assert_eq!(names(&[]).len(), Benchmark::all().count());
        assert_eq!(names(&["chacha20"]), ["chacha20"]);
        assert_eq!(
            names(&["poly1305", "05-open"]),
            ["poly1305", "chacha20poly1305-open", "chacha20poly1305-open-batch"]
        );
        for family in ["haraka", "gf2n", "gf8", "shamir-element", "shamir", "batch"] {
            assert!(names(&[family]).len() >= 2, "{family}");
        }
        assert!(filtered(&["seal".into(), "dispatch".into()]).is_err());
        assert!(filtered(&[String::new()]).is_err());
    }

    #[test]
    fn sizes_are_of_messages_or_those_of_the_table() {
        for (_, benchmark) in Benchmark::all() {
            let expected = [Size::Bytes(1), Size::Bytes(100)];
            let is_free = sizes(benchmark, &[100, 1, 100]) == expected;
            assert_eq!(is_free, benchmark.takes_any_length(), "{}", benchmark.name);
            assert_eq!(sizes(benchmark, &[]), benchmark.sizes, "{}", benchmark.name);
        }
    }

    #[test]
    fn memory() {
        assert!(check_memory(1 << 20, 3 << 20, Some(3 << 20)).is_ok());
        assert!(check_memory(1 << 20, 3 << 20, None).is_ok());
        let error = check_memory(1 << 30, 3 << 30, Some(3 << 29)).unwrap_err().to_string();
        assert_eq!(error, "not enough memory for messages of 1024 MiB: 3072 MiB are needed, 1536 MiB available");
    }
}

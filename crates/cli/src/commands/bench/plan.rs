//! The measurements that the command line requests.

use std::fs;
use std::time::Duration;

use sealane::{Backend, BackendError};
use sealane_measure::{Rounds, size_name};

use super::primitive::Primitive;
use crate::args::BenchArgs;
use crate::error::{Error, Result};

/// The number of buffers of a message's size in a measurement: input, output, and expected output.
const BUFFERS: usize = 3;

/// The measurements to make.
pub(super) struct Plan {
    pub(super) primitives: Vec<Primitive>,
    /// The backends, the narrowest first.
    pub(super) backends: Vec<Backend>,
    /// The sizes in bytes, ascending.
    pub(super) sizes: Vec<usize>,
    /// The time for each cell.
    pub(super) time_per_cell: Duration,
}

impl Plan {
    pub(super) fn new(args: &BenchArgs) -> Result<Self> {
        let backends = backends(&args.backends)?;
        let primitives = filtered(&args.filters)?;
        let mut sizes = args.sizes.clone();
        sizes.sort_unstable();
        sizes.dedup();
        if let Some(&largest) = sizes.last() {
            check_memory(largest, available_memory())?;
        }
        Ok(Self { primitives, backends, sizes, time_per_cell: Duration::from_millis(args.time_per_cell.into()) })
    }

    /// Returns the number of steps of the progress bar.
    pub(super) fn steps(&self) -> usize {
        self.primitives.len() * self.sizes.len()
    }

    /// Returns the method of measuring cells.
    pub(super) fn rounds(&self) -> Rounds {
        const COUNT: u32 = 25;
        Rounds { count: COUNT as usize, turn: self.time_per_cell / COUNT, settle: Duration::ZERO }
    }
}

/// Returns the backends with that name. Without a name, returns the one in `SEALANE_BACKEND`, or
/// all.
fn backends(names: &[String]) -> Result<Vec<Backend>> {
    if names.is_empty() {
        return if std::env::var_os("SEALANE_BACKEND").is_some_and(|name| !name.is_empty()) {
            Ok(vec![crate::os::backend::chosen()?])
        } else {
            Ok(Backend::available().collect())
        };
    }
    for name in names {
        if let Err(error) = Backend::by_name(name) {
            let here: Vec<_> = Backend::available().map(Backend::name).collect();
            let hint = format!("available here: {}", here.join(", "));
            return Err(match error {
                BackendError::Unknown(_) => Error::usage(format!("--backend {name:?}: no such backend")),
                error => Error::new(format!("--backend {name}: {error}")),
            }
            .hint(hint));
        }
    }
    // The backends in the order of width, without duplicates.
    Ok(Backend::available().filter(|backend| names.iter().any(|name| name == backend.name())).collect())
}

/// Returns the primitives with one of `filters` in their name. A complete name selects only that
/// primitive.
fn filtered(filters: &[String]) -> Result<Vec<Primitive>> {
    let names = || Primitive::ALL.map(Primitive::name).into_iter();
    for filter in filters {
        if filter.is_empty() || !names().any(|name| name.contains(filter.as_str())) {
            return Err(Error::usage(format!("--filter {filter:?}: nothing has that in its name"))
                .hint(format!("there are {}", names().collect::<Vec<_>>().join(", "))));
        }
    }
    let wanted = |primitive: &Primitive| {
        let name = primitive.name();
        let matches = |filter: &String| {
            let exact = names().any(|name| name == filter);
            if exact { name == filter } else { name.contains(filter.as_str()) }
        };
        filters.is_empty() || filters.iter().any(matches)
    };
    Ok(Primitive::ALL.into_iter().filter(wanted).collect())
}

/// Refuses messages of `largest` bytes if the buffers do not fit: the system might end other
/// processes to make room.
fn check_memory(largest: usize, available: Option<u64>) -> Result<()> {
    let needed = largest as u64 * BUFFERS as u64;
    match available {
        Some(available) if needed > available => Err(Error::new(format!(
            "not enough memory for messages of {}: {} are needed, {} available",
            size_name(largest),
            mebibytes(needed),
            mebibytes(available),
        ))
        .hint("give smaller --sizes")),
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
        filtered(&filters).unwrap().into_iter().map(Primitive::name).collect()
    }

    #[test]
    fn filters() {
        assert_eq!(names(&[]).len(), 5);
        assert_eq!(names(&["chacha20"]), ["chacha20"]);
        assert_eq!(names(&["seal"]), ["chacha20poly1305-seal", "xchacha20poly1305-seal"]);
        assert_eq!(names(&["poly1305", "open"]), ["poly1305", "chacha20poly1305-open"]);
        assert!(filtered(&["seal".into(), "dispatch".into()]).is_err());
        assert!(filtered(&[String::new()]).is_err());
    }

    #[test]
    fn memory() {
        assert!(check_memory(1 << 20, Some(3 << 20)).is_ok());
        assert!(check_memory(1 << 20, None).is_ok());
        let error = check_memory(1 << 30, Some(3 << 29)).unwrap_err().to_string();
        assert_eq!(error, "not enough memory for messages of 1024 MiB: 3072 MiB are needed, 1536 MiB available");
    }
}

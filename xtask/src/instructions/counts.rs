//! Instruction counts, by case.

use std::collections::BTreeMap;
use std::fmt;

/// One operation on messages of one size on one backend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    pub(super) backend: String,
    pub(super) operation: String,
    /// The length of each message, in bytes.
    pub(super) size: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.backend, self.operation, self.size)
    }
}

/// The number of instructions of one operation in a case, and the number of message bytes that the
/// operation processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) instructions: u64,
    pub(super) bytes: usize,
}

pub(super) type Counts = BTreeMap<Case, Count>;

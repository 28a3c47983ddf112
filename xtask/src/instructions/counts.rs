//! Instruction counts, by case.

use std::collections::BTreeMap;
use std::fmt;

/// One operation on inputs of one size on one backend.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Case {
    pub(super) backend: String,
    pub(super) operation: String,
    /// The size of each input, in the unit of the operation: usually the length of a message, in
    /// bytes.
    pub(super) size: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.backend, self.operation, self.size)
    }
}

/// The number of instructions of one operation in a case, and the size times the number of messages
/// that the operation processes: usually the number of message bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) instructions: u64,
    pub(super) bytes: usize,
}

pub(super) type Counts = BTreeMap<Case, Count>;

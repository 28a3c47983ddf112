//! The state of a seek that is not complete.

use std::io::{self, SeekFrom};

use crate::stream::Snapshot;

/// A seek that is not complete.
pub(super) struct Seeking {
    pub(super) to: To,
    pub(super) step: Step,
    /// The state to return to if the seek fails.
    pub(super) home: Snapshot,
    /// The reason why the seek failed.
    pub(super) error: Option<io::Error>,
}

#[derive(Clone, Copy)]
pub(super) enum To {
    Position(SeekFrom),
    /// Seeks only to learn the length.
    Length,
}

/// The next thing to do. A step that has to wait starts again from its beginning.
#[derive(Clone, Copy)]
pub(super) enum Step {
    /// Find out what to do.
    Begin,
    /// Find the number of the last chunk from the end of the input: the target may be beyond that
    /// chunk, or relative to the end.
    FindLastChunk,
    /// Move to the last chunk, which has this number.
    MoveToLastChunk(u64),
    /// Authenticate the last chunk to learn the length.
    OpenLastChunk,
    /// Move to the target.
    Move(u64),
    /// Move back after a failure.
    Return,
}

//! The task of a run: its direction, how it treats the folder, and how it starts.

use std::path::PathBuf;

use sealane_age::folder::Name;

/// The direction of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Encryption.
    Seal(ManifestUse),
    /// Decryption.
    Open,
}

/// What an encryption does with the manifest of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ManifestUse {
    /// Writes it. It must list all files, so the folder may contain no others.
    Write,
    /// Writes none, and refuses a folder that has one, because it would not list the result.
    Refuse,
    /// Writes none, and ignores one in the folder.
    Ignore,
}

/// Encryption with a manifest.
pub(super) const ALONE: Direction = Direction::Seal(ManifestUse::Write);

impl Direction {
    /// Returns the path of the result for `name`, within the folder.
    pub(super) fn target(self, name: &Name) -> PathBuf {
        match self {
            Self::Seal(_) => name.sealed(),
            Self::Open => name.as_path().to_owned(),
        }
    }
}

/// The way to treat the existing contents of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Start a run in a folder without a journal.
    Fresh,
    /// Continue an interrupted run, if there was one; otherwise start one.
    Resume,
    /// Write a single file without a journal. A failure leaves no file behind.
    Single,
}

/// The way in which a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Without a journal.
    Alone,
    /// With a new journal.
    New,
    /// With the journal of the interrupted run.
    Continue,
}

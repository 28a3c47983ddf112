//! The task of a run: its direction, and how it treats the folder.

use std::path::PathBuf;

use sealane_age::folder::Name;

/// The direction of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Encryption. With a manifest, the folder may contain no other files.
    Seal { with_manifest: bool },
    /// Decryption.
    Open,
}

/// Encryption with a manifest.
pub(super) const ALONE: Direction = Direction::Seal { with_manifest: true };

impl Direction {
    /// Returns the path of the result for `name`, within the folder.
    pub(super) fn target(self, name: &Name) -> PathBuf {
        match self {
            Self::Seal { .. } => name.sealed(),
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
    Single {
        /// Whether an encrypted file may go into a folder with a manifest, which will not list it.
        beside_manifest: bool,
    },
}

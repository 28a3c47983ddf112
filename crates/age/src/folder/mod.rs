//! Encrypted folders (feature `folders`): a folder of encrypted files with an encrypted manifest,
//! which lists them.
//!
//! `docs/folders.md` describes the format.

mod attributes;
mod manifest;
mod name;
mod verify;

pub use self::attributes::{Attributes, Stamp};
pub use self::manifest::{Entry, Id, Known, Manifest, ManifestError};
pub use self::name::{JOURNAL, MANIFEST, Name};
pub use self::verify::{FileFault, VerifyError, read_manifest, verify};

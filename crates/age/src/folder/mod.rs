//! Encrypted folders (feature `folders`): a folder of encrypted files with an encrypted manifest,
//! which lists them.
//!
//! `docs/folders.md` describes the format.

mod attributes;
mod link;
mod manifest;
mod name;
mod open;
mod seal;
#[cfg(test)]
mod tests;
mod verify;
mod work;

pub use self::attributes::{Attributes, Stamp};
pub use self::link::leads_out;
pub use self::manifest::{Entry, Id, Known, Manifest, ManifestError};
pub use self::name::{JOURNAL, MANIFEST, Name};
pub use self::open::{OpenError, open};
pub use self::seal::{SealError, seal};
pub use self::verify::{FileFault, VerifyError, read_manifest, verify, verify_file};
pub use self::work::for_each_file;

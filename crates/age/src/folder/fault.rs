//! The faults of the entries of a folder.

use std::io;
use std::path::PathBuf;

use crate::error::DecryptError;

/// The fault of an entry of a folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// It is missing, is not a regular file, cannot be read or is damaged. If it is damaged, the
    /// error wraps a [`StreamError`](crate::StreamError) or an
    /// [`ArmorError`](crate::armor::ArmorError).
    #[error("{0}")]
    Read(#[source] io::Error),
    /// It cannot be opened, for example because its header is malformed or none of the identities
    /// unwraps its file key.
    #[error(transparent)]
    Open(DecryptError),
    /// It is encrypted with a passphrase. Passphrases open no file of a folder, because each file
    /// would choose how much work and memory scrypt needs.
    #[error("it is encrypted with a passphrase, which cannot be used in a folder")]
    Passphrase,
    /// It is another file than the one in the manifest.
    #[error("this is not the file that the manifest lists")]
    Exchanged,
    /// Its length differs from the one in the manifest. Only someone who can open the file could
    /// have changed it and kept its id.
    #[error("it has {found} bytes, but the manifest says {known}")]
    OtherSize {
        /// The length of its plaintext.
        found: u64,
        /// The length in the manifest.
        known: u64,
    },
    /// The system cannot have its name, for example because Windows reserves the name for a device.
    /// The [`Name`](super::Name) beside this fault has `_` in place of each such component.
    #[error("the name {name:?} is reserved or not allowed on this system")]
    UnusableName {
        /// The name in the manifest.
        name: String,
    },
    /// It cannot be created in the destination, because the file system there does not allow its
    /// name, or does not distinguish it from the name of another entry. The folder that contains
    /// the entry may be the reason.
    #[error("it cannot be created: {0}")]
    NotCreated(#[source] io::Error),
    /// It is a symbolic link that may lead out of the folder.
    #[error("the link leads out of the folder, to {target:?}")]
    ExternalLink {
        /// The path to which it leads.
        target: PathBuf,
    },
    /// It is a symbolic link that cannot be created, for example because the destination's file
    /// system has no links.
    #[error("the link to {target:?} cannot be created: {error}")]
    LinkFailed {
        /// The path to which it leads.
        target: PathBuf,
        /// The error of the system.
        #[source]
        error: io::Error,
    },
}

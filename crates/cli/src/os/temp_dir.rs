//! The folder for temporary files.

use std::env;
use std::io;
use std::path::PathBuf;

use crate::error::Error;

/// Returns the folder for temporary files. Like every empty variable, an empty `TMPDIR` counts as
/// absent, but std takes it as the current folder.
pub(crate) fn temp_dir() -> PathBuf {
    let folder = env::temp_dir();
    let usual = if cfg!(target_os = "android") { "/data/local/tmp" } else { "/tmp" };
    if folder.as_os_str().is_empty() { usual.into() } else { folder }
}

/// Explains why nothing can be created in the folder for temporary files.
pub(crate) fn cannot_make_folder(error: &io::Error) -> Error {
    Error::io("cannot make a temporary folder", error).hint("TMPDIR must name a writable folder")
}

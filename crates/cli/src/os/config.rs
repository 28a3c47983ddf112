//! The user's configuration: the default identity.

use std::env;
use std::path::PathBuf;

/// Returns the identity file to use if the command line names no identity: the one that
/// `SEALANE_IDENTITY` names, whether or not it exists, or else `sealane/identity.txt` in the user's
/// folder for configuration, if that file exists.
pub(crate) fn default_identity() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let file = || folder(set).map(|folder| folder.join("sealane/identity.txt")).filter(|file| file.is_file());
    set("SEALANE_IDENTITY").or_else(file)
}

/// Returns the folder for configuration (XDG Base Directory Specification).
#[cfg(not(windows))]
fn folder(set: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let named = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    named.or_else(|| set("HOME").map(|home| home.join(".config")))
}

/// Returns the folder for configuration.
#[cfg(windows)]
fn folder(set: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    set("APPDATA")
}

//! Finds the encrypted files that `rekey` changes in place and `inspect` describes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use sealane_age::folder::Name;

use super::plan::Plan;
use crate::error::{Error, quoted};

/// Finds the files `inputs`, and all encrypted files in the folders among them, with their
/// manifests. A file that cannot be read, a link in a folder, and a folder without encrypted files
/// become failures in the plan.
pub(crate) fn encrypted_files(inputs: &[PathBuf]) -> Plan {
    let mut plan = Plan::default();
    for input in inputs {
        if input.is_dir() {
            let mut found = Plan::default();
            found.walk(
                input,
                |within, is_folder| if is_folder { None } else { Name::opened(within).and(Name::new(within)) },
            );
            found.failures.extend(found.links.drain(..).map(|link| not_followed(&input.join(link.name.as_path()))));
            if found.files.is_empty() && found.failures.is_empty() {
                found.failures.push(no_encrypted_files(input));
            }
            plan.append(found);
        } else {
            let name = Name::new(Path::new(input.file_name().unwrap_or(OsStr::new("file"))));
            let taken = plan.take_file(input, name);
            plan.failures.extend(taken.err());
        }
    }
    plan
}

/// Returns the error for a folder without encrypted files.
pub(crate) fn no_encrypted_files(folder: &Path) -> Error {
    Error::new(format!("{} has no encrypted files", quoted(folder))).hint("their names end in .age")
}

/// Returns the error for a link in a folder.
pub(super) fn not_followed(path: &Path) -> Error {
    Error::new(format!("{} is a link, and is not followed", quoted(path)))
}

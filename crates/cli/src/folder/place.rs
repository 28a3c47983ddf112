//! Selects the folder for the results, and how to treat its contents.

use std::path::{Path, PathBuf};

use super::task::Mode;
use crate::args::{FolderArgs, OutputArgs};
use crate::error::{Error, Result, quoted};

/// Returns the folder for the results.
pub(crate) fn root(output: &OutputArgs) -> &Path {
    // A command line without a folder was refused before.
    output.path().unwrap_or(Path::new(""))
}

/// Returns the only input if it is a file.
pub(crate) fn single(inputs: &[PathBuf]) -> Option<&Path> {
    match inputs {
        [one] if !one.is_dir() => Some(one),
        _ => None,
    }
}

/// Returns how to treat the folder.
pub(crate) fn mode(folder: FolderArgs, inputs: &[PathBuf]) -> Mode {
    match (folder.resume, single(inputs)) {
        (true, _) => Mode::Resume,
        (false, Some(_)) if !folder.no_manifest => Mode::Single,
        (false, _) => Mode::Fresh,
    }
}

/// Refuses to write into a folder that is read.
pub(crate) fn refuse_within(root: &Path, inputs: &[PathBuf]) -> Result<()> {
    // A missing folder will be below its first existing parent.
    let parent = root.ancestors().find_map(|path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        path.canonicalize().ok()
    });
    let Some(parent) = parent else { return Ok(()) };
    let is_within = |input: &&PathBuf| {
        let Ok(source) = input.canonicalize() else { return false };
        // The results go to the folder with the input's name in `root`, which may be the input
        // itself.
        let same = input.file_name().and_then(|name| root.join(name).canonicalize().ok());
        source.is_dir() && (parent.starts_with(&source) || same.is_some_and(|same| same.starts_with(&source)))
    };
    match inputs.iter().find(is_within) {
        Some(input) => Err(Error::new(format!("{} is within the input {}", quoted(root), quoted(input)))
            .hint("give -o a folder somewhere else")),
        None => Ok(()),
    }
}

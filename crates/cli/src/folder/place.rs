//! Where many files go.

use std::path::{Path, PathBuf};

use super::destination::Mode;
use crate::args::FileArgs;
use crate::error::{Error, Result, quoted};

/// Where the files go.
pub(crate) fn root(args: &FileArgs) -> &Path {
    // The command line was refused without it.
    args.output.as_deref().unwrap_or(Path::new(""))
}

/// The file, if it is one only, and no folder.
pub(crate) fn single(args: &FileArgs) -> Option<&Path> {
    match args.many.as_slice() {
        [one] if !one.is_dir() => Some(one),
        _ => None,
    }
}

/// How the folder that receives the files is treated.
pub(crate) fn mode(args: &FileArgs) -> Mode {
    match (args.resume, single(args)) {
        (true, _) => Mode::Resume,
        (false, Some(_)) if !args.no_manifest => Mode::Single,
        (false, _) => Mode::Fresh,
    }
}

/// Refuses a folder that would receive files while it is read.
pub(crate) fn refuse_within(root: &Path, inputs: &[PathBuf]) -> Result<()> {
    // One that is not there yet is where its parent is.
    let there = root.ancestors().find_map(|path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        path.canonicalize().ok()
    });
    let Some(there) = there else { return Ok(()) };
    let is_within = |input: &&PathBuf| {
        let Ok(source) = input.canonicalize() else { return false };
        // Files of a folder with the same name go into the very folder.
        let same = input.file_name().and_then(|name| root.join(name).canonicalize().ok());
        source.is_dir() && (there.starts_with(&source) || same.is_some_and(|same| same.starts_with(&source)))
    };
    match inputs.iter().find(is_within) {
        Some(input) => Err(Error::new(format!("{} is within the input {}", quoted(root), quoted(input)))
            .hint("give -o a folder somewhere else")),
        None => Ok(()),
    }
}

//! Selects the folder for the results, and how to treat its contents.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Name;
use super::plan::Plan;
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
        (false, Some(_)) => Mode::Single,
        (false, None) => Mode::Fresh,
    }
}

/// Refuses to write into a folder that is read: `root`, or a folder in it that gets results.
pub(crate) fn refuse_within(root: &Path, inputs: &[PathBuf], plan: &Plan) -> Result<()> {
    // A missing folder will be below its first existing parent.
    let parent = root.ancestors().find_map(|path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        path.canonicalize().ok()
    });
    let first = |name: &Name| name.as_path().components().next().map(|name| root.join(name));
    let in_folders = plan.files.iter().map(|file| &file.name).filter(|name| name.folders().next().is_some());
    let folders: BTreeSet<_> =
        in_folders.chain(plan.directories.iter().map(|directory| &directory.name)).filter_map(first).collect();
    let existing = folders.into_iter().filter_map(|path| Some((path.canonicalize().ok()?, path)));
    let written: Vec<_> = parent.map(|parent| (parent, root.to_owned())).into_iter().chain(existing).collect();
    let real = inputs.iter().filter_map(|input| Some((input.canonicalize().ok()?, input)));
    let sources: BTreeMap<_, _> = real.filter(|(real, _)| real.is_dir()).collect();
    for (real, path) in &written {
        if let Some(input) = real.ancestors().find_map(|folder| sources.get(folder)) {
            return Err(Error::new(format!("{} is within the input {}", quoted(path), quoted(input)))
                .hint("give -o a folder somewhere else"));
        }
    }
    Ok(())
}

//! Checks that several commands share: which flags go together.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::groups::{FolderArgs, OutputArgs, RecipientArgs};
use super::identity::{IdentityArgs, IdentitySource};
use crate::error::{Error, Result, quoted};
use crate::os::dir::ends_as_directory;

/// Returns whether the results go to a folder: if there are several inputs or the input is a
/// folder, or if a flag or the output asks for it.
pub(super) fn is_many(inputs: &[PathBuf], output: &OutputArgs, folder: FolderArgs) -> bool {
    let is_folder = |path: &PathBuf| {
        let is_stream = path.as_os_str() == "-";
        !is_stream && (ends_as_directory(path) || path.is_dir())
    };
    let asked_for = folder.resume || folder.no_manifest || output.output.as_ref().is_some_and(is_folder);
    match inputs {
        [] => false,
        [input] => input.is_dir() || (asked_for && input != OsStr::new("-")),
        _ => true,
    }
}

/// Returns whether there may be more than one file. Passphrases are refused only then, and not for
/// a single file that goes into a folder.
pub(super) fn is_several(inputs: &[PathBuf]) -> bool {
    inputs.len() > 1 || inputs.iter().any(|input| input.is_dir())
}

/// Refuses a second input, and flags that are only for several files or for folders.
pub(super) fn check_single(inputs: &[PathBuf], folder: FolderArgs, allow_external_links: bool) -> Result<()> {
    if let [_, second, ..] = inputs {
        return Err(
            Error::usage(format!("more than one FILE: unexpected {}", quoted(second))).hint("give one file at a time")
        );
    }
    let flags = [
        (folder.resume, "--resume"),
        (folder.no_manifest, "--no-manifest"),
        (allow_external_links, "--allow-external-links"),
    ];
    match flags.into_iter().find(|(given, _)| *given) {
        Some((_, flag)) => Err(Error::usage(format!("{flag} is for several files, or for folders"))
            .hint("leave the flag out for a single file")),
        None => Ok(()),
    }
}

/// Refuses inputs and flags that do not go with several files or with folders, and a command line
/// without a folder for the results. Each entry of `refused` says whether something was given, what
/// it is, and a hint.
pub(super) fn check_several(
    inputs: &[PathBuf],
    output: &OutputArgs,
    parts: &[PathBuf],
    refused: &[(bool, &str, &str)],
) -> Result<()> {
    refuse_stdin(inputs)?;
    if output.path().is_none_or(|path| path == OsStr::new("-")) {
        return Err(Error::usage("several files, or a folder, need a folder for the results")
            .hint("name it with -o DIR, or make an archive first (tar)"));
    }
    refuse_parts(inputs, parts)?;
    match refused.iter().find(|(given, ..)| *given) {
        Some((_, what, hint)) => Err(not_for_several(inputs, what, hint)),
        None => Ok(()),
    }
}

/// Returns the error for an argument that does not go with several files, or with a folder for the
/// result of one.
fn not_for_several(inputs: &[PathBuf], what: &str, hint: &str) -> Error {
    if is_several(inputs) {
        Error::usage(format!("{what} can't be used with several files")).hint(hint)
    } else {
        Error::usage(format!("{what} can't be used if the result goes into a folder")).hint("name a file with -o")
    }
}

impl RecipientArgs {
    /// Refuses a threshold for a passphrase, a label without a threshold, and one label for several
    /// files: holders could not tell which of the files they help to open.
    pub(super) fn check_threshold(&self, several: bool) -> Result<()> {
        if self.label.is_some() && several {
            return Err(Error::usage("--label can't be used with several files")
                .hint("encrypt an archive (tar), or give each file a label of its own"));
        }
        if self.threshold.is_some() && self.passphrase {
            return Err(Error::usage("-k/--threshold can't be combined with -p")
                .hint("a file encrypted with a passphrase has no other recipients"));
        }
        if self.label.is_some() && self.threshold.is_none() {
            return Err(Error::usage("--label needs -k/--threshold")
                .hint("-k gives the number of recipients (-r, -R) that are needed"));
        }
        Ok(())
    }
}

/// Refuses standard input among several inputs.
pub(super) fn refuse_stdin(inputs: &[PathBuf]) -> Result<()> {
    if inputs.iter().any(|path| path == OsStr::new("-")) {
        return Err(Error::usage("standard input can't be one of several inputs").hint("give files and folders"));
    }
    Ok(())
}

/// Refuses parts of keys for several files.
pub(super) fn refuse_parts(inputs: &[PathBuf], parts: &[PathBuf]) -> Result<()> {
    if parts.is_empty() {
        return Ok(());
    }
    Err(not_for_several(inputs, "--part", "a part belongs to one file"))
}

/// Warns of recipients, recipients files and identity files that are given more than once.
pub(super) fn warn_duplicates(recipients: &[String], recipients_files: &[PathBuf], identities: &IdentityArgs) {
    let text = |path: &PathBuf| path.display().to_string();
    let files = identities.given.iter().filter_map(|source| match source {
        IdentitySource::File(path) => Some(text(path)),
        IdentitySource::Plugin(_) => None,
    });
    let lists = [
        ("recipient", recipients.to_vec()),
        ("recipients file", recipients_files.iter().map(text).collect()),
        ("identity file", files.collect::<Vec<_>>()),
    ];
    for (description, mut list) in lists {
        list.sort();
        let mut repeated: Vec<_> = list.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
        repeated.dedup();
        for value in repeated {
            crate::error::warn(format!("duplicate {description} {value:?}"));
        }
    }
}

//! Finds the encrypted files that `rekey` changes in place and `inspect` describes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use sealane_age::armor::ArmoredReader;
use sealane_age::folder::Name;
use sealane_age::{Decryptor, stream};

use super::plan::Plan;
use crate::error::{Error, quoted, warn};
use crate::io::input::{ENCRYPTED_START_BYTES, begins_as_encrypted};
use crate::io::output::Temporary;
use crate::os::dir::{Dir, Kind};

/// Finds the files `inputs`, and all encrypted files in the folders among them, with their
/// manifests. A file that cannot be read, a link in a folder, and a folder without encrypted files
/// become failures in the plan. Encrypted files in folders are left out, with a warning, if
/// [`fault_of_name`] finds a fault in their names.
pub(crate) fn encrypted_files(inputs: &[PathBuf]) -> Plan {
    let mut plan = Plan::default();
    for input in inputs {
        if input.is_dir() {
            let (mut found, mut others) = (Plan::default(), Vec::new());
            found.walk(input, |within, is_folder| match is_folder {
                true => None,
                false if fault_of_name(within).is_none() => Name::new(within),
                false => {
                    others.push(within.to_owned());
                    None
                }
            });
            warn_of_others(input, &others);
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

/// Warns of encrypted files among `others`: the files in the folder `root` whose names are not
/// those of encrypted files.
fn warn_of_others(root: &Path, others: &[PathBuf]) {
    let Ok(folder) = Dir::open(root) else { return };
    for within in others {
        let mut start = Vec::new();
        let file = folder.open_file(within);
        let is_read = file.and_then(|file| file.take(ENCRYPTED_START_BYTES).read_to_end(&mut start)).is_ok();
        if is_read && begins_as_encrypted(&start) && !within.file_name().is_some_and(Temporary::is_name) {
            let fault = fault_of_name(within).unwrap_or_default();
            warn(format!("{} is left out: it is an encrypted file, but {fault}", quoted(root.join(within))));
        }
    }
}

/// Returns why a file with this name is not taken for an encrypted file.
pub(super) fn fault_of_name(path: &Path) -> Option<&'static str> {
    match path.extension() {
        Some(extension) if extension == "age" => None,
        _ if path.file_name().is_some_and(|name| name == ".age") => Some("its name has nothing before .age"),
        _ => Some("its name does not end in .age, as names of encrypted files do"),
    }
}

/// Removes the unfinished files that a killed run left beside encrypted files in the folder `root`.
/// Files that another run is still writing stay.
pub(crate) fn remove_abandoned(root: &Path) {
    let Ok(root) = Dir::open(root) else { return };
    // These are paths, because each open folder would take a file descriptor.
    let mut pending = vec![PathBuf::new()];
    while let Some(within) = pending.pop() {
        let Ok(folder) = root.below(&within) else { continue };
        let entries = folder.entries().unwrap_or_default();
        let has_encrypted =
            entries.iter().any(|(name, kind)| *kind == Kind::File && fault_of_name(Path::new(name)).is_none());
        for (name, kind) in entries {
            match kind {
                Kind::Directory => pending.push(within.join(name)),
                Kind::File if has_encrypted => Temporary::remove_abandoned(&folder, &name),
                _ => {}
            }
        }
    }
}

/// Returns whether `file` has a header that can be parsed, and after it as many bytes as a complete
/// payload can have. `content`, if given, says whether the file must be armored, and how long its
/// plaintext must be. Nothing is authenticated.
pub(crate) fn is_complete(file: &File, content: Option<(bool, u64)>) -> io::Result<bool> {
    let mut reader = ArmoredReader::new(BufReader::new(file));
    let armored = reader.is_armored()?;
    let Ok(decryptor) = Decryptor::new(reader) else { return Ok(false) };
    let header = decryptor.header().encode().len() as u64;
    let after_header = if armored {
        io::copy(&mut decryptor.into_payload(), &mut io::sink())?
    } else {
        file.metadata()?.len().saturating_sub(header)
    };
    let found = stream::plaintext_len(after_header.saturating_sub(stream::NONCE_BYTES as u64));
    Ok(match content {
        Some((is_armored, plaintext)) => armored == is_armored && found == Some(plaintext),
        None => found.is_some(),
    })
}

/// Returns the error for a folder without encrypted files.
pub(crate) fn no_encrypted_files(folder: &Path) -> Error {
    Error::new(format!("{} has no encrypted files", quoted(folder))).hint("their names end in .age")
}

/// Returns the error for a link in a folder.
pub(super) fn not_followed(path: &Path) -> Error {
    Error::new(format!("{} is a link, and is not followed", quoted(path)))
}

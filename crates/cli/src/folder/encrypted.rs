//! Finds the encrypted files that `rekey` changes in place and `inspect` describes.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use sealane_age::armor::ArmoredReader;
use sealane_age::folder::Name;
use sealane_age::{Decryptor, stream};

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
            found.walk(input, |within, is_folder| {
                let is_encrypted = !is_folder && within.extension().is_some_and(|extension| extension == "age");
                if is_encrypted { Name::new(within) } else { None }
            });
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

/// Returns whether `file` has a header that can be parsed, and then as many bytes as a complete
/// file. With `content`, the file must also be armored or not, and its plaintext must have this
/// length. Nothing is authenticated.
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

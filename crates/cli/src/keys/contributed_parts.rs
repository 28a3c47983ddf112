//! Reads files with contributed parts: holders' parts of the key of one encrypted file, which
//! `sealane contribute` writes. They are in the clear, or encrypted to the person who opens that
//! file.
//!
//! Also opens files with parts and identities together, and names the file of a part that is wrong.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sealane_age::armor::ArmoredReader;
use sealane_age::threshold::{Part, ThresholdError, ThresholdIdentity};
use sealane_age::{DecryptError, Decryptor, FileKey, Identity, Stanza, UnwrapError};
use zeroize::Zeroizing;

use crate::error::explain::{decrypt_error, payload_error, threshold_error};
use crate::error::{Error, Result, quoted};
use crate::io::input::{ARMOR_START, begins_as_encrypted, refuse_mangled};
use crate::io::stdin::StdinUse;
use crate::io::text::decode;
use crate::keys::identities::Openable;
use crate::os::memory;

/// The longest file with parts, in bytes.
const FILE_LIMIT: usize = 1 << 20;

/// Contributed parts, and the files that they come from.
#[derive(Default)]
pub(crate) struct Parts {
    parts: Vec<Part>,
    /// The name of the file of each part, quoted.
    names: Vec<String>,
}

impl Parts {
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// Identities of holders, and parts of others.
pub(crate) struct Together<'a> {
    identity: ThresholdIdentity<'a>,
    parts: &'a Parts,
}

impl<'a> Together<'a> {
    /// Combines identities with parts of the file. The identities are tried in order, until there
    /// are enough shares.
    pub(crate) fn new(identities: impl IntoIterator<Item = &'a dyn Identity>, parts: &'a Parts) -> Self {
        Self { identity: ThresholdIdentity::new(identities, &parts.parts), parts }
    }

    /// Adds to an error the name of the file whose part is wrong.
    fn explain(&self, error: UnwrapError, stanzas: &[Stanza]) -> UnwrapError {
        let UnwrapError::Threshold(fault @ (ThresholdError::OtherFile | ThresholdError::WrongPart { .. })) = &error
        else {
            return error;
        };
        let has_fault = |part: &Part| {
            let alone = ThresholdIdentity::new([], std::slice::from_ref(part));
            matches!(alone.unwrap_file_key(stanzas), Err(UnwrapError::Threshold(found)) if found == *fault)
        };
        match self.parts.parts.iter().position(has_fault) {
            Some(at) => UnwrapError::other(threshold_error(fault).in_context(&self.parts.names[at])),
            None => error,
        }
    }
}

impl Identity for Together<'_> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        self.identity.unwrap_file_key(stanzas).map_err(|error| self.explain(error, stanzas))
    }
}

/// Reads the parts in the files `paths`. "-" is standard input. `identities` open the files that
/// are encrypted.
pub(crate) fn read_parts(paths: &[PathBuf], stdin: &StdinUse, identities: &Openable) -> Result<Parts> {
    let mut parts = Parts::default();
    for path in paths {
        let name = quoted(path);
        let contents = if path == Path::new("-") {
            read(stdin.read("parts")?, &name)?
        } else {
            let file = File::open(path).map_err(|error| Error::io(format!("cannot open {name}"), &error))?;
            read(file, &name)?
        };
        let text = match encrypted(&contents, &name)? {
            Some(encrypted) => decrypt(&encrypted, &name, identities)?,
            None => contents,
        };
        let found = read_part_lines(&text).map_err(|error| error.in_context(&name))?;
        let found = found.ok_or_else(|| {
            Error::new(format!("no part in {name}"))
                .hint("a part is a line that begins with SEALANE-PART-1, from sealane contribute")
        })?;
        parts.names.resize(parts.names.len() + found.len(), name);
        parts.parts.extend(found);
    }
    Ok(parts)
}

fn read(source: impl Read, name: &str) -> Result<Zeroizing<Vec<u8>>> {
    // The largest capacity, so that the vector never grows: growing leaves a copy behind that is
    // not wiped.
    let mut contents = Zeroizing::new(Vec::with_capacity(FILE_LIMIT + 1));
    source
        .take(FILE_LIMIT as u64 + 1)
        .read_to_end(&mut contents)
        .map_err(|error| Error::io(format!("cannot read the part {name}"), &error))?;
    if contents.len() > FILE_LIMIT {
        return Err(Error::new(format!("{name} is longer than 1 MiB")).hint("a file with parts is expected"));
    }
    Ok(contents)
}

/// Returns the encrypted file in `contents`, or `None` if they are not encrypted. Like the text of
/// a part, an armored file may have a byte order mark or be UTF-16, as PowerShell writes it.
fn encrypted<'a>(contents: &'a [u8], name: &str) -> Result<Option<Cow<'a, [u8]>>> {
    let text = decode(contents);
    let text = text.as_ref().map_or("", |text| text.trim_start_matches('\u{feff}'));
    if text.trim_start().starts_with(ARMOR_START) {
        return Ok(Some(Cow::Owned(text.as_bytes().to_vec())));
    }
    refuse_mangled(contents, name, "contribute again with -o FILE")?;
    Ok(begins_as_encrypted(contents).then_some(Cow::Borrowed(contents)))
}

fn decrypt(contents: &[u8], name: &str, identities: &Openable) -> Result<Zeroizing<Vec<u8>>> {
    let failed = |error: DecryptError| match error {
        DecryptError::NoMatch => {
            Error::new(format!("the part {name} is encrypted, and none of the identities opens it"))
                .hint("give the private key that it was encrypted to with -i")
        }
        error => decrypt_error(error).in_context(name),
    };
    let decryptor =
        Decryptor::new(ArmoredReader::new(contents)).map_err(failed)?.with_backend(crate::os::backend::chosen()?);
    if decryptor.is_scrypt() {
        return Err(Error::new(format!("the part {name} is encrypted with a passphrase"))
            .hint("decrypt it first, and give the result with --part"));
    }
    let mut reader = decryptor.decrypt(identities.native().chain(identities.other(false))).map_err(failed)?;
    let mut text = Zeroizing::new(Vec::with_capacity(contents.len()));
    reader.read_to_end(&mut text).map_err(|error| payload_error(error, name))?;
    Ok(text)
}

/// Parses a text with one part per line, as UTF-8 or UTF-16. Lines that start with `#` are
/// comments. Returns `None` if the text has no parts.
pub(crate) fn read_part_lines(text: &[u8]) -> Result<Option<Vec<Part>>> {
    let Some(text) = decode(text) else { return Ok(None) };
    // Editors on Windows write a byte order mark, and files may be joined.
    let is_space = |c: char| c.is_whitespace() || c == '\u{feff}';
    let lines = text.lines().map(|line| line.trim_matches(is_space));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    // Bech32 (BIP 173) may be all lower case.
    const START: &str = "SEALANE-PART-";
    if !lines.iter().any(|line| line.get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START))) {
        return Ok(None);
    }
    let parts =
        lines.iter().map(|line| line.parse().map_err(|error| threshold_error(&error))).collect::<Result<_>>()?;
    memory::lock();
    Ok(Some(parts))
}

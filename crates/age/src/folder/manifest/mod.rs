//! The manifest of an encrypted folder, which lists its contents.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::io::{self, BufRead, Read as _, Write};
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::attributes::Attributes;
use super::fault::FileFault;
use super::name::{Name, TOO_LONG};
use super::path_form::{self, PathForm};
use super::usable::{is_usable, stand_in};
use crate::keys::FILE_ID_BYTES;
use crate::message::OneLine;

const VERSION: u32 = 1;

/// The longest line, in bytes. Names have at most [`Name::MAX_BYTES`].
const MAX_LINE: u64 = 1 << 20;

/// The first line of a manifest.
#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(rename = "sealane-manifest")]
    version: u32,
}

/// An entry of a manifest: a line after the first.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Entry {
    /// An encrypted file.
    File {
        /// Its name.
        name: Name,
        /// The length of the plaintext.
        size: u64,
        /// The id of the encrypted file.
        id: Id,
        /// Its mode and time.
        #[serde(flatten)]
        attributes: Attributes,
    },
    /// A folder, which may be empty.
    Directory {
        /// Its name.
        name: Name,
        /// Its mode and time.
        #[serde(flatten)]
        attributes: Attributes,
    },
    /// A symbolic link.
    Link {
        /// Its name.
        name: Name,
        /// Its target.
        #[serde(with = "path_form")]
        target: PathBuf,
    },
}

impl Entry {
    fn name(&self) -> &Name {
        let (Self::File { name, .. } | Self::Directory { name, .. } | Self::Link { name, .. }) = self;
        name
    }
}

/// A manifest cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ManifestError {
    /// Reading failed, or the file with the manifest is damaged.
    #[error("cannot read the manifest: {0}")]
    Io(#[from] io::Error),
    /// The text is not a manifest.
    #[error("the manifest is malformed: {}", OneLine(.0))]
    Malformed(String),
    /// The manifest has another version of the format.
    #[error("unknown manifest version {0}")]
    UnknownVersion(u32),
}

/// Appends a line of JSON.
fn write_line(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    if line.len() as u64 > MAX_LINE {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "an entry is longer than 1 MiB"));
    }
    to.write_all(&line)
}

/// Identifies an encrypted file: see [`Encryptor::file_id`](crate::Encryptor::file_id). Only those
/// who can open the file know the id, so `Debug` output does not have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id(pub [u8; FILE_ID_BYTES]);

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Id").finish_non_exhaustive()
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD_NO_PAD.encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = BASE64_STANDARD_NO_PAD.decode(String::deserialize(deserializer)?).map_err(de::Error::custom)?;
        bytes.try_into().map(Self).map_err(|_| de::Error::custom("an id has 32 bytes"))
    }
}

/// The entry of a file in the manifest, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Known {
    /// The length of the plaintext.
    pub size: u64,
    /// The id of the encrypted file.
    pub id: Id,
    /// Its mode and time.
    pub attributes: Attributes,
}

/// A manifest.
#[derive(Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Manifest {
    /// The encrypted files.
    pub files: BTreeMap<Name, Known>,
    /// The folders.
    pub directories: BTreeMap<Name, Attributes>,
    /// The symbolic links and their targets.
    pub links: BTreeMap<Name, PathBuf>,
    /// The names of the entries that this system cannot have, as UTF-8 or in other bytes, with `/`
    /// between the components. For example, no file is called `10:30` on Windows. The [`Name`] has
    /// `_` in place of each such component. On Unix, there are none, but a file system may refuse
    /// further names.
    pub unusable: BTreeMap<Vec<u8>, Name>,
}

impl Manifest {
    /// Writes the plaintext of a manifest with these `entries`.
    ///
    /// # Errors
    /// The errors of `to`, and an error if the entries cannot form a manifest: a name is too long
    /// (see [`Name::fits`]) or occurs twice, an entry is in a file or in a link, a target is too
    /// long, or a path is not Unicode on a system other than Unix.
    pub fn write(mut to: impl Write, entries: impl IntoIterator<Item = Entry>) -> io::Result<()> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidInput, reason);
        write_line(&mut to, &Head { version: VERSION })?;
        let mut manifest = Self::default();
        for entry in entries {
            if !entry.name().fits() {
                return Err(io::Error::new(io::ErrorKind::InvalidFilename, TOO_LONG));
            }
            write_line(&mut to, &entry)?;
            manifest.add(entry).map_err(invalid)?;
        }
        manifest.check().map_err(invalid)
    }

    /// Reads the plaintext of a manifest.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn read(from: impl BufRead) -> Result<Self, ManifestError> {
        Self::read_with(from, cfg!(not(unix)).then_some(is_usable))
    }

    /// Does the work of [`Manifest::read`]. `is_usable` returns whether a component of a name can
    /// exist. Without it, all can.
    fn read_with(mut from: impl BufRead, is_usable: Option<fn(&str) -> bool>) -> Result<Self, ManifestError> {
        let malformed = ManifestError::Malformed;
        let mut text = Vec::new();
        let mut line = |text: &mut Vec<u8>| {
            text.clear();
            let len = (&mut from).take(MAX_LINE).read_until(b'\n', text)? as u64;
            // The rest of a longer line must not be taken for a line.
            if len == MAX_LINE && !text.ends_with(b"\n") {
                return Err(malformed("a line is too long".to_owned()));
            }
            Ok::<_, ManifestError>(len > 0)
        };
        line(&mut text)?;
        match serde_json::from_slice::<Head>(&text) {
            Ok(Head { version: VERSION }) => {}
            Ok(Head { version }) => return Err(ManifestError::UnknownVersion(version)),
            Err(error) => return Err(malformed(error.to_string())),
        }
        let mut manifest = Self::default();
        while line(&mut text)? {
            let entry = match is_usable {
                Some(is_usable) => manifest.without_unusable(&text, is_usable),
                None => serde_json::from_slice(&text).map(Some),
            };
            if let Some(entry) = entry.map_err(|error| malformed(error.to_string()))? {
                manifest.add(entry).map_err(malformed)?;
            }
        }
        manifest.check().map_err(malformed)?;
        Ok(manifest)
    }

    /// Reads an entry from a line. Notes it and returns `None` if its name is unusable.
    fn without_unusable(&mut self, line: &[u8], is_usable: fn(&str) -> bool) -> serde_json::Result<Option<Entry>> {
        #[derive(Deserialize)]
        struct Named {
            name: PathForm,
        }
        let Named { name } = serde_json::from_slice(line)?;
        let Some((name, usable)) = stand_in(name, is_usable) else {
            return serde_json::from_slice(line).map(Some);
        };
        // The rest of the entry must be valid too.
        let mut value: serde_json::Value = serde_json::from_slice(line)?;
        value["name"] = usable.into();
        let entry: Entry = serde_json::from_value(value)?;
        match self.unusable.insert(name, entry.name().clone()) {
            None => Ok(None),
            Some(first) => Err(de::Error::custom(listed_twice(&first))),
        }
    }

    /// Returns a fault for each entry with an unusable name.
    pub(super) fn unusable_faults(&self) -> impl Iterator<Item = (Name, FileFault)> {
        self.unusable.iter().map(|(name, usable)| {
            let name = String::from_utf8_lossy(name).into_owned();
            (usable.clone(), FileFault::UnusableName { name })
        })
    }

    /// Checks that entries of different types have different names, and that only folders contain
    /// entries. Otherwise returns the reason.
    fn check(&self) -> Result<(), String> {
        let leaves = self.files.keys().chain(self.links.keys()).map(|name| (name, true));
        let mut names: Vec<_> = leaves.chain(self.directories.keys().map(|name| (name, false))).collect();
        // In this order, the entries in a folder follow the folder.
        names.sort();
        let is_above = |name: &Name, next: &Name| next.as_path().starts_with(name.as_path());
        names.windows(2).try_for_each(|pair| match *pair {
            [(name, _), (next, _)] if name == next => Err(listed_twice(name)),
            [(name, true), (next, _)] if is_above(name, next) => {
                Err(format!("{name} is listed as a file or a link, but contains entries"))
            }
            _ => Ok(()),
        })
    }

    /// Returns the entries, apart from those with unusable names.
    pub fn entries(&self) -> impl Iterator<Item = Entry> {
        let directory =
            |(name, attributes): (&Name, &Attributes)| Entry::Directory { name: name.clone(), attributes: *attributes };
        let file = |(name, known): (&Name, &Known)| {
            let Known { size, id, attributes } = *known;
            Entry::File { name: name.clone(), size, id, attributes }
        };
        let link = |(name, target): (&Name, &PathBuf)| Entry::Link { name: name.clone(), target: target.clone() };
        let directories = self.directories.iter().map(directory);
        directories.chain(self.files.iter().map(file)).chain(self.links.iter().map(link))
    }

    /// Adds an entry. Returns the reason if there is an entry of this type and name already.
    fn add(&mut self, entry: Entry) -> Result<(), String> {
        match entry {
            Entry::File { name, size, id, attributes } => insert(&mut self.files, name, Known { size, id, attributes }),
            Entry::Directory { name, attributes } => insert(&mut self.directories, name, attributes),
            Entry::Link { name, target } => insert(&mut self.links, name, target),
        }
    }
}

fn insert<T>(entries: &mut BTreeMap<Name, T>, name: Name, value: T) -> Result<(), String> {
    match entries.entry(name) {
        btree_map::Entry::Vacant(free) => {
            free.insert(value);
            Ok(())
        }
        btree_map::Entry::Occupied(first) => Err(listed_twice(first.key())),
    }
}

fn listed_twice(name: &Name) -> String {
    format!("{name} is listed twice")
}

#[cfg(test)]
mod tests;

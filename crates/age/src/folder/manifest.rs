//! The manifest of an encrypted folder, which lists its contents.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Read as _, Write};
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::attributes::Attributes;
use super::name::{self, Name};
use crate::keys::FILE_ID_BYTES;

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
        #[serde(with = "name")]
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
    #[error("the manifest is malformed: {0}")]
    Malformed(String),
    /// The manifest has another version of the format.
    #[error("unknown manifest version {0}")]
    UnknownVersion(u32),
}

/// Appends a line of JSON.
fn write_line(to: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Identifies an encrypted file: see [`Encryptor::file_id`](crate::Encryptor::file_id).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Id(pub [u8; FILE_ID_BYTES]);

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
pub struct Manifest {
    /// The encrypted files.
    pub files: BTreeMap<Name, Known>,
    /// The folders.
    pub directories: BTreeMap<Name, Attributes>,
    /// The symbolic links and their targets.
    pub links: BTreeMap<Name, PathBuf>,
}

impl Manifest {
    /// Writes the plaintext of a manifest with these `entries`.
    ///
    /// # Errors
    /// The errors of `to`, and an error if a name is too long (see [`Name::fits`]), or if a path is
    /// not Unicode on a system other than Unix.
    pub fn write(mut to: impl Write, entries: impl IntoIterator<Item = Entry>) -> io::Result<()> {
        write_line(&mut to, &Head { version: VERSION })?;
        entries.into_iter().try_for_each(|entry| {
            if entry.name().fits() {
                write_line(&mut to, &entry)
            } else {
                Err(io::Error::new(io::ErrorKind::InvalidFilename, name::TOO_LONG))
            }
        })
    }

    /// Reads the plaintext of a manifest.
    ///
    /// # Errors
    /// [`ManifestError`].
    pub fn read(mut from: impl BufRead) -> Result<Self, ManifestError> {
        let malformed = ManifestError::Malformed;
        let mut text = Vec::new();
        let mut line = |text: &mut Vec<u8>| {
            text.clear();
            (&mut from).take(MAX_LINE).read_until(b'\n', text).map(|n| n > 0)
        };
        line(&mut text)?;
        match serde_json::from_slice::<Head>(&text) {
            Ok(Head { version: VERSION }) => {}
            Ok(Head { version }) => return Err(ManifestError::UnknownVersion(version)),
            Err(error) => return Err(malformed(error.to_string())),
        }
        let mut manifest = Self::default();
        while line(&mut text)? {
            let entry = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
            if let Some(twice) = manifest.add(entry) {
                return Err(malformed(format!("{twice} is listed twice")));
            }
        }
        match manifest.not_a_folder() {
            Some(name) => Err(malformed(format!("{name} is listed as a file or a link, but contains entries"))),
            None => Ok(manifest),
        }
    }

    /// Returns the name of a file or a link that is above another entry, if there is one.
    fn not_a_folder(&self) -> Option<&Name> {
        let leaves = self.files.keys().chain(self.links.keys()).map(|name| (name, true));
        let mut names: Vec<_> = leaves.chain(self.directories.keys().map(|name| (name, false))).collect();
        // In this order, the entries in a folder follow the folder.
        names.sort();
        let is_above = |name: &Name, next: &Name| next.as_path().starts_with(name.as_path());
        names.windows(2).find_map(|pair| match *pair {
            [(name, true), (next, _)] if is_above(name, next) => Some(name),
            _ => None,
        })
    }

    /// Returns the entries.
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

    /// Adds an entry. Returns its name if the manifest already has an entry of that name.
    fn add(&mut self, entry: Entry) -> Option<Name> {
        let (name, twice) = match entry {
            Entry::File { name, size, id, attributes } => {
                (name.clone(), self.files.insert(name, Known { size, id, attributes }).is_some())
            }
            Entry::Directory { name, attributes } => {
                (name.clone(), self.directories.insert(name, attributes).is_some())
            }
            Entry::Link { name, target } => (name.clone(), self.links.insert(name, target).is_some()),
        };
        let kinds =
            [self.files.contains_key(&name), self.directories.contains_key(&name), self.links.contains_key(&name)];
        (twice || kinds.into_iter().filter(|&there| there).count() > 1).then_some(name)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn name(text: &str) -> Name {
        Name::new(Path::new(text)).unwrap()
    }

    fn read(text: &str) -> Result<Manifest, ManifestError> {
        Manifest::read(text.as_bytes())
    }

    #[test]
    fn written_manifests_can_be_read() {
        let attributes = serde_json::from_str(r#"{"mode":420,"modified":[1,2]}"#).unwrap();
        let entries = [
            Entry::File { name: name("a/b"), size: 3, id: Id([7; 32]), attributes },
            Entry::Directory { name: name("a"), attributes: Attributes::default() },
            Entry::Link { name: name("l"), target: "../x".into() },
        ];
        let mut text = Vec::new();
        Manifest::write(&mut text, entries).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "{\"sealane-manifest\":1}\n\
             {\"type\":\"file\",\"name\":\"a/b\",\"size\":3,\"id\":\"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc\",\"mode\":420,\"modified\":[1,2]}\n\
             {\"type\":\"directory\",\"name\":\"a\"}\n\
             {\"type\":\"link\",\"name\":\"l\",\"target\":\"../x\"}\n"
        );
        let manifest = read(&text).unwrap();
        assert_eq!(manifest.files[&name("a/b")], Known { size: 3, id: Id([7; 32]), attributes });
        assert_eq!(manifest.links[&name("l")], Path::new("../x"));
        assert!(manifest.directories.contains_key(&name("a")));
    }

    #[test]
    fn a_changed_manifest_never_causes_a_panic() {
        let text = "{\"sealane-manifest\":1}\n\
            {\"type\":\"file\",\"name\":{\"base64\":\"YS//Cg==\"},\"size\":3,\"id\":\"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc\",\"mode\":420,\"modified\":[-1,2]}\n\
            {\"type\":\"link\",\"name\":\"l/m\",\"target\":\"../x\"}\n";
        assert!(read(text).is_ok());
        for at in 0..text.len() {
            let _ = read(&text[..at]);
            for byte in [0, b'"', b'{', b'}', b'.', b'/', b'9', b'-', b'\n', 0xff] {
                let mut changed = text.as_bytes().to_vec();
                changed[at] = byte;
                let _ = Manifest::read(&changed[..]);
                changed.insert(at, byte);
                let _ = Manifest::read(&changed[..]);
            }
        }
    }

    /// The work for a name grows with the square of its components.
    #[test]
    fn names_that_are_too_long_are_malformed() {
        let deep = vec!["a"; 100_000].join("/");
        for name in [deep, "n".repeat(5000)] {
            let line = format!("{{\"type\":\"directory\",\"name\":\"{name}\"}}\n");
            let error = read(&format!("{{\"sealane-manifest\":1}}\n{line}")).unwrap_err().to_string();
            assert!(error.contains("malformed: a name has more than") && error.len() < 200, "{error}");
            let entry = Entry::Directory { name: self::name(&name), attributes: Attributes::default() };
            let error = Manifest::write(io::sink(), [entry]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidFilename);
        }
    }

    #[test]
    fn only_folders_contain_entries() {
        let line = |kind: &str, name: &str| match kind {
            "file" => {
                let id = "A".repeat(43);
                format!("{{\"type\":\"file\",\"name\":\"{name}\",\"size\":1,\"id\":\"{id}\"}}\n")
            }
            "link" => format!("{{\"type\":\"link\",\"name\":\"{name}\",\"target\":\"x\"}}\n"),
            kind => format!("{{\"type\":\"{kind}\",\"name\":\"{name}\"}}\n"),
        };
        let read = |lines: &[String]| read(&format!("{{\"sealane-manifest\":1}}\n{}", lines.concat()));
        let others = ["a!", "a.age", "a/b c", "ab", "b/a/b"].map(|name| line("file", name)).concat();
        for below in ["file", "link", "directory"] {
            for name in ["a/b", "a/b/c"] {
                for above in ["file", "link"] {
                    let mut lines = [line(above, "a"), others.replace("a/b c", "c"), line(below, name)];
                    for _ in 0..2 {
                        let error = read(&lines).unwrap_err().to_string();
                        assert!(
                            error.ends_with("\"a\" is listed as a file or a link, but contains entries"),
                            "{error}"
                        );
                        lines.reverse();
                    }
                }
                assert!(read(&[line("directory", "a"), others.clone(), line(below, name)]).is_ok());
                // The folder need not be listed.
                assert!(read(&[line(below, name), others.clone()]).is_ok());
            }
        }
    }

    #[test]
    fn other_text_is_not_a_manifest() {
        let head = "{\"sealane-manifest\":1}\n";
        for (lines, why) in [
            ("", "malformed"),
            ("{}\n", "malformed"),
            ("{\"sealane-manifest\":2}\n", "version 2"),
            ("{\"sealane-manifest\":1}\n{\"type\":\"device\",\"name\":\"a\"}\n", "malformed"),
            ("{\"sealane-manifest\":1}\n{\"type\":\"directory\",\"name\":\"../a\"}\n", "not a name within a folder"),
            ("{\"sealane-manifest\":1}\n{\"type\":\"directory\",\"name\":\"/a\"}\n", "not a name within a folder"),
            ("{\"sealane-manifest\":1}\n{\"type\":\"file\",\"name\":\"a\",\"size\":1,\"id\":\"AAAA\"}\n", "32 bytes"),
        ] {
            assert!(read(lines).unwrap_err().to_string().contains(why), "{lines}");
        }
        let twice = format!(
            "{head}{{\"type\":\"directory\",\"name\":\"a\"}}\n{{\"type\":\"link\",\"name\":\"a\",\"target\":\"b\"}}\n"
        );
        assert!(read(&twice).unwrap_err().to_string().contains("twice"));
        assert_eq!(read(head).unwrap(), Manifest::default());
    }
}

//! The manifest of an encrypted folder, which lists its contents.

use std::collections::{BTreeMap, btree_map};
use std::io::{self, BufRead, Read as _, Write};
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::attributes::Attributes;
use super::name::{self, Name};
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
    /// The errors of `to`, and an error if the entries cannot form a manifest: a name is too long
    /// (see [`Name::fits`]) or occurs twice, an entry is in a file or in a link, a target is too
    /// long, or a path is not Unicode on a system other than Unix.
    pub fn write(mut to: impl Write, entries: impl IntoIterator<Item = Entry>) -> io::Result<()> {
        let invalid = |reason| io::Error::new(io::ErrorKind::InvalidInput, reason);
        write_line(&mut to, &Head { version: VERSION })?;
        let mut manifest = Self::default();
        for entry in entries {
            if !entry.name().fits() {
                return Err(io::Error::new(io::ErrorKind::InvalidFilename, name::TOO_LONG));
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
    pub fn read(mut from: impl BufRead) -> Result<Self, ManifestError> {
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
            let entry = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
            manifest.add(entry).map_err(malformed)?;
        }
        manifest.check().map_err(malformed)?;
        Ok(manifest)
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
    fn entries_that_cannot_be_read_are_refused_by_the_writer() {
        let directory = |text| Entry::Directory { name: name(text), attributes: Attributes::default() };
        let link = |text, target: &str| Entry::Link { name: name(text), target: target.into() };
        let long = "x".repeat(1 << 20);
        for (entries, reason) in [
            ([directory("a"), directory("a")], "\"a\" is listed twice"),
            ([directory("a"), link("a", "x")], "\"a\" is listed twice"),
            ([directory("a/b"), link("a", "x")], "\"a\" is listed as a file or a link, but contains entries"),
            ([directory("a"), link("b", &long)], "an entry is longer than 1 MiB"),
        ] {
            let error = Manifest::write(io::sink(), entries).unwrap_err();
            assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::InvalidInput, reason));
        }
        // The longest line, which ends with `"}` and a line feed.
        let start = "{\"type\":\"link\",\"name\":\"b\",\"target\":\"".len();
        let mut text = Vec::new();
        Manifest::write(&mut text, [link("b", &long[start + 3..])]).unwrap();
        assert_eq!(Manifest::read(&text[..]).unwrap().links.len(), 1);
        // Spaces fill the longest line, and an entry follows on the same line.
        let entry = &text[text.iter().position(|&byte| byte == b'\n').unwrap() + 1..];
        let (last, entry) = entry.split_last().unwrap();
        assert_eq!((*last, entry.len() as u64), (b'\n', MAX_LINE - 1));
        let next = "{\"type\":\"directory\",\"name\":\"a\"}\n";
        let read = |between: &[u8]| {
            let text = [b"{\"sealane-manifest\":1}\n", entry, between, next.as_bytes()].concat();
            Manifest::read(&text[..])
        };
        assert_eq!(read(b"\n").unwrap().directories.len(), 1);
        assert!(read(b" ").unwrap_err().to_string().contains("malformed: a line is too long"));
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
            ("{\"sealane-manifest\":1}\n{\"type\":\"\\u001b[2J\",\"name\":\"a\"}\n", "`\u{fffd}[2J`"),
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

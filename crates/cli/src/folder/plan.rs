//! Which files there are.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::{DirEntry, WalkDir};

use super::attributes::Attributes;
use super::name::Name;
use crate::error::{Error, Result, describe, quoted, warn};

/// A file to be worked on.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// What it is when it is open.
    pub(crate) name: Name,
    /// As far as is known, in bytes.
    pub(crate) len: u64,
}

/// A folder to be made.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) name: Name,
    pub(crate) attributes: Attributes,
}

/// A symbolic link, which is not followed.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) name: Name,
    pub(crate) target: PathBuf,
}

/// All of them.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) files: Vec<Source>,
    pub(crate) directories: Vec<Directory>,
    pub(crate) links: Vec<Link>,
    /// What cannot be read.
    pub(crate) failures: Vec<Error>,
}

impl Plan {
    /// All that is in the files and folders `inputs`, each under its own name. One without a name, such as `.`, gives what is in it.
    pub(crate) fn to_encrypt(inputs: &[PathBuf]) -> Result<Self> {
        let mut plan = Self::default();
        for input in inputs {
            let own = input.file_name().map(PathBuf::from).unwrap_or_default();
            if look_at(input)?.is_dir() {
                plan.walk(input, |within, _| Name::new(&own.join(within)));
            } else {
                plan.take_file(input, Name::new(&own))?;
            }
        }
        plan.check()
    }

    /// A file that the command line names.
    pub(crate) fn take_file(&mut self, path: &Path, name: Option<Name>) -> Result<()> {
        let (metadata, shown) = (look_at(path)?, quoted(path));
        let name = name.ok_or_else(|| Error::new(format!("{shown} is not the name of a file")))?;
        if !metadata.is_file() {
            return Err(Error::new(format!("{shown} is not a regular file")).hint("encrypt it by itself"));
        }
        self.files.push(Source { path: path.to_owned(), name, len: metadata.len() });
        Ok(())
    }

    /// All that is in the folder `root`. `name` says what is to become of what, which may be a folder, as far as it becomes something.
    pub(crate) fn walk(&mut self, root: &Path, mut name: impl FnMut(&Path, bool) -> Option<Name>) {
        for entry in WalkDir::new(root).sort_by_file_name() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let why = error.io_error().map_or_else(|| error.to_string(), describe);
                    self.failures
                        .push(Error::new(format!("cannot read {}: {why}", quoted(error.path().unwrap_or(root)))));
                    continue;
                }
            };
            let Ok(within) = entry.path().strip_prefix(root) else { continue };
            let taken = name(within, entry.file_type().is_dir()).map(|name| self.take(&entry, name));
            self.failures.extend(taken.and_then(Result::err));
        }
    }

    fn take(&mut self, entry: &DirEntry, name: Name) -> Result<()> {
        let (path, kind) = (entry.path(), entry.file_type());
        let cannot = |error: &io::Error| Error::io(format!("cannot read {}", quoted(path)), error);
        // Only a folder that the command line names can be behind a link.
        if kind.is_dir() || entry.depth() == 0 {
            let metadata = fs::metadata(path).map_err(|error| cannot(&error))?;
            self.directories.push(Directory { name, attributes: Attributes::of(&metadata) });
        } else if kind.is_file() {
            let metadata = entry.metadata().map_err(|error| cannot(&error.into()))?;
            self.files.push(Source { path: path.to_owned(), name, len: metadata.len() });
        } else if kind.is_symlink() {
            self.links.push(Link { name, target: fs::read_link(path).map_err(|error| cannot(&error))? });
        } else {
            warn(format!("{} is left out: it is neither a file nor a folder nor a link", quoted(path)));
        }
        Ok(())
    }

    /// Adds another one.
    pub(crate) fn append(&mut self, other: Self) {
        self.files.extend(other.files);
        self.directories.extend(other.directories);
        self.links.extend(other.links);
        self.failures.extend(other.failures);
    }

    /// This, if no two things would become one, but for folders; and none has a name that this program uses itself.
    pub(crate) fn check(mut self) -> Result<Self> {
        let mut folders = BTreeMap::<_, Attributes>::new();
        for directory in self.directories {
            let attributes = directory.attributes;
            folders.entry(directory.name).and_modify(|known| *known = known.and(attributes)).or_insert(attributes);
        }
        self.directories = folders.into_iter().map(|(name, attributes)| Directory { name, attributes }).collect();
        let mut seen = HashSet::new();
        let folders = self.directories.iter().map(|directory| &directory.name);
        let names =
            folders.chain(self.files.iter().map(|file| &file.name)).chain(self.links.iter().map(|link| &link.name));
        for name in names {
            if name.is_reserved() {
                return Err(Error::new(format!("{name} is a name that this program uses itself"))
                    .hint("give the file another name first, or leave it out"));
            }
            if !seen.insert(name) {
                return Err(Error::usage(format!("two of the inputs would both become {name}"))
                    .hint("give one of them another name, or another folder"));
            }
        }
        Ok(self)
    }

    /// The lengths of all files together, in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.files.iter().map(|file| file.len).sum()
    }
}

fn look_at(path: &Path) -> Result<fs::Metadata> {
    fs::metadata(path).map_err(|error| {
        let what = Error::io(format!("cannot open {}", quoted(path)), &error);
        if error.kind() == io::ErrorKind::NotFound { what.hint("is the name of the file right?") } else { what }
    })
}

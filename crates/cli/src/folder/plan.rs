//! The plan of a run: its files, folders and links.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{Attributes, Name};
use crate::error::{Error, Result, quoted, warn};
use crate::io::old_header::Place;
use crate::os::dir::{Dir, Kind};

/// A file to encrypt, decrypt, verify, rekey or inspect.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The name of the decrypted file. For `rekey` and `inspect`, the name of the encrypted file.
    pub(crate) name: Name,
    /// The length in bytes, or 0 if it is unknown.
    pub(crate) len: u64,
    /// The folder on the command line that contains the file, and the path of the file in it.
    found: Option<(Dir, PathBuf)>,
}

impl Source {
    /// Returns the file `within` the folder `root`, under its own name.
    pub(crate) fn in_folder(root: &Path, within: Name) -> io::Result<Self> {
        let folder = Dir::open(root)?;
        let path = root.join(within.as_path());
        let found = Some((folder, within.as_path().to_owned()));
        Ok(Self { path, name: within, len: 0, found })
    }

    /// Opens the file. Only a file on the command line may be a link.
    pub(crate) fn open(&self) -> io::Result<File> {
        match &self.found {
            Some((root, within)) => root.open_file(within),
            None => File::open(&self.path),
        }
    }

    /// Returns whether the file is in a folder of the command line, and not named there itself.
    pub(crate) fn is_in_folder(&self) -> bool {
        self.found.is_some()
    }

    /// Returns the place of the file.
    pub(crate) fn place(&self) -> io::Result<Place> {
        match &self.found {
            Some((root, within)) => Place::below(root, within, &self.path),
            None => Place::of(&self.path),
        }
    }
}

/// A folder to create.
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

/// The files, folders and links that a run works on, and the errors of finding them.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) files: Vec<Source>,
    pub(crate) directories: Vec<Directory>,
    pub(crate) links: Vec<Link>,
    /// Errors of inputs and entries that are left out, such as unreadable files.
    pub(crate) failures: Vec<Error>,
}

impl Plan {
    /// Plans the encryption of the files and folders `inputs`, each under its own name. An input
    /// without a name, such as `.`, stands for its contents.
    pub(crate) fn to_encrypt(inputs: &[PathBuf]) -> Result<Self> {
        let mut plan = Self::default();
        for input in inputs {
            let name = input.file_name().map(PathBuf::from).unwrap_or_default();
            if look_at(input)?.is_dir() {
                let mut unusable = Vec::new();
                plan.walk(input, |within, _| {
                    let path = name.join(within);
                    let found = Name::new(&path);
                    // Nothing has an empty name but an input such as `.`.
                    if found.is_none() && !path.as_os_str().is_empty() {
                        unusable.push(not_allowed(&quoted(&path)));
                    }
                    found
                });
                plan.failures.extend(unusable);
            } else {
                plan.take_file(input, Name::new(&name))?;
            }
        }
        plan.check(inputs, Name::is_reserved)
    }

    /// Adds a file that the command line names. A file that is not regular, or has no `name`, is an
    /// error.
    pub(crate) fn take_file(&mut self, path: &Path, name: Option<Name>) -> Result<()> {
        let (metadata, shown) = (look_at(path)?, quoted(path));
        let name = name.ok_or_else(|| Error::new(format!("{shown} is not the name of a file")))?;
        if !metadata.is_file() {
            return Err(Error::new(format!("{shown} is not a regular file")).hint("it can only be an input on its own"));
        }
        self.files.push(Source { path: path.to_owned(), name, len: metadata.len(), found: None });
        Ok(())
    }

    /// Adds the folder `root` and its contents. `name` gets the path of each entry below `root`,
    /// which is empty for `root` itself, and whether the entry is a folder. It returns the name of
    /// the entry, or `None` to leave it out. The contents of a folder are searched in either case.
    /// An entry that cannot be read becomes a failure.
    pub(crate) fn walk(&mut self, root: &Path, mut name: impl FnMut(&Path, bool) -> Option<Name>) {
        let cannot = |within: &Path, error: &io::Error| {
            Error::io(format!("cannot read {}", quoted(root.join(within).components().as_path())), error)
        };
        let directory = match Dir::open(root) {
            Ok(directory) => directory,
            Err(error) => return self.failures.push(cannot(Path::new(""), &error)),
        };
        // Entries are taken from the end, so they are added in reverse order.
        let mut pending = vec![(PathBuf::new(), Kind::Directory, 0)];
        while let Some((within, kind, len)) = pending.pop() {
            let name = name(&within, kind == Kind::Directory);
            let taken = match (kind, name) {
                (Kind::Directory, name) => directory.below(&within).and_then(|folder| {
                    if let Some(name) = name {
                        let attributes = Attributes::of(&folder.metadata()?);
                        self.directories.push(Directory { name, attributes });
                    }
                    for (name, kind) in folder.entries()?.into_iter().rev() {
                        let len = if kind == Kind::File { folder.len_of(&name).unwrap_or_default() } else { 0 };
                        pending.push((within.join(name), kind, len));
                    }
                    Ok(())
                }),
                (_, None) => Ok(()),
                (Kind::File, Some(name)) => {
                    let found = Some((directory.clone(), within.clone()));
                    self.files.push(Source { path: root.join(&within), name, len, found });
                    Ok(())
                }
                (Kind::Link, Some(name)) => {
                    directory.read_link(&within).map(|target| self.links.push(Link { name, target }))
                }
                (Kind::Other, Some(_)) => {
                    let path = quoted(root.join(&within));
                    warn(format!("{path} is left out: it is neither a file nor a folder nor a link"));
                    Ok(())
                }
            };
            self.failures.extend(taken.map_err(|error| cannot(&within, &error)).err());
        }
    }

    /// Adds another plan.
    pub(crate) fn append(&mut self, other: Self) {
        self.files.extend(other.files);
        self.directories.extend(other.directories);
        self.links.extend(other.links);
        self.failures.extend(other.failures);
    }

    /// Merges folders that have the same name. Checks that no two other entries have the same name,
    /// and that no entry has a name that the command itself uses, as `is_reserved` says. Entries
    /// whose names are too long for a manifest become failures. `inputs` are the files and folders
    /// that the command line names.
    pub(crate) fn check(mut self, inputs: &[PathBuf], is_reserved: impl Fn(&Name) -> bool) -> Result<Self> {
        let failures = &mut self.failures;
        let mut fits = |name: &Name| {
            let fits = name.fits();
            if !fits {
                failures.push(too_long(name));
            }
            fits
        };
        self.directories.retain(|directory| fits(&directory.name));
        self.files.retain(|file| fits(&file.name));
        self.links.retain(|link| fits(&link.name));
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
            if is_reserved(name) {
                return Err(Error::new(format!("{name} is a name that sealane uses itself"))
                    .hint("give the file another name first, or leave it out"));
            }
            if !seen.insert(name) {
                return Err(match inputs {
                    // The command line is right.
                    [input] => Error::new(format!("two entries of {} would both become {name}", quoted(input)))
                        .hint("rename one of them first, or move it to another folder"),
                    _ => Error::usage(format!("two of the inputs would both become {name}"))
                        .hint("rename one of them, or process it separately, into another folder"),
                });
            }
        }
        Ok(self)
    }

    /// Returns the folders that the results need, with their attributes, from the top down.
    pub(crate) fn folders(&self) -> Vec<(&Path, Attributes)> {
        let names = self.files.iter().map(|file| &file.name).chain(self.links.iter().map(|link| &link.name));
        let known = self.directories.iter().map(|directory| (&directory.name, directory.attributes));
        sealane_age::folder::folders(names, known)
    }

    /// Returns the length of all files together, in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.files.iter().map(|file| file.len).sum()
    }
}

fn too_long(name: &Name) -> Error {
    let (bytes, components) = (Name::MAX_BYTES, Name::MAX_COMPONENTS);
    Error::new(format!("{name} is left out: its name has more than {bytes} bytes or {components} components"))
        .hint("give it a shorter name, or process its folder separately")
}

/// Returns the error for an entry that is left out because the system cannot have its name.
pub(super) fn not_allowed(name: &str) -> Error {
    Error::new(format!("{name} is left out: the name is reserved or not allowed on this system"))
        .hint("give it another name, or process its folder on another system")
}

fn look_at(path: &Path) -> Result<fs::Metadata> {
    fs::metadata(path).map_err(|error| {
        let explained = Error::io(format!("cannot open {}", quoted(path)), &error);
        if error.kind() == io::ErrorKind::NotFound {
            explained.hint("is the name of the file right?")
        } else {
            explained
        }
    })
}

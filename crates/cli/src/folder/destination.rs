//! The folder that receives many files.
//!
//! What is about to get its name is noted in the journal first, and then gets it. What is on the disk by then is seen to once, at the end: a
//! run that goes on after the machine has failed looks at every file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::attributes::{Attributes, Stamp};
use super::existing::Found;
use super::journal::{Check, Checked, Done, Journal, Record, is_ours};
use super::name::{JOURNAL, MANIFEST, Name};
use super::plan::{Link, Plan, Source};
use super::run::Failure;
use crate::error::{Error, Result, describe, quoted, warn};
use crate::io::output::{Temporary, keep_retry};
use crate::os::dir::{Dir, Kind};

/// What a run is for, as far as another one must agree to go on with it.
pub(crate) struct Purpose(Sha256);

impl Purpose {
    pub(crate) fn new(inputs: &[PathBuf]) -> Self {
        inputs.iter().fold(Self(Sha256::new()), |purpose, input| purpose.with(input.as_os_str().as_encoded_bytes()))
    }

    #[must_use]
    pub(crate) fn with(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
        self
    }

    fn text(self) -> String {
        self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What becomes of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// They are sealed. With a manifest, which says what is in the folder, nothing else may be there.
    Seal { with_manifest: bool },
    /// They are opened.
    Open,
}

/// With a manifest.
pub(super) const ALONE: Direction = Direction::Seal { with_manifest: true };

impl Direction {
    /// Where `name` goes.
    pub(super) fn target(self, name: &Name) -> PathBuf {
        match self {
            Self::Seal { .. } => name.sealed(),
            Self::Open => name.as_path().to_owned(),
        }
    }
}

/// What is known of a file before it is worked on.
pub(crate) struct Expected {
    pub(crate) attributes: Attributes,
    /// How long it will be, in bytes.
    pub(crate) len: Option<u64>,
}

/// How a run treats what it finds in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Nothing may have been begun there.
    Fresh,
    /// It goes on with an interrupted run, if there was one.
    Resume,
    /// One file, of which nothing is left if it is not completed: no journal is kept.
    Single,
}

/// The folder, ready.
pub(crate) struct Destination {
    root: Dir,
    /// What a person calls it.
    path: PathBuf,
    direction: Direction,
    journal: Option<Journal>,
    /// What an interrupted run did, if this one goes on with it.
    done: Done,
    /// The folders that this run, or the one before, makes.
    made: BTreeSet<Name>,
    /// How many files could not be given their attributes, and why the first could not.
    without_attributes: Mutex<Option<(usize, io::Error)>>,
}

impl Destination {
    /// Looks at the folder `path`, which is made if need be, and makes the folders in it. Nothing that was there before is touched, but for what
    /// an interrupted run left that this one goes on with.
    ///
    /// Gives `None` if an earlier run has done all there is to do, which `expected` says of each
    /// file.
    pub(crate) fn prepare(
        path: &Path,
        purpose: Purpose,
        mode: Mode,
        plan: &Plan,
        direction: Direction,
        expected: impl Fn(&Source) -> io::Result<Expected>,
    ) -> Result<Option<Self>> {
        let root = open_or_make(path)?;
        let targets: HashSet<_> = plan.files.iter().map(|file| direction.target(&file.name)).collect();
        let folders = folders(plan);
        let found = Found { root: &root, path, targets: &targets, direction };
        let has_journal = root.has(Path::new(JOURNAL));
        let goes_on = mode == Mode::Resume && has_journal;
        if mode == Mode::Resume && !has_journal && found.is_complete(plan, &folders, expected) {
            return Ok(None);
        }
        found.refuse_taken(folders.keys(), has_journal, mode)?;
        let (journal, done) = match mode {
            Mode::Single => (None, Done::default()),
            _ => Journal::open(&root, path, &purpose.text(), goes_on).map(|(journal, done)| (Some(journal), done))?,
        };
        let mut destination = Self {
            root,
            path: path.to_owned(),
            direction,
            journal,
            made: done.made.clone(),
            done,
            without_attributes: Mutex::default(),
        };
        destination.tidy(&targets, goes_on);
        destination.make(&folders)?;
        Ok(Some(destination))
    }

    /// Removes files that an interrupted run had not finished, and takes its folders, which may have their attributes already.
    fn tidy(&self, targets: &HashSet<PathBuf>, goes_on: bool) {
        let mut folders = BTreeSet::new();
        if self.direction == ALONE {
            // Where the manifest and the journal are written.
            folders.insert(Path::new(""));
        }
        if goes_on {
            for name in &self.done.made {
                let folder = self.root.below(name.as_path()).and_then(|folder| folder.file());
                let _ = folder.and_then(|folder| Attributes::private().apply(&folder));
            }
            folders.extend(targets.iter().filter_map(|target| target.parent()));
            folders.extend(self.done.made.iter().map(Name::as_path));
        }
        for folder in folders {
            // One that is not there yet has nothing in it.
            let Ok(folder) = self.root.below(folder) else { continue };
            for (name, _) in folder.entries().unwrap_or_default() {
                if Temporary::is_name(&name) {
                    let _ = folder.remove(&name);
                }
            }
        }
    }

    /// Makes the folders that are not there, the highest first. Those that will get a mode are for their owner only until then.
    fn make(&mut self, folders: &BTreeMap<Name, Attributes>) -> Result<()> {
        for (name, attributes) in folders {
            if matches!(self.root.kind(name.as_path()), Ok(Some(Kind::Directory))) {
                continue;
            }
            // First, so that a run that goes on knows it for its own at whatever moment this one ends.
            self.note(|journal| journal.add_folder(name))?;
            let made = self.root.make_directory(name.as_path(), attributes.first_mode(0o700, 0o777));
            made.map_err(|error| Error::cannot_write(&self.path.join(name.as_path()), &error))?;
            self.made.insert(name.clone());
        }
        Ok(())
    }

    /// Notes something in the journal.
    fn note(&self, add: impl FnOnce(&Journal) -> io::Result<()>) -> Result<()> {
        let added = self.journal.as_ref().map_or(Ok(()), add);
        added.map_err(|error| Error::cannot_write(&Journal::path(&self.path), &error))
    }

    /// What an earlier run says of the file `name`, if its source is still what it was, and the file is whole.
    pub(crate) fn done(&self, name: &Name, source: Stamp) -> Option<&Record> {
        let record = self.done.files.get(name).filter(|record| record.source == source)?;
        self.is_what_was_written(record).then_some(record)
    }

    fn is_what_was_written(&self, record: &Record) -> bool {
        let same = self.root.open_file(&self.direction.target(&record.name)).and_then(|mut file| {
            // The content of one that others have a part in may change yet.
            Ok(is_ours(&self.root, &file)? && record.check.matches(&mut file)?)
        });
        same.is_ok_and(|same| same)
    }

    /// Whether what has the name of `name` by now may be replaced. A sealed file that is in the journal is of the run before, even if it
    /// is damaged. An open one may be somebody's work.
    fn may_replace(&self, name: &Name) -> bool {
        let record = self.done.files.get(name);
        record.is_some_and(|record| self.direction != Direction::Open || self.is_what_was_written(record))
    }

    /// Writes the file `name` with `write`, and gives it its name when it is whole and in the journal as `record` says.
    pub(crate) fn write<T>(
        &self,
        name: &Name,
        attributes: Attributes,
        write: impl FnOnce(&mut Checked<Target<'_>>) -> Result<T, Failure>,
        record: impl FnOnce(Check, T) -> Record,
    ) -> Result<Record, Failure> {
        let target = self.direction.target(name);
        let path = self.path.join(&target);
        let cannot = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidFilename => Failure::This(Error::cannot_write(&path, &error)),
            io::ErrorKind::AlreadyExists => Failure::This(exists(&path)),
            _ => Failure::All(Error::cannot_write(&path, &error)),
        };
        let folder = self.root.below(target.parent().unwrap_or(Path::new(""))).map_err(cannot)?;
        let temporary = Temporary::create_in(&folder, attributes.first_mode(0o600, 0o666)).map_err(cannot)?;
        let mut checked = Checked::new(Target { file: temporary.file(), path: &path }).map_err(cannot)?;
        let written = write(&mut checked)?;
        let record = record(checked.finish(), written);
        self.keep(attributes, Ok(temporary.file()));
        #[cfg(not(target_os = "linux"))]
        temporary.file().sync_all().map_err(cannot)?;
        let replace = self.may_replace(name);
        self.note(|journal| journal.add(&record)).map_err(Failure::All)?;
        temporary.persist(&target, replace).map_err(cannot)?;
        Ok(record)
    }

    /// Writes the manifest with `write`. That of an interrupted run is replaced.
    pub(crate) fn write_manifest(&self, write: impl FnOnce(&mut Target<'_>) -> Result<()>) -> Result<()> {
        let path = self.path.join(MANIFEST);
        let cannot = |error: io::Error| Error::cannot_write(&path, &error);
        let is_free = match self.root.open_file(Path::new(MANIFEST)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            found => found.and_then(|file| is_ours(&self.root, &file)).map_err(cannot)?,
        };
        if !is_free {
            return Err(cannot(io::Error::other("it belongs to somebody else, or has another name too")));
        }
        let temporary = Temporary::create_in(&self.root, 0o666).map_err(cannot)?;
        write(&mut Target { file: temporary.file(), path: &path })?;
        temporary.file().sync_all().map_err(cannot)?;
        temporary.persist(Path::new(MANIFEST), true).map_err(cannot)?;
        self.root.sync();
        Ok(())
    }

    /// Makes a symbolic link, unless it is there already.
    pub(crate) fn link(&self, link: &Link) -> Result<()> {
        let path = link.name.as_path();
        if self.root.read_link(path).is_ok_and(|target| target == link.target) {
            return Ok(());
        }
        let made = self.root.make_link(path, &link.target);
        made.map_err(|error| Error::cannot_write(&self.path.join(path), &error))
    }

    fn keep(&self, attributes: Attributes, file: io::Result<&File>) {
        if let Err(error) = file.and_then(|file| attributes.apply(file)) {
            let mut failed = self.without_attributes.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert((0, error)).0 += 1;
        }
    }

    /// Sees to it that all files are on the disk.
    pub(crate) fn sync(&self) -> Result<()> {
        #[cfg(target_os = "linux")]
        self.root.sync_file_system().map_err(|error| Error::cannot_write(&self.path, &error))?;
        self.root.sync();
        Ok(())
    }

    /// Gives the folders that were made their attributes. `complete` says that nothing is left to be done.
    pub(crate) fn finish(self, plan: &Plan, complete: bool) -> Result<()> {
        let made = plan.directories.iter().filter(|directory| self.made.contains(&directory.name));
        let mut deepest_first: Vec<_> = made.collect();
        deepest_first.sort_by_key(|directory| Reverse(&directory.name));
        for directory in deepest_first {
            let folder = self.root.below(directory.name.as_path()).and_then(|folder| folder.file());
            self.keep(directory.attributes, folder.as_ref().map_err(|error| error.kind().into()));
        }
        if let Some((count, error)) = self.without_attributes.into_inner().unwrap_or_else(PoisonError::into_inner) {
            warn(format!("the modes or times of {count} files could not be kept: {}", describe(&error)));
        }
        if let Some(journal) = self.journal.filter(|_| complete) {
            journal.remove().map_err(|error| Error::cannot_write(&Journal::path(&self.path), &error))?;
            self.root.sync();
        }
        Ok(())
    }
}

fn open_or_make(path: &Path) -> Result<Dir> {
    let cannot = |error: io::Error| {
        let what = Error::cannot_write(path, &error);
        match error.kind() {
            io::ErrorKind::NotADirectory => what.hint("-o names the folder that the files go to"),
            _ => what,
        }
    };
    match Dir::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir(path).and_then(|()| Dir::open(path)).map_err(cannot)
        }
        opened => opened.map_err(cannot),
    }
}

/// A file that is written, whose errors say which it is.
pub(crate) struct Target<'a> {
    file: &'a File,
    path: &'a Path,
}

impl Write for Target<'_> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.file.write(data).map_err(|error| keep_retry(error, |error| Error::cannot_write(self.path, &error)))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All folders that there must be for the files, and what is to be kept of them, the highest first.
fn folders(plan: &Plan) -> BTreeMap<Name, Attributes> {
    let of_plan = plan.directories.iter().map(|directory| &directory.name);
    let names = of_plan.chain(plan.files.iter().map(|file| &file.name)).chain(plan.links.iter().map(|link| &link.name));
    let above = names.flat_map(Name::folders).filter_map(Name::new);
    let mut all: BTreeMap<_, _> = above.map(|name| (name, Attributes::default())).collect();
    all.extend(plan.directories.iter().map(|directory| (directory.name.clone(), directory.attributes)));
    all
}

fn exists(path: &Path) -> Error {
    Error::new(format!("{} exists, and is not what was written; it is left alone", quoted(path)))
        .hint("was it changed since? move it away, and --resume writes it again")
}

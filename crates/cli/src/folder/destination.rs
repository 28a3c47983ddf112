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
use super::journal::{Check, Checked, Done, Journal, Record, is_ours};
use super::name::{JOURNAL, MANIFEST, Name};
use super::plan::{Link, Plan, Source};
use super::work::Failure;
use crate::dir::{Dir, Kind};
use crate::error::{Error, Result, describe, quoted, warn};
use crate::output::{Temporary, keep_retry};

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
const ALONE: Direction = Direction::Seal { with_manifest: true };

impl Direction {
    /// Where `name` goes.
    fn target(self, name: &Name) -> PathBuf {
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
    /// Gives `None` if an earlier run has done all there is to do, which `expected` says of each file.
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

/// What is in the folder before anything is done.
struct Found<'a> {
    root: &'a Dir,
    path: &'a Path,
    targets: &'a HashSet<PathBuf>,
    direction: Direction,
}

impl Found<'_> {
    /// Nothing is replaced that was there before, and nothing written through a link.
    fn refuse_taken<'a>(
        &self,
        folders: impl IntoIterator<Item = &'a Name>,
        has_journal: bool,
        mode: Mode,
    ) -> Result<()> {
        let (root, shown) = (self.root, quoted(self.path));
        let (alone, goes_on) = (self.direction == ALONE, has_journal && mode == Mode::Resume);
        if has_journal && !goes_on {
            return Err(Error::new(format!("an earlier run into {shown} was interrupted"))
                .hint("the same command with --resume goes on with it; or remove that folder and begin again"));
        }
        if alone && mode == Mode::Resume && !goes_on && root.has(Path::new(MANIFEST)) {
            return Err(Error::new(format!("the run into {shown} was complete, and its inputs have changed since"))
                .hint("to encrypt again, give -o a new folder"));
        }
        if mode == Mode::Single && self.direction != Direction::Open && root.has(Path::new(MANIFEST)) {
            return Err(Error::new(format!("{shown} has a manifest, which says what is in it"))
                .hint("give -o another folder; or --no-manifest, with which the file would count as added"));
        }
        if alone && !goes_on && !self.is_empty()? {
            return Err(Error::new(format!("{shown} is not empty, and its manifest says what is in it"))
                .hint("give -o a new folder; or --no-manifest, with which nobody can tell whether files are missing"));
        }
        for name in folders {
            if !matches!(root.kind(name.as_path()), Ok(None | Some(Kind::Directory))) {
                let path = quoted(self.path.join(name.as_path()));
                return Err(Error::new(format!("{path} is not a folder, and files are to go there"))
                    .hint("nothing was touched; give -o a new folder"));
            }
        }
        if let Some(taken) = self.targets.iter().filter(|target| !goes_on && root.has(target)).min() {
            return Err(Error::new(format!("{} exists already", quoted(self.path.join(taken))))
                .hint("nothing was touched; give -o a new folder"));
        }
        match self.stray().filter(|_| alone && goes_on) {
            Some(stray) => {
                let path = quoted(self.path.join(stray));
                Err(Error::new(format!("{path} is not the sealed form of any input"))
                    .hint("if its source was removed, so may it be; the manifest says what is in the folder"))
            }
            None => Ok(()),
        }
    }

    /// Whether there is nothing but what a run left that was killed before it did anything.
    fn is_empty(&self) -> Result<bool> {
        let entries = self.root.entries().map_err(|error| Error::cannot_write(self.path, &error))?;
        Ok(entries.iter().all(|(name, _)| Temporary::is_name(name)))
    }

    /// A file of which the manifest would not tell. It is not removed: it may be the last there is of it.
    fn stray(&self) -> Option<PathBuf> {
        let mut left = vec![PathBuf::new()];
        while let Some(within) = left.pop() {
            let entries = self.root.below(&within).and_then(|folder| folder.entries()).unwrap_or_default();
            for (name, kind) in entries {
                let path = within.join(&name);
                if kind == Kind::Directory {
                    left.push(path);
                    continue;
                }
                let is_own = [JOURNAL, MANIFEST].iter().any(|own| path == Path::new(own)) || Temporary::is_name(&name);
                if !is_own && !self.targets.contains(&path) {
                    return Some(path);
                }
            }
        }
        None
    }

    /// Whether all is there that the run would make, and as old as it would be: then it was complete.
    fn is_complete(
        &self,
        plan: &Plan,
        folders: &BTreeMap<Name, Attributes>,
        expected: impl Fn(&Source) -> io::Result<Expected>,
    ) -> bool {
        let is_there = |source: &Source| -> io::Result<bool> {
            let found = self.root.open_file(&self.direction.target(&source.name))?.metadata()?;
            let expected = expected(source)?;
            Ok(expected.attributes.has_time_of(&found) && expected.len.is_none_or(|len| len == found.len()))
        };
        let is_made = |name: &Name| matches!(self.root.kind(name.as_path()), Ok(Some(Kind::Directory)));
        let is_linked =
            |link: &Link| self.root.read_link(link.name.as_path()).is_ok_and(|target| target == link.target);
        let is_open = self.direction == Direction::Open;
        let has_any = if self.direction == ALONE { self.root.has(Path::new(MANIFEST)) } else { !plan.files.is_empty() };
        has_any
            && plan.failures.is_empty()
            && folders.keys().all(is_made)
            && plan.files.iter().all(|source| is_there(source).is_ok_and(|is_there| is_there))
            && (!is_open || plan.links.iter().all(is_linked))
            && (self.direction != ALONE || self.stray().is_none())
    }
}

//! The folder that receives many files.
//!
//! What is about to get its name is noted in the journal first, and then gets it. What is on the disk by then is seen to once, at the end: a
//! run that goes on after the machine has failed looks at every file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use walkdir::WalkDir;

use super::attributes::{Attributes, Stamp};
use super::journal::{Check, Checked, Done, Journal, Record};
use super::name::{JOURNAL, MANIFEST, Name};
use super::plan::{Link, Plan};
use super::work::Failure;
use crate::error::{Error, Result, describe, quoted, warn};
use crate::output::{Temporary, keep_retry, sync_directory};

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

/// The folder, ready.
pub(crate) struct Destination {
    root: PathBuf,
    direction: Direction,
    journal: Journal,
    /// What an interrupted run did, if this one goes on with it.
    done: Done,
    /// The folders that this run, or the one before, makes.
    made: BTreeSet<Name>,
    /// How many files could not be given their attributes, and why the first could not.
    without_attributes: Mutex<Option<(usize, io::Error)>>,
}

impl Destination {
    /// Looks at the folder `root`, which is made if need be, and makes the folders in it. Nothing that was there before is touched, but for what
    /// an interrupted run left that this one goes on with.
    pub(crate) fn prepare(
        root: &Path,
        purpose: Purpose,
        resume: bool,
        plan: &Plan,
        direction: Direction,
    ) -> Result<Self> {
        let cannot = |error: &io::Error| Error::cannot_write(root, error);
        match fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(
                    cannot(&io::ErrorKind::NotADirectory.into()).hint("-o names the folder that the files go to")
                );
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(root).map_err(|error| cannot(&error))?;
            }
            Err(error) => return Err(cannot(&error)),
        }
        let goes_on = resume && Journal::path(root).exists();
        let targets: HashSet<_> = plan.files.iter().map(|file| direction.target(&file.name)).collect();
        let folders = folders(plan);
        refuse_taken(root, &targets, folders.keys(), direction, resume, goes_on)?;
        let (journal, done) = Journal::open(root, &purpose.text(), goes_on)?;
        let mut destination = Self {
            root: root.to_owned(),
            direction,
            journal,
            made: done.made.clone(),
            done,
            without_attributes: Mutex::default(),
        };
        if goes_on {
            destination.tidy(&targets);
        }
        destination.make(&folders)?;
        Ok(destination)
    }

    /// Removes files that an interrupted run had not finished, and takes its folders, which may have their attributes already.
    fn tidy(&self, targets: &HashSet<PathBuf>) {
        for name in &self.done.made {
            let private = Attributes::private();
            let _ = File::open(self.root.join(name.as_path())).and_then(|folder| private.apply(&folder));
        }
        let made = self.done.made.iter().map(Name::as_path);
        let mut folders: BTreeSet<_> = targets.iter().filter_map(|target| target.parent()).chain(made).collect();
        if self.direction == ALONE {
            // Where the manifest is written.
            folders.insert(Path::new(""));
        }
        for folder in folders {
            // One that is not there yet has nothing in it.
            let Ok(entries) = fs::read_dir(self.root.join(folder)) else { continue };
            for entry in entries.flatten().filter(|entry| Temporary::is_name(&entry.file_name())) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Makes the folders that are not there, the highest first. Those that will get a mode are for their owner only until then.
    fn make(&mut self, folders: &BTreeMap<Name, Attributes>) -> Result<()> {
        for (name, attributes) in folders {
            let path = self.root.join(name.as_path());
            if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                continue;
            }
            let mut builder = fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, attributes.first_mode(0o700, 0o777));
            #[cfg(not(unix))]
            let _ = attributes;
            // First, so that a run that goes on knows it for its own at whatever moment this one ends.
            self.journal.add_folder(name).map_err(|error| Error::cannot_write(&Journal::path(&self.root), &error))?;
            builder.create(&path).map_err(|error| Error::cannot_write(&path, &error))?;
            self.made.insert(name.clone());
        }
        Ok(())
    }

    /// What an earlier run says of the file `name`, if its source is still what it was, and the file is whole.
    pub(crate) fn done(&self, name: &Name, source: Stamp) -> Option<&Record> {
        let record = self.done.files.get(name).filter(|record| record.source == source)?;
        self.is_what_was_written(record).then_some(record)
    }

    fn is_what_was_written(&self, record: &Record) -> bool {
        let path = self.root.join(self.direction.target(&record.name));
        // Neither a link nor what one would wait for.
        let is_file = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        is_file && File::open(path).and_then(|mut file| record.check.matches(&mut file)).is_ok_and(|same| same)
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
        let path = self.root.join(self.direction.target(name));
        let cannot = |error: io::Error| match error.kind() {
            io::ErrorKind::InvalidFilename => Failure::This(Error::cannot_write(&path, &error)),
            io::ErrorKind::AlreadyExists => Failure::This(exists(&path)),
            _ => Failure::All(Error::cannot_write(&path, &error)),
        };
        let mode = attributes.first_mode(0o600, 0o666);
        let temporary = Temporary::create(path.parent().unwrap_or(&self.root), mode).map_err(cannot)?;
        let mut checked = Checked::new(Target { file: temporary.file(), path: &path }).map_err(cannot)?;
        let written = write(&mut checked)?;
        let record = record(checked.finish(), written);
        self.keep(attributes, Ok(temporary.file()));
        #[cfg(not(target_os = "linux"))]
        temporary.file().sync_all().map_err(cannot)?;
        let replace = self.may_replace(name);
        let journal = self.journal.add(&record);
        journal.map_err(|error| Failure::All(Error::cannot_write(&Journal::path(&self.root), &error)))?;
        temporary.persist(&path, replace).map_err(cannot)?;
        Ok(record)
    }

    /// Makes a symbolic link, unless it is there already.
    pub(crate) fn link(&self, link: &Link) -> Result<()> {
        let path = self.root.join(link.name.as_path());
        if fs::read_link(&path).is_ok_and(|target| target == link.target) {
            return Ok(());
        }
        #[cfg(unix)]
        let made = std::os::unix::fs::symlink(&link.target, &path);
        #[cfg(not(unix))]
        let made = Err(io::Error::other("symbolic links are not made here"));
        made.map_err(|error| Error::cannot_write(&path, &error))
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
        {
            let synced = File::open(&self.root).and_then(|root| Ok(rustix::fs::syncfs(root)?));
            synced.map_err(|error| Error::cannot_write(&self.root, &error))?;
        }
        sync_directory(&self.root);
        Ok(())
    }

    /// Gives the folders that were made their attributes. `complete` says that nothing is left to be done.
    pub(crate) fn finish(self, plan: &Plan, complete: bool) -> Result<()> {
        let made = plan.directories.iter().filter(|directory| self.made.contains(&directory.name));
        let mut deepest_first: Vec<_> = made.collect();
        deepest_first.sort_by_key(|directory| Reverse(&directory.name));
        for directory in deepest_first {
            let folder = File::open(self.root.join(directory.name.as_path()));
            self.keep(directory.attributes, folder.as_ref().map_err(|error| error.kind().into()));
        }
        if let Some((count, error)) = self.without_attributes.into_inner().unwrap_or_else(PoisonError::into_inner) {
            warn(format!("the modes or times of {count} files could not be kept: {}", describe(&error)));
        }
        if complete {
            self.journal.remove().map_err(|error| Error::cannot_write(&Journal::path(&self.root), &error))?;
            sync_directory(&self.root);
        }
        Ok(())
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

/// Nothing is replaced that was there before, and nothing written through a link.
fn refuse_taken<'a>(
    root: &Path,
    targets: &HashSet<PathBuf>,
    folders: impl IntoIterator<Item = &'a Name>,
    direction: Direction,
    resume: bool,
    goes_on: bool,
) -> Result<()> {
    let shown = quoted(root);
    let alone = direction == ALONE;
    if !goes_on && Journal::path(root).exists() {
        return Err(Error::new(format!("an earlier run into {shown} was interrupted"))
            .hint("the same command with --resume goes on with it; or remove that folder and begin again"));
    }
    if alone && !goes_on && resume && root.join(MANIFEST).exists() {
        return Err(Error::new(format!("the run into {shown} was not interrupted: its manifest is there"))
            .hint("to encrypt again, give -o a new folder"));
    }
    if alone && !goes_on && fs::read_dir(root).map_err(|error| Error::cannot_write(root, &error))?.next().is_some() {
        return Err(Error::new(format!("{shown} is not empty, and its manifest says what is in it"))
            .hint("give -o a new folder; or --no-manifest, with which nobody can tell whether files are missing"));
    }
    if let Some(taken) = targets.iter().filter(|target| !goes_on && root.join(target).symlink_metadata().is_ok()).min()
    {
        return Err(Error::new(format!("{} exists already", quoted(root.join(taken))))
            .hint("nothing was touched; give -o a new folder"));
    }
    for name in folders {
        let path = root.join(name.as_path());
        if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            return Err(Error::new(format!("{} is not a folder, and files are to go there", quoted(path)))
                .hint("nothing was touched; give -o a new folder"));
        }
    }
    if alone && goes_on {
        refuse_strays(root, targets)?;
    }
    Ok(())
}

/// Refuses a folder with files of which its manifest would not tell. Nothing is removed: it may be the last there is of them.
fn refuse_strays(root: &Path, targets: &HashSet<PathBuf>) -> Result<()> {
    for entry in WalkDir::new(root).min_depth(1).into_iter().flatten().filter(|entry| !entry.file_type().is_dir()) {
        let Ok(name) = entry.path().strip_prefix(root) else { continue };
        let is_own =
            [JOURNAL, MANIFEST].iter().any(|own| name == Path::new(own)) || Temporary::is_name(entry.file_name());
        if !is_own && !targets.contains(name) {
            return Err(Error::new(format!("{} is not the sealed form of any input", quoted(entry.path())))
                .hint("if its source was removed, so may it be; the manifest says what is in the folder"));
        }
    }
    Ok(())
}

//! The folder for the results of a run.
//!
//! A file is recorded in the journal before it gets its name. On Linux, the disks are synced once,
//! at the end. After a crash of the machine, a file can therefore have its name but not its
//! content, or not its record. A run that continues checks every file. If the machine was
//! restarted, it recognises such files by their times.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sealane_age::folder::refuses_name;

use self::new_folder::{NewFolder, open_or_make};
use super::check::{Check, Checked};
use super::existing::Found;
#[cfg(target_os = "linux")]
use super::file_systems::FileSystems;
use super::journal::{Done, Journal, Record, busy, is_busy, is_ours, resume_or};
use super::plan::{Link, Plan, Source};
use super::purpose::Purpose;
use super::run::Failure;
use super::target::Target;
use super::task::{ALONE, Direction, Mode, Start};
use super::{Attributes, JOURNAL, MANIFEST, Name, Stamp};
use crate::error::{Error, Result, describe, quoted, warn};
use crate::io::output::Temporary;
use crate::os::dir::{Descent, Dir, Kind};
use crate::os::disk;

mod new_folder;
#[cfg(all(test, target_os = "linux"))]
mod tests;

/// The prepared folder for the results.
pub(crate) struct Destination {
    root: Dir,
    /// The file systems of the folders that get results.
    #[cfg(target_os = "linux")]
    file_systems: FileSystems,
    /// The path of the folder, as the user gave it, for messages.
    path: PathBuf,
    direction: Direction,
    journal: Option<Journal>,
    /// The finished work of the interrupted run.
    done: Done,
    /// The paths of results that the folder listed before this run continued the interrupted one.
    listed: HashSet<PathBuf>,
    /// The folders that this run or the interrupted one created, and whose mode or time this run
    /// sets at the end.
    made: BTreeSet<Name>,
    /// The folders that cannot be created because of their names, and the folders in them.
    refused: HashSet<PathBuf>,
    /// The errors of these folders.
    pub(crate) failures: Vec<Error>,
    /// The folder for the results, if this run created it.
    new_folder: Option<NewFolder>,
    /// The number of files whose attributes could not be set, and the first error.
    without_attributes: Mutex<Option<(usize, io::Error)>>,
}

impl Destination {
    /// Prepares the folder `path`, which is created if it is missing, and creates the folders in
    /// it. Existing files are not touched, except files of an interrupted run that this one
    /// continues, and temporary files that a killed run left.
    ///
    /// Returns `None` if the mode is [`Mode::Resume`] and an earlier run has done all the work.
    /// `is_result` returns whether an existing file can be the result of its source.
    pub(crate) fn prepare(
        path: &Path,
        purpose: Purpose,
        mode: Mode,
        plan: &Plan,
        direction: Direction,
        is_result: impl Fn(&Source, &File) -> io::Result<bool>,
    ) -> Result<Option<Self>> {
        let (root, new_folder) = open_or_make(path)?;
        let targets: HashSet<_> = plan.files.iter().map(|file| direction.target(&file.name)).collect();
        let folders = plan.folders();
        let found = Found { root: &root, path, targets: &targets, direction };
        let has_journal = root.has(Path::new(JOURNAL));
        if has_journal && is_busy(&root) {
            return Err(busy(path));
        }
        let start = match (mode, has_journal) {
            (Mode::Resume, true) => Start::Continue,
            (_, true) => {
                let interrupted = format!("an earlier run into {} was interrupted", quoted(path));
                return Err(Error::new(interrupted).hint(resume_or(path)));
            }
            (Mode::Resume, false) if found.is_complete(plan, &folders, is_result) => return Ok(None),
            (Mode::Resume, false) => {
                found.refuse_changed()?;
                Start::New
            }
            (Mode::Fresh, false) => Start::New,
            (Mode::Single, false) => Start::Alone,
        };
        found.refuse_taken(&folders, start)?;
        let (journal, done) = Journal::open(&root, path, &purpose.text(), start)?;
        let mut destination = Self {
            #[cfg(target_os = "linux")]
            file_systems: FileSystems::of(&root).map_err(|error| Error::cannot_write(path, &error))?,
            root,
            path: path.to_owned(),
            direction,
            journal,
            refused: HashSet::new(),
            failures: Vec::new(),
            new_folder,
            made: done.made.clone(),
            done,
            listed: HashSet::new(),
            without_attributes: Mutex::default(),
        };
        destination.listed = destination.tidy(&targets, &folders, start);
        destination.make(&folders)?;
        Ok(Some(destination))
    }

    /// Removes unfinished files of an interrupted run, but no file that a run is writing, and no
    /// result. If this run continues the interrupted one, also makes its folders private again,
    /// because they may have their final modes already. A folder that gets no mode keeps the one
    /// that it was created with. Returns the results that the folders list.
    fn tidy(&self, targets: &HashSet<PathBuf>, wanted: &[(&Path, Attributes)], start: Start) -> HashSet<PathBuf> {
        let mut folders = BTreeSet::new();
        if self.direction == ALONE {
            // The manifest and the journal are written to this folder.
            folders.insert(Path::new(""));
        }
        if start == Start::Continue {
            let mut descent = Descent::new(&self.root);
            let gets_mode = |path| match wanted.binary_search_by_key(&path, |(path, _)| *path) {
                Ok(at) => wanted[at].1.without_mode() != wanted[at].1,
                Err(_) => true,
            };
            for path in self.done.made.iter().map(Name::as_path).filter(|path| gets_mode(*path)) {
                let _ = descent.below(path).and_then(Dir::make_private);
            }
            folders.extend(targets.iter().filter_map(|target| target.parent()));
            folders.extend(self.done.made.iter().map(Name::as_path));
        }
        let (mut descent, mut listed) = (Descent::new(&self.root), HashSet::new());
        for path in folders {
            // A missing folder counts as empty.
            let Ok(folder) = descent.below(path) else { continue };
            for (name, _) in folder.entries().unwrap_or_default() {
                let entry = path.join(&name);
                if targets.contains(&entry) {
                    listed.insert(entry);
                } else {
                    Temporary::remove_abandoned(folder, &name);
                }
            }
        }
        listed
    }

    /// Creates the missing folders from the top down. If a folder is to get a mode, only the owner
    /// can access it until then. A folder whose name the file system does not allow becomes a
    /// failure, and so do the files in it.
    fn make(&mut self, folders: &[(&Path, Attributes)]) -> Result<()> {
        let mut descent = Descent::new(&self.root);
        let mut is_missing = |path: &Path| !matches!(descent.kind(path), Ok(Some(Kind::Directory)));
        let missing: Vec<_> = folders.iter().filter(|(path, _)| is_missing(path)).collect();
        // Written first, so that a later run recognises the folders even if this run ends early.
        // Only the folders that get attributes at the end are written. There can be many others for
        // each entry of a manifest, so copies of their names could take all memory.
        let with_attributes = missing.iter().filter(|(_, attributes)| *attributes != Attributes::default());
        let made: Vec<_> = with_attributes.filter_map(|(path, _)| Name::new(path)).collect();
        if !made.is_empty() {
            self.note(|journal| journal.add_folders(&made))?;
        }
        let mut descent = Descent::new(&self.root);
        for (path, attributes) in missing {
            let cannot = |error: &io::Error| Error::cannot_write(&self.path.join(path), error);
            let error = if self.is_in_refused(path) {
                above_is_refused()
            } else {
                match descent.make_directory(path, attributes.first_mode(0o700, 0o777)) {
                    Ok(()) => continue,
                    Err(error) if refuses_name(&error) => error,
                    Err(error) => return Err(cannot(&error)),
                }
            };
            self.failures.push(cannot(&error));
            self.refused.insert((*path).to_owned());
        }
        self.made.extend(made);
        // The interrupted run recorded them too.
        self.made.retain(|name| !self.refused.contains(name.as_path()));
        Ok(())
    }

    /// Returns whether the folder that contains `path` cannot be created.
    fn is_in_refused(&self, path: &Path) -> bool {
        path.parent().is_some_and(|above| self.refused.contains(above))
    }

    /// Writes a line to the journal, if there is one.
    fn note(&self, add: impl FnOnce(&Journal) -> io::Result<()>) -> Result<()> {
        let added = self.journal.as_ref().map_or(Ok(()), add);
        added.map_err(|error| Error::cannot_write(&Journal::path(&self.path), &error))
    }

    /// Returns the record of the file `name` from an earlier run, if its source is unchanged and
    /// the result is intact.
    pub(crate) fn done(&self, name: &Name, source: Stamp) -> Option<&Record> {
        let record = self.done.files.get(name).map(|known| &known.record).filter(|record| record.source == source)?;
        if !self.is_what_was_written(record) {
            return None;
        }
        // The interrupted run may have ended before it synced the result.
        #[cfg(target_os = "linux")]
        self.note_file_system(&self.direction.target(name)).ok()?;
        Some(record)
    }

    /// Notes the file system of the folder that has `target`, so that it is synced at the end.
    #[cfg(target_os = "linux")]
    fn note_file_system(&self, target: &Path) -> io::Result<()> {
        self.file_systems.add(&self.root.below(target.parent().unwrap_or(Path::new("")))?)
    }

    fn is_what_was_written(&self, record: &Record) -> bool {
        let same = self.root.open_file(&self.direction.target(&record.name)).and_then(|mut file| {
            // A file that another user owns, or that has another hard link, could still be changed.
            Ok(is_ours(&self.root, &file)? && record.check.matches(&mut file)?)
        });
        same.is_ok_and(|same| same)
    }

    /// Returns whether an existing file may be replaced by the result of `name`, which gets
    /// `attributes`. An encrypted file in the journal is from the interrupted run, even if it is
    /// damaged. A decrypted file may contain the user's work, so it is replaced only if it is
    /// unchanged, or if the machine may have crashed since and the file has the time that the run
    /// gave it.
    ///
    /// The folder must have listed exactly this name before the run. Otherwise the file may be
    /// another result of this run, whose name differs only in upper and lower case, on a file
    /// system that ignores the difference.
    fn may_replace(&self, name: &Name, attributes: Attributes) -> bool {
        if !self.listed.contains(&self.direction.target(name)) {
            return false;
        }
        let known = self.done.files.get(name);
        // The record of a file that was written before the restart may be lost.
        let restarted = known.map_or(self.done.restarted, |known| known.restarted);
        known.is_some_and(|known| self.direction != Direction::Open || self.is_what_was_written(&known.record))
            || (restarted && self.has_time(name, attributes))
    }

    /// Returns whether the existing file `name` is ours and has the time of `attributes`. If the
    /// machine crashed, the record of a file may be lost, or a part of its content.
    fn has_time(&self, name: &Name, attributes: Attributes) -> bool {
        let is_known = attributes.without_mode() != Attributes::default();
        let has_time = |file: File| Ok(is_ours(&self.root, &file)? && attributes.has_time_of(&file.metadata()?));
        is_known && self.root.open_file(&self.direction.target(name)).and_then(has_time).is_ok_and(|has_time| has_time)
    }

    /// Writes the result of `name` with `write`. `record` makes its record from the authenticator
    /// and the value that `write` returns. The file gets its name when it is complete and the
    /// record is in the journal.
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
            _ if refuses_name(&error) => Failure::This(Error::cannot_write(&path, &error)),
            io::ErrorKind::AlreadyExists => Failure::This(exists(&path)),
            _ => Failure::All(Error::cannot_write(&path, &error)),
        };
        if self.is_in_refused(&target) {
            return Err(Failure::This(Error::cannot_write(&path, &above_is_refused())));
        }
        let folder = self.root.below(target.parent().unwrap_or(Path::new(""))).map_err(cannot)?;
        #[cfg(target_os = "linux")]
        self.file_systems.add(&folder).map_err(cannot)?;
        let temporary = Temporary::create_in(&folder, attributes.first_mode(0o600, 0o666)).map_err(cannot)?;
        let mut checked = Checked::new(Target::new(temporary.file(), &path)).map_err(cannot)?;
        let written = match write(&mut checked) {
            // The file system has no files of this length, but others may be shorter.
            Err(Failure::All(error)) if checked.inner.too_large => return Err(Failure::This(error)),
            written => written?,
        };
        let record = record(checked.finish(), written);
        self.keep(attributes, Ok(temporary.file()));
        self.check_writes(&temporary).map_err(cannot)?;
        let replace = self.may_replace(name, attributes);
        // A record would make the existing file look like the result.
        if !replace
            && let Some(file_name) = target.file_name()
            && folder.kind(Path::new(file_name)).map_err(cannot)?.is_some()
        {
            return Err(cannot(io::ErrorKind::AlreadyExists.into()));
        }
        self.note(|journal| journal.add(&record)).map_err(Failure::All)?;
        if let Err(error) = temporary.persist(&target, replace) {
            // Another file may have taken the name since then.
            if !replace {
                self.note(|journal| journal.withdraw(name)).map_err(Failure::All)?;
            }
            return Err(cannot(error));
        }
        Ok(record)
    }

    /// Returns errors of earlier writes to a result, and writes it to the disk. On Linux, a run
    /// with a journal writes all results to the disk later.
    fn check_writes(&self, result: &Temporary) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.journal.is_some() {
            return result.check_writes();
        }
        disk::sync(result.file())
    }

    /// Writes the manifest with `write`. The manifest of an interrupted run is replaced. One that
    /// another user could change is an error.
    pub(crate) fn write_manifest(&self, write: impl FnOnce(&mut Target<'_>) -> Result<()>) -> Result<()> {
        let path = self.path.join(MANIFEST);
        let cannot = |error: io::Error| Error::cannot_write(&path, &error);
        let is_free = match self.root.open_file(Path::new(MANIFEST)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            found => found.and_then(|file| is_ours(&self.root, &file)).map_err(cannot)?,
        };
        if !is_free {
            return Err(cannot(io::Error::other("it belongs to another user, or has another hard link")));
        }
        let temporary = Temporary::create_in(&self.root, 0o666).map_err(cannot)?;
        write(&mut Target::new(temporary.file(), &path))?;
        disk::sync(temporary.file()).map_err(cannot)?;
        temporary.persist(Path::new(MANIFEST), true).map_err(cannot)?;
        self.root.sync();
        Ok(())
    }

    /// Creates a symbolic link, unless it exists.
    pub(crate) fn link(&self, link: &Link) -> Result<()> {
        let path = link.name.as_path();
        let exists = self.root.read_link(path).is_ok_and(|target| target == link.target);
        let made = if exists { Ok(()) } else { self.root.make_link(path, &link.target) };
        #[cfg(target_os = "linux")]
        let made = made.and_then(|()| self.note_file_system(path));
        made.map_err(|error| Error::cannot_write(&self.path.join(path), &error))
    }

    fn keep(&self, attributes: Attributes, file: io::Result<&File>) {
        if let Err(error) = file.and_then(|file| attributes.apply(file)) {
            let mut failed = self.without_attributes.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert((0, error)).0 += 1;
        }
    }

    /// Writes all files to the disk. A single file is there already, and only its name is written.
    pub(crate) fn sync(&self) -> Result<()> {
        #[cfg(target_os = "linux")]
        if self.journal.is_some() {
            self.file_systems.sync().map_err(|error| Error::cannot_write(&self.path, &error))?;
        }
        self.root.sync();
        Ok(())
    }

    /// Sets the attributes of the new folders. `complete` says that all work is done, so that the
    /// journal is removed.
    pub(crate) fn finish(mut self, plan: &Plan, complete: bool) -> Result<()> {
        if let Some(folder) = &mut self.new_folder {
            folder.stays = true;
        }
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

/// Returns the error of an entry whose folder cannot be created.
fn above_is_refused() -> io::Error {
    io::Error::other("the folder above it cannot be created")
}

fn exists(path: &Path) -> Error {
    Error::new(format!("{} exists with another content, and is left unchanged", quoted(path)))
        .hint("move it away; --resume then writes the file again")
}

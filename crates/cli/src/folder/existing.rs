//! The contents that the folder for the results has before a run.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::encrypted;
use super::plan::{Link, Plan, Source};
use super::task::{ALONE, Direction, ManifestUse, Start};
use super::{Attributes, JOURNAL, MANIFEST};
use crate::error::{Error, Result, quoted};
use crate::io::output::Temporary;
use crate::os::dir::{Descent, Dir, Kind};

/// The contents of the folder before the run.
pub(super) struct Found<'a> {
    pub(super) root: &'a Dir,
    pub(super) path: &'a Path,
    /// The paths of the results in the folder.
    pub(super) targets: &'a HashSet<PathBuf>,
    pub(super) direction: Direction,
}

impl Found<'_> {
    /// Refuses a folder whose manifest shows that a run was complete, although it is not complete
    /// now.
    pub(super) fn refuse_changed(&self) -> Result<()> {
        if self.direction == ALONE && self.root.has(Path::new(MANIFEST)) {
            let shown = quoted(self.path);
            return Err(Error::new(format!(
                "the run into {shown} was complete, but its inputs or results have changed since"
            ))
            .hint("to encrypt again, give -o a new folder"));
        }
        Ok(())
    }

    /// Refuses the folder if a result would replace an existing file or be written through a link,
    /// or if a manifest would not list all files in the folder. `folders` are the folders that the
    /// results need.
    pub(super) fn refuse_taken(&self, folders: &[(&Path, Attributes)], start: Start) -> Result<()> {
        let (root, shown) = (self.root, quoted(self.path));
        let (alone, goes_on) = (self.direction == ALONE, start == Start::Continue);
        if self.direction == Direction::Seal(ManifestUse::Refuse) && root.has(Path::new(MANIFEST)) {
            return Err(Error::new(format!("{shown} has a manifest, which lists its files"))
                .hint("give -o another folder; with --no-manifest, the file would count as added"));
        }
        if alone && !goes_on && !self.is_empty()? {
            return Err(Error::new(format!("{shown} is not empty, and a manifest must list all its files"))
                .hint("give -o a new folder; with --no-manifest, missing files would go unnoticed"));
        }
        let mut descent = Descent::new(root);
        for (folder, _) in folders {
            if !matches!(descent.kind(folder), Ok(None | Some(Kind::Directory))) {
                let path = quoted(self.path.join(folder));
                return Err(Error::new(format!("{path} is not a folder, and the results need one"))
                    .hint("nothing was changed; give -o a new folder"));
            }
        }
        self.refuse_merged(folders)?;
        if let Some(taken) = self.targets.iter().filter(|target| !goes_on && root.has(target)).min() {
            return Err(Error::new(format!("{} exists already", quoted(self.path.join(taken))))
                .hint("nothing was changed; give -o a new folder"));
        }
        match self.stray().filter(|_| alone && goes_on) {
            Some(stray) => {
                let path = quoted(self.path.join(stray));
                Err(Error::new(format!("{path} is not the result of any input"))
                    .hint("remove it if its source is gone; the manifest must list all files in the folder"))
            }
            None => Ok(()),
        }
    }

    /// Refuses two folders for results that are one on the disk, because the file system does not
    /// distinguish their names.
    fn refuse_merged(&self, folders: &[(&Path, Attributes)]) -> Result<()> {
        let (mut descent, mut known) = (Descent::new(self.root), HashMap::new());
        for (folder, _) in folders {
            // Most of them are missing.
            let Ok(id) = descent.below(folder).and_then(Dir::id) else { continue };
            if let Some(other) = known.insert(id, folder) {
                let [one, two] = [other, folder].map(|folder| quoted(self.path.join(folder)));
                return Err(Error::new(format!("{one} and {two} are the same folder"))
                    .hint("nothing was changed; rename one of them, or process it separately, into another folder"));
            }
        }
        Ok(())
    }

    /// Returns whether the folder is empty, apart from temporary files of a run that was killed
    /// before its first result.
    fn is_empty(&self) -> Result<bool> {
        let entries = self.root.entries().map_err(|error| Error::cannot_write(self.path, &error))?;
        Ok(entries.iter().all(|(name, _)| Temporary::is_abandoned(self.root, name)))
    }

    /// Returns a file in the folder that the manifest would not list, if there is one. Such files
    /// are not removed: each may be the last copy.
    fn stray(&self) -> Option<PathBuf> {
        let mut pending = vec![PathBuf::new()];
        while let Some(within) = pending.pop() {
            let entries = self.root.below(&within).and_then(|folder| folder.entries()).unwrap_or_default();
            for (name, kind) in entries {
                let path = within.join(&name);
                if kind == Kind::Directory {
                    pending.push(path);
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

    /// Returns whether the folder has all that the run would write, and nothing that its manifest
    /// would not list. In that case an earlier run was complete. `is_result` returns whether a file
    /// can be the result of its source.
    pub(super) fn is_complete(
        &self,
        plan: &Plan,
        folders: &[(&Path, Attributes)],
        is_result: impl Fn(&Source, &File) -> io::Result<bool>,
    ) -> bool {
        let is_there = |source: &Source| {
            let found = self.root.open_file(&self.direction.target(&source.name));
            found.and_then(|file| is_result(source, &file)).unwrap_or(false)
        };
        let is_manifest = |file: File| encrypted::is_complete(&file, None);
        let mut descent = Descent::new(self.root);
        let is_made = |(folder, _): &(&Path, Attributes)| matches!(descent.kind(folder), Ok(Some(Kind::Directory)));
        let is_linked =
            |link: &Link| self.root.read_link(link.name.as_path()).is_ok_and(|target| target == link.target);
        let is_open = self.direction == Direction::Open;
        let has_any = if self.direction == ALONE {
            self.root.open_file(Path::new(MANIFEST)).and_then(is_manifest).unwrap_or(false)
        } else {
            !plan.files.is_empty()
        };
        has_any
            && plan.failures.is_empty()
            && folders.iter().all(is_made)
            && plan.files.iter().all(is_there)
            && (!is_open || plan.links.iter().all(is_linked))
            && (self.direction != ALONE || self.stray().is_none())
    }
}

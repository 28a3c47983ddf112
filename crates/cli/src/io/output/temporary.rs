//! Temporary files for results. A temporary file is usually in the directory of its target, and
//! gets the name of the target when it is complete. Until then it is locked, where the file system
//! has locks, so that other runs can tell it from one that a killed run left behind.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

use crate::os::cleanup::FileGuard;
use crate::os::dir::{Dir, ends_as_directory, has_other_names};

/// The parts of the name before and after 16 hexadecimal digits.
const PREFIX: &str = ".sealane-";
const SUFFIX: &str = ".tmp";
const DIGITS: usize = 16;

/// An unfinished file. It is removed when this value is dropped, or when a signal ends the process,
/// unless it has its final name by then.
pub(crate) struct Temporary {
    file: File,
    directory: Dir,
    name: OsString,
    /// Whether the file still has its temporary name.
    unfinished: bool,
    // Dropped last, so that the file is watched until then.
    _guard: FileGuard,
}

impl Temporary {
    /// Creates a file in `directory` with `mode`, reduced by the umask.
    pub(crate) fn create(directory: &Path, mode: u32) -> io::Result<Self> {
        Self::create_in(&Dir::open(directory)?, mode)
    }

    /// Creates a file in `directory` with `mode`, reduced by the umask.
    pub(crate) fn create_in(directory: &Dir, mode: u32) -> io::Result<Self> {
        const ATTEMPTS: u32 = 100;
        let mut failed = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..ATTEMPTS {
            let mut random = [0; 8];
            getrandom::fill(&mut random)?;
            let name = OsString::from(format!("{PREFIX}{:0DIGITS$x}{SUFFIX}", u64::from_le_bytes(random)));
            match FileGuard::make(directory, &name, || directory.create_new(&name, mode)) {
                Ok((file, _guard)) => match is_lost(directory, &name, &file) {
                    Ok(false) => {
                        return Ok(Self { file, directory: directory.clone(), name, unfinished: true, _guard });
                    }
                    // Another run that removes such files has seen the file before it was locked.
                    lost => {
                        let _ = directory.remove(&name);
                        lost?;
                    }
                },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => failed = error,
                Err(error) => return Err(error),
            }
        }
        Err(failed)
    }

    /// Creates a file that only the owner can access, in the directory of `target`, whose name it
    /// gets later. Nothing may exist there.
    pub(crate) fn private_beside(target: &Path) -> io::Result<Self> {
        Self::check_new(target)?;
        Self::create(target.parent().unwrap_or(Path::new("")), 0o600)
    }

    /// Checks that `target` can be the name of a new file, and that nothing exists there.
    pub(crate) fn check_new(target: &Path) -> io::Result<()> {
        match target.symlink_metadata() {
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // For example, the name is too long.
            Err(error) => return Err(error),
        }
        if target.file_name().is_none() || ends_as_directory(target) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(())
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns errors of earlier writes that are not known yet: a file system can report them only
    /// when a descriptor of the file is closed, and not when all its files are synced (sshfs).
    #[cfg(target_os = "linux")]
    pub(crate) fn check_writes(&self) -> io::Result<()> {
        super::descriptor::finish(self.file.try_clone()?)
    }

    /// Renames the file, within its directory, to the file name of `target`. An existing file is
    /// replaced if `replace` is set, and is an error otherwise.
    pub(crate) fn persist(mut self, target: &Path, replace: bool) -> io::Result<()> {
        self.rename(target, replace)
    }

    /// Renames the file, within its directory, to the file name of `target`, which must not exist.
    /// A signal removes it until the result is dropped or released, so that several files can
    /// appear together. After an error, the unfinished file is still there.
    pub(crate) fn persist_guarded(&mut self, target: &Path) -> io::Result<FileGuard> {
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        FileGuard::make(&self.directory.clone(), name, || self.rename(target, false)).map(|((), guard)| guard)
    }

    /// Keeps the file, because its content cannot be had again. Gives it a name that begins with
    /// that of `target`, or a short one if that is too long, so that no run removes it as
    /// unfinished. Returns its name.
    pub(crate) fn keep(mut self, target: &Path) -> OsString {
        self.unfinished = false;
        for start in [target.file_name().unwrap_or_default(), OsStr::new("kept")] {
            let mut kept = start.to_owned();
            kept.push(&self.name);
            if self.directory.rename(&self.name, &kept, false).is_ok() {
                return kept;
            }
        }
        std::mem::take(&mut self.name)
    }

    /// Does the work of [`Temporary::persist`]. After an error, the unfinished file is still there.
    pub(super) fn rename(&mut self, target: &Path, replace: bool) -> io::Result<()> {
        let target = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        self.directory.rename(&self.name, target, replace)?;
        self.unfinished = false;
        Ok(())
    }

    /// Returns whether `name` is the name of an unfinished file.
    pub(crate) fn is_name(name: &OsStr) -> bool {
        let middle = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
        middle.is_some_and(|middle| {
            middle.len() == DIGITS && middle.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        })
    }

    /// Returns whether `name` in `directory` is an unfinished file that no run is writing.
    pub(crate) fn is_abandoned(directory: &Dir, name: &OsStr) -> bool {
        abandoned(directory, name).is_some()
    }

    /// Removes the file `name` from `directory` if it is unfinished and no run is writing it.
    pub(crate) fn remove_abandoned(directory: &Dir, name: &OsStr) {
        // The file stays locked while it is removed.
        if let Some(_locked) = abandoned(directory, name) {
            let _ = directory.remove(name);
        }
    }

    /// Removes the unfinished name of `file`, if it has another name in `directory`. File systems
    /// without a renaming that replaces nothing need two steps, and a run that was killed between
    /// them leaves both names.
    pub(crate) fn remove_other_name(directory: &Dir, file: &File) -> io::Result<()> {
        if has_other_names(file)? {
            for (name, _) in directory.entries()? {
                if Self::is_name(&name) && directory.is_same(&name, file)? {
                    Self::remove_abandoned(directory, &name);
                }
            }
        }
        Ok(())
    }
}

/// Locks a new file. Returns whether another run has locked or removed it before.
fn is_lost(directory: &Dir, name: &OsStr, file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(!directory.is_same(name, file)?),
        // Not every file system has locks.
        Err(TryLockError::Error(_)) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
    }
}

/// Opens and locks the file `name` if it is unfinished and no run is writing it. Without locks, no
/// file is known to be abandoned.
fn abandoned(directory: &Dir, name: &OsStr) -> Option<File> {
    if !Temporary::is_name(name) {
        return None;
    }
    let path = Path::new(name);
    // Locks of some file systems need a file that is open for writing. A run that was killed may
    // have left a file that nobody may write to, with the mode of its source.
    let file = directory.open_file_to_write(path).or_else(|_| directory.open_file(path)).ok()?;
    file.try_lock().ok()?;
    // The run that had locked it may have renamed it meanwhile.
    directory.is_same(name, &file).is_ok_and(|same| same).then_some(file)
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.unfinished {
            let _ = self.directory.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_file_is_not_removed_although_its_name_would_be_too_long() {
        let root = tempfile::tempdir().unwrap();
        let dir = Dir::open(root.path()).unwrap();
        for target in ["out".to_owned(), "n".repeat(240)] {
            let kept = Temporary::create_in(&dir, 0o600).unwrap().keep(&root.path().join(&target));
            assert!(root.path().join(&kept).exists() && !Temporary::is_name(&kept), "{kept:?}");
            assert_eq!(kept.to_str().unwrap().starts_with(&target), target == "out", "{kept:?}");
        }
    }

    #[test]
    fn only_abandoned_files_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let dir = Dir::open(root.path()).unwrap();
        let temporary = Temporary::create_in(&dir, 0o600).unwrap();
        let name = temporary.name.clone();
        assert!(Temporary::is_name(&name) && !Temporary::is_abandoned(&dir, &name));
        Temporary::remove_abandoned(&dir, &name);
        temporary.persist(Path::new("kept"), false).unwrap();
        // A killed run leaves its file without a lock.
        let file = File::create(root.path().join(&name)).unwrap();
        assert!(Temporary::is_abandoned(&dir, &name));
        let mut permissions = file.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        file.set_permissions(permissions).unwrap();
        assert!(Temporary::is_abandoned(&dir, &name));
        for other in ["kept", ".sealane-notes.tmp", ".sealane-0123456789ABCDEF.tmp", ".sealane-0123456789abcdef0.tmp"] {
            File::create(root.path().join(other)).unwrap();
            assert!(!Temporary::is_name(OsStr::new(other)), "{other}");
            Temporary::remove_abandoned(&dir, OsStr::new(other));
            assert!(root.path().join(other).exists(), "{other}");
        }
        Temporary::remove_abandoned(&dir, &name);
        assert!(!root.path().join(&name).exists());
    }
}

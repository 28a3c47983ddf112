//! The journal of a run. It allows an interrupted run to continue.
//!
//! It has a line for each folder that the run creates and whose attributes it sets at the end, and
//! for each complete file. The line of a file has a one-time authenticator of its content, so a
//! later run can tell whether the file is still intact. Another line withdraws it if the file does
//! not get its name. This protects from accidents only: anyone who can write to the folder can
//! write a line too. On Linux, the journal also has a line each time that the run begins or
//! continues, with the kernel's id of the boot. A later run can then tell whether the machine was
//! restarted.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::check::Check;
use super::task::Start;
use super::{Id, JOURNAL, Name, Stamp};
use crate::error::{Error, Result, describe, quoted};
use crate::io::output::Temporary;
use crate::os::cleanup;
use crate::os::dir::{self, Dir};
use crate::os::disk;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    #[serde(rename = "sealane-resume")]
    version: u32,
    /// The purpose of the run. Only a run with the same purpose can continue it.
    purpose: String,
}

const VERSION: u32 = 1;

/// The record of a complete file, which is a line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) name: Name,
    /// The state of the source when it was read.
    pub(crate) source: Stamp,
    pub(crate) id: Id,
    /// The length of the plaintext.
    pub(crate) size: u64,
    pub(crate) check: Check,
}

/// A line after the first.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Boot(Boot),
    Folder(Folder),
    Withdrawn(Withdrawn),
    File(Record),
}

/// The id of the boot in which the run begins or continues.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Boot {
    boot: String,
}

impl Boot {
    /// Returns the present boot, on systems that have an id for it.
    fn present() -> Option<Self> {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(Self { boot: id.trim_end().to_owned() })
    }

    /// Appends the line of the present boot, if there is one.
    fn note(file: &mut File) -> io::Result<()> {
        Self::present().iter().try_for_each(|boot| write_line(file, boot))
    }
}

/// A folder that the run creates, and that gets attributes at the end.
#[derive(Serialize, Deserialize)]
struct Folder {
    folder: Name,
}

/// A file that did not get its name after it was recorded. What has the name is not the run's.
#[derive(Serialize, Deserialize)]
struct Withdrawn {
    withdrawn: Name,
}

/// The finished work of a run.
#[derive(Debug, Default)]
pub(super) struct Done {
    pub(super) files: HashMap<Name, Recorded>,
    pub(super) made: BTreeSet<Name>,
    /// Whether the machine was restarted since the run began: it may have crashed. Only Linux
    /// tells.
    pub(super) restarted: bool,
}

/// A file in the journal.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) record: Record,
    /// Whether the machine was restarted since then.
    pub(super) restarted: bool,
}

/// The journal of this run, for several threads. It is locked against other runs until it is
/// dropped, where the file system has locks.
pub(super) struct Journal {
    root: Dir,
    file: Mutex<File>,
}

impl Journal {
    /// Returns the path of the journal in the folder `root`.
    pub(super) fn path(root: &Path) -> PathBuf {
        root.join(JOURNAL)
    }

    /// Starts a journal in the folder `root`, which the user knows as `path`, or continues the one
    /// there, which must have the same purpose. Returns the journal, if the run has one, and the
    /// finished work.
    pub(super) fn open(root: &Dir, path: &Path, purpose: &str, start: Start) -> Result<(Option<Self>, Done)> {
        // From now on, a write beyond the file size limit is an error that names the file, not a
        // signal.
        cleanup::watch();
        let (file, done) = match start {
            Start::Alone => return Ok((None, Done::default())),
            Start::New => (begin(root, path, purpose)?, Done::default()),
            Start::Continue => go_on(root, path, purpose)?,
        };
        Ok((Some(Self { root: root.clone(), file: Mutex::new(file) }), done))
    }

    /// Records a complete file before it gets its name.
    pub(super) fn add(&self, record: &Record) -> io::Result<()> {
        write_line(&mut self.lock(), record)
    }

    /// Takes the record of the file `name` back.
    pub(super) fn withdraw(&self, name: &Name) -> io::Result<()> {
        write_line(&mut self.lock(), &Withdrawn { withdrawn: name.clone() })
    }

    /// Records folders before they are created, on the disk too.
    pub(super) fn add_folders<'a>(&self, names: impl IntoIterator<Item = &'a Name>) -> io::Result<()> {
        let mut file = self.lock();
        for name in names {
            write_line(&mut file, &Folder { folder: name.clone() })?;
        }
        disk::sync(&file)
    }

    fn lock(&self) -> MutexGuard<'_, File> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the journal of a complete run.
    pub(super) fn remove(self) -> io::Result<()> {
        let file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let name = OsStr::new(JOURNAL);
        if self.root.is_same(name, &file)? { self.root.remove(name) } else { Ok(()) }
    }
}

/// Returns the advice for the folder `path` of an interrupted run. The folder may contain files of
/// the user, so the advice is never to remove it.
pub(super) fn resume_or(path: &Path) -> String {
    let journal = quoted(Journal::path(path));
    format!("repeat the same command with --resume, or give that run up and remove {journal}; its results stay")
}

/// Returns whether a run holds the journal in the folder `root`, where the file system has locks.
pub(super) fn is_busy(root: &Dir) -> bool {
    // Shared, so that commands that only look do not take each other for such a run.
    let file = root.open_file(Path::new(JOURNAL));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the error for the folder `path`, which another run works on.
pub(super) fn busy(path: &Path) -> Error {
    Error::new(format!("another run is at work in {}", quoted(path))).hint("wait until it has ended")
}

fn lock(file: &File, path: &Path) -> Result<()> {
    match file.try_lock() {
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(busy(path)),
    }
}

/// Creates a journal. When it gets its name, it is locked and has its first line.
fn begin(root: &Dir, path: &Path, purpose: &str) -> Result<File> {
    let cannot = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => busy(path),
        _ => Error::cannot_write(&Journal::path(path), &error),
    };
    // The journal is private: with the file ids in it, anyone could create a manifest of some of
    // the files.
    let temporary = Temporary::create_in(root, 0o600).map_err(cannot)?;
    // The lock of the temporary file lasts until the last copy of the descriptor is closed.
    let mut file = temporary.file().try_clone().map_err(cannot)?;
    write_line(&mut file, &Head { version: VERSION, purpose: purpose.to_owned() }).map_err(cannot)?;
    Boot::note(&mut file).map_err(cannot)?;
    disk::sync(&file).map_err(cannot)?;
    temporary.persist(Path::new(JOURNAL), false).map_err(cannot)?;
    root.sync();
    Ok(file)
}

/// Opens the journal of an interrupted run. A file that is not such a journal is left unchanged.
fn go_on(root: &Dir, path: &Path, purpose: &str) -> Result<(File, Done)> {
    let shown = quoted(path);
    let cannot = |error: io::Error| Error::cannot_write(&Journal::path(path), &error);
    let not_ours = |why: &str| {
        Error::new(format!("{} is not the journal of an interrupted run: {why}", quoted(Journal::path(path))))
            .hint("it was left unchanged; give -o a new folder, or move that file away")
    };
    let mut file = root.open_file_to_write(Path::new(JOURNAL)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => busy(path),
        _ => not_ours(&describe(&error)),
    })?;
    Temporary::remove_other_name(root, &file).map_err(cannot)?;
    if !is_ours(root, &file).map_err(cannot)? {
        return Err(not_ours("it belongs to another user, or has another hard link"));
    }
    lock(&file, path)?;
    if !root.is_same(OsStr::new(JOURNAL), &file).map_err(cannot)? {
        // The run that held the lock has just removed the file.
        return Err(busy(path));
    }
    match read(&file).map_err(cannot)? {
        Some((head, done)) if head.version == VERSION && head.purpose == purpose => {
            // End a line that was cut off, so that the next line stays separate.
            file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(b"\n")).map_err(cannot)?;
            Boot::note(&mut file).map_err(cannot)?;
            Ok((file, done))
        }
        Some(_) => {
            Err(Error::new(format!("the interrupted run into {shown} was a different one")).hint(resume_or(path)))
        }
        None => Err(not_ours("its first line is not that of a journal")),
    }
}

/// Returns whether the file in `root` is regular, has one name, and belongs to the current user or
/// to the owner of new files there.
pub(super) fn is_ours(root: &Dir, file: &File) -> io::Result<bool> {
    if dir::is_own(file, None)? {
        return Ok(true);
    }
    // On some file systems, all files belong to another owner, even new ones.
    let new = Temporary::create_in(root, 0o600)?.file().metadata()?;
    dir::is_own(file, dir::owner(&new))
}

/// Parses the first line and the others. Returns `None` if the first line is not a journal's. An
/// incomplete line was being written when the run ended, and is skipped.
fn read(file: &File) -> io::Result<Option<(Head, Done)>> {
    let mut lines = BufReader::new(file).split(b'\n');
    let head = lines.next().transpose()?.and_then(|line| serde_json::from_slice(&line).ok());
    let Some(head) = head else { return Ok(None) };
    let (mut done, present) = (Done::default(), Boot::present());
    // Whether the lines are of an earlier boot.
    let mut restarted = false;
    for line in lines {
        match serde_json::from_slice(&line?) {
            Ok(Line::Boot(boot)) => {
                restarted = present.as_ref() != Some(&boot);
                done.restarted |= restarted;
            }
            Ok(Line::File(record)) => drop(done.files.insert(record.name.clone(), Recorded { record, restarted })),
            Ok(Line::Withdrawn(Withdrawn { withdrawn })) => drop(done.files.remove(&withdrawn)),
            Ok(Line::Folder(Folder { folder })) => drop(done.made.insert(folder)),
            Err(_) => {}
        }
    }
    Ok(Some((head, done)))
}

/// Appends a line of JSON. After an error, for example because the disk is full, the file ends with
/// the line before. Otherwise the next line would continue an incomplete one, and both would be
/// skipped.
fn write_line(to: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    let start = to.stream_position()?;
    to.write_all(&line).inspect_err(|_| {
        let _ = to.set_len(start);
        let _ = to.seek(SeekFrom::Start(start));
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::check::Checked;
    use super::*;

    fn record(name: &str, content: &[u8]) -> Record {
        let mut checked = Checked::new(Vec::new()).unwrap();
        checked.write_all(content).unwrap();
        let source = serde_json::from_str(r#"{"len":5,"modified":[1,2]}"#).unwrap();
        let name = Name::new(Path::new(name)).unwrap();
        Record { name, source, id: Id([9; 32]), size: 5, check: checked.finish() }
    }

    #[test]
    fn incomplete_lines_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        let directory = Dir::open(root.path()).unwrap();
        let open = |purpose: &str, start| {
            Journal::open(&directory, root.path(), purpose, start).map(|(journal, done)| (journal.unwrap(), done))
        };
        let name = Name::new(Path::new("b")).unwrap();
        {
            let (journal, done) = open("p", Start::New).unwrap();
            assert!(done.files.is_empty());
            journal.add(&record("a", b"1")).unwrap();
            journal.add_folders([&name]).unwrap();
            journal.add(&record("b/c", b"2")).unwrap();
            assert!(open("p", Start::Continue).err().unwrap().to_string().contains("another run is at work"));
            assert!(open("p", Start::New).err().unwrap().to_string().contains("another run is at work"));
        }
        let whole = fs::read(Journal::path(root.path())).unwrap();
        let ends: Vec<_> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        let boots = usize::from(Boot::present().is_some());
        assert_eq!(ends.len(), 4 + boots);
        // The journal appears together with its first line. A file without that line is not a
        // journal, and is not touched.
        for len in 0..ends[0] {
            fs::write(Journal::path(root.path()), &whole[..len]).unwrap();
            assert!(open("p", Start::Continue).err().unwrap().to_string().contains("is not the journal"), "{len}");
            assert_eq!(fs::read(Journal::path(root.path())).unwrap(), whole[..len]);
        }
        for len in ends[0]..=whole.len() {
            let lines = ends[1 + boots..].iter().filter(|end| **end <= len).count();
            // Lines that are added after an incomplete line are not lost with it.
            for added in [0, 1] {
                fs::write(Journal::path(root.path()), &whole[..len]).unwrap();
                let added =
                    (0..added).map(|_| open("p", Start::Continue).unwrap().0.add(&record("d", b"3")).unwrap()).count();
                let (_, done) = open("p", Start::Continue).unwrap();
                assert_eq!(done.files.len() + done.made.len(), lines + added, "{len}");
                assert!(!done.restarted);
            }
        }
        assert!(open("q", Start::Continue).err().unwrap().to_string().contains("was a different one"));
        open("p", Start::Continue).unwrap().0.remove().unwrap();
        assert!(!Journal::path(root.path()).exists());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }
}

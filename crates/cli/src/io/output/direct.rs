//! Output to a device, a FIFO, or the file behind an open descriptor, such as `/dev/stdout`.
//!
//! It is written to directly, and opened at the first write. If the file is the one behind standard
//! output, it is written where standard output stands, and keeps its content.

#[cfg(unix)]
use std::fs::Metadata;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};

use super::descriptor;
#[cfg(unix)]
use super::descriptor::Stdout;
use super::failure::keep_retry;
use super::file::Target;
use crate::error::{Error, Result};
use crate::os::ready::Ready;

/// A file that is written to directly. It is opened at the first write.
pub(super) struct Direct {
    target: Target,
    file: Option<File>,
}

impl Direct {
    pub(super) fn new(target: Target) -> Self {
        Self { target, file: None }
    }

    pub(super) fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(open(&self.target).map_err(Error::into_io)?),
        };
        Ready(&*file).write(data).map_err(|error| keep_retry(error, |error| self.target.cannot_write(&error)))
    }

    pub(super) fn finish(mut self) -> Result<()> {
        // Opens the file for an empty result too, so that the reader of a FIFO sees its end.
        self.write(&[]).map_err(|error| Error::from_io("cannot write", error))?;
        let finished = self.file.take().map_or(Ok(()), descriptor::finish);
        finished.map_err(|error| self.target.cannot_write(&error))
    }
}

/// Opens the file. Its content is discarded, if it has any and is not behind standard output.
fn open(target: &Target) -> Result<File> {
    let cannot = |error: io::Error| target.cannot_write(&error);
    if target.names_open_file {
        let truncated = || OpenOptions::new().write(true).truncate(true).open(&target.path);
        return open_stdout(target).map_or_else(truncated, Ok).map_err(cannot);
    }
    open_same(target).map_err(cannot)?.ok_or_else(|| target.became_another())
}

/// Opens the device or FIFO that was found, or returns `None` if another file has taken its name.
/// That file is not changed: it is not truncated, which devices and FIFOs do not need, and a link
/// is not followed.
#[cfg(unix)]
fn open_same(target: &Target) -> io::Result<Option<File>> {
    use std::os::unix::fs::OpenOptionsExt as _;

    let file = OpenOptions::new().write(true).custom_flags(nix::libc::O_NOFOLLOW).open(&target.path)?;
    let is_same = is_existing(target, &file.metadata()?);
    Ok(is_same.then_some(file))
}

#[cfg(not(unix))]
fn open_same(target: &Target) -> io::Result<Option<File>> {
    OpenOptions::new().write(true).truncate(true).open(&target.path).map(Some)
}

/// Returns standard output if the path names it, as `/dev/stdout` and `/dev/fd/1` do.
#[cfg(unix)]
fn open_stdout(target: &Target) -> Option<File> {
    let Stdout::Copy(stdout) = Stdout::unbuffered() else { return None };
    let is_same = is_existing(target, &stdout.metadata().ok()?);
    is_same.then_some(stdout)
}

/// Returns whether the open file behind `metadata`, of any kind, is the one that was found.
#[cfg(unix)]
fn is_existing(target: &Target, metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let id = |metadata: &Metadata| (metadata.dev(), metadata.ino());
    target.existing.as_ref().map(id) == Some(id(metadata))
}

#[cfg(not(unix))]
fn open_stdout(_target: &Target) -> Option<File> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::io::output::file::resolve;

    #[test]
    fn a_file_that_takes_the_name_is_left_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let (path, precious) = (folder.path().join("out"), folder.path().join("precious"));
        fs::write(&precious, "precious").unwrap();
        let make_link = || symlink(&precious, &path);
        let rename_file = || fs::rename(&precious, &path);
        for take_name in [&make_link as &dyn Fn() -> io::Result<()>, &rename_file] {
            let _ = UnixListener::bind(&path).unwrap();
            let mut direct = Direct::new(resolve(&path).unwrap());
            fs::remove_file(&path).unwrap();
            take_name().unwrap();
            direct.write(b"secret").unwrap_err();
            assert!(direct.finish().is_err());
            assert_eq!(fs::read(&path).unwrap(), b"precious");
            let _ = fs::remove_file(&path);
        }
    }
}

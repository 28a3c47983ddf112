//! Standard output, and the end of files that are written to directly.

use std::fs::{File, Metadata};
use std::io::{self, Write};

use crate::os::ready::Ready;

/// Standard output without std's line buffer.
pub(super) enum Stdout {
    /// A copy of the descriptor.
    #[cfg_attr(not(unix), expect(dead_code, reason = "other systems do not copy the descriptor"))]
    Copy(File),
    /// std's own handle, if there is no copy.
    Std(io::Stdout),
}

impl Stdout {
    #[cfg(unix)]
    pub(super) fn unbuffered() -> Self {
        use std::os::fd::AsFd as _;
        let stdout = io::stdout();
        let copy = stdout.as_fd().try_clone_to_owned();
        copy.map_or(Self::Std(stdout), |copy| Self::Copy(copy.into()))
    }

    #[cfg(not(unix))]
    pub(super) fn unbuffered() -> Self {
        Self::Std(io::stdout())
    }

    /// Returns the metadata of the file behind it, on Unix.
    pub(super) fn metadata(&self) -> Option<Metadata> {
        match self {
            Self::Copy(file) => file.metadata().ok(),
            Self::Std(_) => None,
        }
    }

    /// Enlarges the pipe behind it, if it is one.
    pub(super) fn enlarge_pipe(&self) {
        #[cfg(unix)]
        if let Self::Copy(file) = self {
            crate::os::pipe::enlarge(file);
        }
    }

    /// Writes out what is buffered, and returns errors of earlier writes that were not known yet.
    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Copy(file) => finish(file),
            Self::Std(mut stdout) => stdout.flush(),
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        match self {
            Self::Copy(file) => Ready(file).write(data),
            Self::Std(stdout) => Ready(stdout).write(data),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Copy(_) => Ok(()),
            Self::Std(stdout) => stdout.flush(),
        }
    }
}

/// Closes a file that was written to, and returns errors of earlier writes that were not known yet.
///
/// Network file systems report them when a descriptor or a copy of it is closed. Local disks report
/// them only in a sync, which would take as long as the whole command for a small file (4 ms on a
/// virtual disk). A result that must be on the disk belongs in `-o FILE`, which is always synced. A
/// block device is synced, because it is written to for that purpose only.
#[cfg(unix)]
pub(super) fn finish(file: File) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt as _;

    if file.metadata()?.file_type().is_block_device() {
        crate::os::disk::sync(&file)?;
    }
    match nix::unistd::close(file) {
        // The descriptor is closed.
        Ok(()) | Err(nix::errno::Errno::EINTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
pub(super) fn finish(mut file: File) -> io::Result<()> {
    file.flush()
}

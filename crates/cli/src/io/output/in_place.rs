//! Overwrites a file in a directory without write permission. The result is written elsewhere
//! first, and copied when it is complete.

use std::fs::File;
use std::io;
use std::ops::Range;

use sealane_age::{ReadAt as _, WriteAt as _};
use zeroize::Zeroizing;

use crate::os::disk;

const BUFFER_BYTES: usize = 1 << 16;

/// Copies the content of `from` over that of `to`, which is open for writing. If there is no space
/// for the new content, the file stays as it was. Where the system cannot reserve space, this holds
/// only if `to` has no holes.
pub(super) fn overwrite(to: &File, from: &File) -> io::Result<()> {
    let (old, new) = (to.metadata()?.len(), from.metadata()?.len());
    // Get the space while the old content is still intact.
    let reserved = reserve(to, new).and_then(|()| copy(from, to, old..new)).and_then(|()| disk::sync(to));
    if let Err(error) = reserved {
        let _ = to.set_len(old);
        return Err(error);
    }
    copy(from, to, 0..old.min(new))?;
    to.set_len(new)?;
    disk::sync(to)
}

/// Reserves space for the first `len` bytes of the file, with its holes. The content and the length
/// stay as they are.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn reserve(file: &File, len: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    use rustix::io::Errno;

    if len == 0 {
        return Ok(());
    }
    loop {
        match fallocate(file, FallocateFlags::KEEP_SIZE, 0, len) {
            Err(Errno::INTR) => {}
            // Not every file system can reserve space.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => return Ok(()),
            reserved => return Ok(reserved?),
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn reserve(_file: &File, _len: u64) -> io::Result<()> {
    Ok(())
}

fn copy(from: &File, to: &File, mut range: Range<u64>) -> io::Result<()> {
    // The buffer may hold plaintext.
    let mut buf = Zeroizing::new(vec![0; BUFFER_BYTES]);
    while !range.is_empty() {
        let len = usize::try_from(range.end - range.start).unwrap_or(BUFFER_BYTES).min(BUFFER_BYTES);
        let read = match from.read_at(&mut buf[..len], range.start) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        to.write_all_at(&buf[..read], range.start)?;
        range.start += read as u64;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn longer_shorter_and_empty_content() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        for old in [0, 1, 100_000, 200_000] {
            for new in [0, 1, 65_536, 100_000, 150_000] {
                fs::write(&to, vec![1; old]).unwrap();
                let content: Vec<u8> = (0..new).map(|i: usize| (i % 251) as u8).collect();
                fs::write(&from, &content).unwrap();
                let file = fs::OpenOptions::new().write(true).open(&to).unwrap();
                overwrite(&file, &File::open(&from).unwrap()).unwrap();
                assert!(fs::read(&to).unwrap() == content, "{old} {new}");
            }
        }
    }
}

//! Writes files to the disk.

use std::fs::File;
use std::io;

/// Writes the file with its metadata to the disk. `File::sync_all` fails on Apple's systems if the
/// file system cannot also empty the caches of the disk, as with SMB, WebDAV and FUSE.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        #[cfg(target_vendor = "apple")]
        Err(error) if is_unsupported(&error) => Ok(rustix::fs::fsync(file)?),
        synced => synced,
    }
}

/// Returns whether the file system does not know the request to empty the caches of the disk.
#[cfg(any(target_vendor = "apple", all(unix, test)))]
fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let errno = Errno::from_io_error(error);
    errno.is_some_and(|errno| [Errno::NOTSUP, Errno::OPNOTSUPP, Errno::INVAL, Errno::NOTTY].contains(&errno))
}

#[cfg(all(unix, test))]
mod tests {
    use rustix::io::Errno;

    use super::*;

    #[test]
    fn only_an_unknown_request_is_made_in_another_way() {
        for (errno, expected) in [
            (Errno::NOTSUP, true),
            (Errno::OPNOTSUPP, true),
            (Errno::INVAL, true),
            (Errno::NOTTY, true),
            (Errno::IO, false),
            (Errno::NOSPC, false),
            (Errno::BADF, false),
        ] {
            assert_eq!(is_unsupported(&errno.into()), expected, "{errno}");
        }
        assert!(!is_unsupported(&io::ErrorKind::UnexpectedEof.into()));
    }
}

//! Inputs and outputs that are read and written at any position, such as files.

use std::fs::File;
use std::io;
use std::sync::Arc;

/// An input that several threads can read at any position, at once.
///
/// ```
/// use std::num::NonZero;
///
/// use sealane_age::{CopyError, Decryptor, Encryptor, Identity, ReadAt, Recipient, Threads, WriteAt, x25519};
///
/// /// Opens a file on two threads.
/// fn open(
///     sealed: &impl ReadAt,
///     opened: &impl WriteAt,
///     identity: &dyn Identity,
/// ) -> Result<u64, Box<dyn std::error::Error>> {
///     let mut start = vec![0; 16 << 10];
///     let len = sealed.read_at(&mut start, 0)?;
///     let reader = Decryptor::new(&start[..len])?.decrypt([identity])?;
///     match reader.copy_at(sealed, opened, Threads::new(NonZero::new(2).unwrap())) {
///         Err(CopyError::Write(error)) => Err(format!("the disk may be full: {error}").into()),
///         copied => Ok(copied?),
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let identity = x25519::Identity::generate()?;
/// let (sealed, opened) = (tempfile::tempfile()?, tempfile::tempfile()?);
/// let encryptor = Encryptor::with_recipients([&identity.to_public() as &dyn Recipient])?;
/// encryptor.encrypt_at(&&[7; 100_000][..], &sealed, Threads::available())?;
/// assert_eq!(open(&sealed, &opened, &identity)?, 100_000);
/// # Ok(())
/// # }
/// ```
pub trait ReadAt: Sync {
    /// Reads from byte `offset` on. Returns the number of bytes, which is 0 only at the end or if
    /// `out` is empty.
    ///
    /// # Errors
    /// The errors of the system.
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Returns the length in bytes, which may change at any time.
    ///
    /// # Errors
    /// The errors of the system.
    fn size(&self) -> io::Result<u64>;
}

/// An output that several threads can write at any position, at once.
pub trait WriteAt: Sync {
    /// Writes all of `data` from byte `offset` on.
    ///
    /// # Errors
    /// The errors of the system.
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()>;

    /// Removes everything after the first `len` bytes.
    ///
    /// # Errors
    /// The errors of the system.
    fn set_len(&self, len: u64) -> io::Result<()>;
}

/// Reading may change the file's own position.
impl ReadAt for File {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(self, out, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(self, out, offset);
        #[cfg(not(any(unix, windows)))]
        return Err(unsupported(out.len(), offset));
    }

    fn size(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }
}

/// Writing may change the file's own position. Do not use this for files opened for appending,
/// which can only be written at their end.
impl WriteAt for File {
    fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::write_all_at(self, data, offset);
        #[cfg(windows)]
        {
            let (mut data, mut offset) = (data, offset);
            while !data.is_empty() {
                match crate::input::retry(|| std::os::windows::fs::FileExt::seek_write(self, data, offset))? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    n => (data, offset) = (&data[n..], offset + n as u64),
                }
            }
            Ok(())
        }
        #[cfg(not(any(unix, windows)))]
        return Err(unsupported(data.len(), offset));
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }
}

#[cfg(not(any(unix, windows)))]
fn unsupported(len: usize, offset: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("{len} bytes at {offset}: random access to files is not supported on this system"),
    )
}

impl ReadAt for [u8] {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let n = out.len().min(rest.len());
        out[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        self.as_slice().read_at(out, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.as_slice().size()
    }
}

/// Implements both traits for a pointer. `$target` has the bounds that make the pointer `Sync`.
macro_rules! for_pointer {
    ($pointer:ty, $($target:tt)*) => {
        impl<T: ReadAt + $($target)*> ReadAt for $pointer {
            fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
                (**self).read_at(out, offset)
            }

            fn size(&self) -> io::Result<u64> {
                (**self).size()
            }
        }

        impl<T: WriteAt + $($target)*> WriteAt for $pointer {
            fn write_all_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
                (**self).write_all_at(data, offset)
            }

            fn set_len(&self, len: u64) -> io::Result<()> {
                (**self).set_len(len)
            }
        }
    };
}

for_pointer!(&T, ?Sized);
for_pointer!(Box<T>, ?Sized);
for_pointer!(Arc<T>, Send + ?Sized);

//! Reads ranges of the plaintext from a file that can be read at any position, blocking or async.

use std::future::Future;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use sealane::Backend;
use zeroize::Zeroizing;

use crate::error::DecryptError;
use crate::header::{Header, HeaderError};
use crate::identity::Identity;
use crate::input::retry;
use crate::preamble::{Preamble, Prefix};
use crate::random_access::ReadAt;
use crate::stream::{PayloadKey, SealedRange, StreamError, plaintext_len};

/// The number of bytes to read first. Most headers are shorter.
const FIRST_READ: usize = 1024;
/// The largest number of bytes to allocate for a range before any of it has arrived.
const FIRST_BYTES: usize = 16 << 20;

/// Is the type of a future for the result of an input.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
macro_rules! future {
    ($value:ty) => {
        impl Future<Output = io::Result<$value>> + Send
    };
}
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
macro_rules! future {
    ($value:ty) => {
        impl Future<Output = io::Result<$value>>
    };
}

/// An input that can be read at any position without blocking. It depends on no async runtime.
///
/// Its futures may be sent to other threads, except in browsers (`wasm32-unknown-unknown`). There,
/// they may hold objects of JavaScript, such as the promise of a `fetch`, which stay in one thread.
///
/// ```
/// use std::io;
///
/// use sealane_age::{AsyncReadAt, Identity, LockedFile, ReadAt as _, Recipient, x25519};
///
/// /// A store that is asked for ranges.
/// struct Store(Vec<u8>);
///
/// impl AsyncReadAt for Store {
///     async fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
///         self.0.as_slice().read_at(buf, offset)
///     }
///
///     async fn size(&self) -> io::Result<u64> {
///         Ok(self.0.len() as u64)
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let identity = x25519::Identity::generate()?;
/// # let file = sealane_age::encrypt([&identity.to_public() as &dyn Recipient], &[7; 100_000])?;
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async move {
/// let file = LockedFile::read_async(Store(file)).await?;
/// let reader = file.unlock([&identity as &dyn Identity])?;
/// assert_eq!(reader.read_async(65_000..66_000).await?, [7; 1000]);
/// # Ok(())
/// # })
/// # }
/// ```
pub trait AsyncReadAt {
    /// Reads from byte `offset` on. Returns the number of bytes, which is 0 only at the end or if
    /// `out` is empty.
    ///
    /// # Errors
    /// The errors of the input.
    fn read_at(&self, out: &mut [u8], offset: u64) -> future!(usize);

    /// Returns the length in bytes.
    ///
    /// # Errors
    /// The errors of the input.
    fn size(&self) -> future!(u64);
}

/// Implements the trait for a pointer.
macro_rules! for_pointer {
    ($pointer:ty) => {
        impl<T: AsyncReadAt + ?Sized> AsyncReadAt for $pointer {
            fn read_at(&self, out: &mut [u8], offset: u64) -> future!(usize) {
                (**self).read_at(out, offset)
            }

            fn size(&self) -> future!(u64) {
                (**self).size()
            }
        }
    };
}

for_pointer!(&T);
for_pointer!(Box<T>);
for_pointer!(Arc<T>);

/// Compiles only if an input of a browser may hold what cannot be sent.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
const _: () = {
    struct Fetched(std::rc::Rc<[u8]>);

    impl AsyncReadAt for Fetched {
        async fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
            (&self.0[..]).read_at(out, offset)
        }

        async fn size(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
    }

    fn is_input<T: AsyncReadAt>() {}
    let _ = is_input::<Box<Fetched>>;
};

/// Does the same as [`retry`] for a read that does not block.
async fn retry_async(input: &impl AsyncReadAt, out: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match input.read_at(out, offset).await {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// A file whose header has been read, and whose plaintext can be read in ranges once it is
/// unlocked.
#[derive(Debug)]
pub struct LockedFile<I> {
    input: I,
    preamble: Preamble,
    /// The number of bytes after the preamble.
    sealed_len: u64,
}

impl<I> LockedFile<I> {
    /// Returns the file `input` of `len` bytes, whose `preamble` has been read already. Reads
    /// nothing.
    pub fn new(input: I, preamble: Preamble, len: u64) -> Self {
        let sealed_len = len.saturating_sub(preamble.len() as u64);
        Self { input, preamble, sealed_len }
    }

    /// Returns the header. Its MAC has not been checked yet.
    pub fn header(&self) -> &Header {
        self.preamble.header()
    }

    /// Does the same as [`Preamble::with_backend`].
    #[must_use]
    pub fn with_backend(mut self, backend: Backend) -> Self {
        self.preamble = self.preamble.with_backend(backend);
        self
    }

    /// Does the same as [`Preamble::with_max_work_factor`].
    #[must_use]
    pub fn with_max_work_factor(mut self, log_n: u8) -> Self {
        self.preamble = self.preamble.with_max_work_factor(log_n);
        self
    }

    /// Unlocks the file. This does no I/O, unless an identity does.
    ///
    /// # Errors
    /// The errors of [`Preamble::unlock`].
    pub fn unlock<'a>(
        self,
        identities: impl IntoIterator<Item = &'a dyn Identity>,
    ) -> Result<RangeReader<I>, DecryptError> {
        let key = self.preamble.unlock(identities)?;
        let first_chunk_start = self.preamble.len() as u64;
        Ok(RangeReader { input: self.input, key, first_chunk_start, sealed_len: self.sealed_len })
    }
}

impl<I: ReadAt> LockedFile<I> {
    /// Reads the header of a binary file, and its length.
    ///
    /// # Errors
    /// The errors of [`Decryptor::new`](crate::Decryptor::new).
    pub fn read(input: I) -> Result<Self, DecryptError> {
        let len = input.size()?;
        let mut start = Start::new(len);
        let preamble = loop {
            if let Some(preamble) = start.parse()? {
                break preamble;
            }
            let (room, offset) = start.room();
            let n = retry(|| input.read_at(room, offset))?;
            start.filled(n);
        };
        Ok(Self::new(input, preamble, len))
    }
}

impl<I: AsyncReadAt> LockedFile<I> {
    /// Does the same as [`LockedFile::read`], but without blocking.
    ///
    /// # Errors
    /// The errors of [`LockedFile::read`].
    pub async fn read_async(input: I) -> Result<Self, DecryptError> {
        let len = input.size().await?;
        let mut start = Start::new(len);
        let preamble = loop {
            if let Some(preamble) = start.parse()? {
                break preamble;
            }
            let (room, offset) = start.room();
            let n = retry_async(&input, room, offset).await?;
            start.filled(n);
        };
        Ok(Self::new(input, preamble, len))
    }
}

/// The first bytes of a file, while they are read.
struct Start {
    bytes: Vec<u8>,
    filled: usize,
    ended: bool,
    /// The length of the file.
    len: u64,
}

impl Start {
    fn new(len: u64) -> Self {
        let first = usize::try_from(len).unwrap_or(FIRST_READ).min(FIRST_READ);
        Self { bytes: vec![0; first], filled: 0, ended: false, len }
    }

    /// Returns the preamble, or `None` if more bytes are needed. Makes room for them.
    fn parse(&mut self) -> Result<Option<Preamble>, HeaderError> {
        if self.filled < self.bytes.len() && !self.ended {
            return Ok(None);
        }
        let at_least = match Preamble::parse(&self.bytes[..self.filled])? {
            Prefix::Complete(preamble) => return Ok(Some(preamble)),
            Prefix::Incomplete { at_least } => at_least,
        };
        let wanted = at_least.max(4 * self.filled).min(usize::try_from(self.len).unwrap_or(usize::MAX));
        if self.ended || wanted <= self.filled {
            return Err(Header::parse(&self.bytes[..self.filled]).err().unwrap_or(HeaderError::Truncated));
        }
        self.bytes.resize(wanted, 0);
        Ok(None)
    }

    fn room(&mut self) -> (&mut [u8], u64) {
        (&mut self.bytes[self.filled..], self.filled as u64)
    }

    fn filled(&mut self, n: usize) {
        // As in `Arriving::filled`.
        self.filled = self.bytes.len().min(self.filled.saturating_add(n));
        self.ended = n == 0;
    }
}

/// Reads ranges of a file's plaintext. Each read fetches the chunks of its range and nothing else,
/// and any number of threads or tasks may read.
///
/// ```
/// use sealane_age::{Identity, LockedFile, Recipient, x25519};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let identity = x25519::Identity::generate()?;
/// # let file = sealane_age::encrypt([&identity.to_public() as &dyn Recipient], &[7; 100_000])?;
/// let reader = LockedFile::read(&file[..])?.unlock([&identity as &dyn Identity])?;
/// assert_eq!(reader.read(65_000..66_000)?, [7; 1000]);
/// assert_eq!(reader.read(99_999..200_000)?, [7]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RangeReader<I> {
    input: I,
    key: PayloadKey,
    first_chunk_start: u64,
    sealed_len: u64,
}

impl<I> RangeReader<I> {
    /// Returns the key of the payload.
    pub fn key(&self) -> &PayloadKey {
        &self.key
    }

    /// Returns the length of the plaintext according to the length of the file, or `None` if no
    /// file has that length.
    ///
    /// This proves nothing: the file may have been cut between two chunks. Reading a range that
    /// reaches this length authenticates the end.
    pub fn claimed_len(&self) -> Option<u64> {
        plaintext_len(self.sealed_len)
    }

    /// Returns the chunks of a range, and a buffer for them.
    fn plan(&self, plaintext: Range<u64>) -> io::Result<(SealedRange, Arriving)> {
        let range = SealedRange::new(plaintext, self.sealed_len)?;
        let len = usize::try_from(range.sealed.end - range.sealed.start).map_err(|_| out_of_memory())?;
        let start = self.first_chunk_start + range.sealed.start;
        Ok((range, Arriving { bytes: Vec::new(), filled: 0, len, start }))
    }

    fn open(&self, range: &SealedRange, sealed: Vec<u8>) -> io::Result<Vec<u8>> {
        if sealed.is_empty() {
            return Ok(Vec::new());
        }
        let mut plaintext = Zeroizing::new(vec![0; sealed.len()]);
        self.key.open_chunks(range.first, range.is_last, &sealed, &mut plaintext)?;
        // The result is a copy, and two in memory are enough.
        drop(sealed);
        // The length fits `usize`, because that of the sealed bytes does.
        Ok(plaintext[range.skip..][..range.len as usize].to_vec())
    }
}

/// The sealed chunks of a range, while they are read.
struct Arriving {
    bytes: Vec<u8>,
    filled: usize,
    /// The length of all chunks.
    len: usize,
    /// The position of the first chunk in the file.
    start: u64,
}

impl Arriving {
    /// Returns the buffer for the next bytes and their position in the file, or `None` if all are
    /// there. The buffer grows as bytes arrive: the length is what the input claims.
    fn room(&mut self) -> io::Result<Option<(&mut [u8], u64)>> {
        if self.filled >= self.len {
            return Ok(None);
        }
        if self.filled == self.bytes.len() {
            let len = self.len.min(FIRST_BYTES.max(self.filled.saturating_mul(2)));
            self.bytes.try_reserve_exact(len - self.filled).map_err(|_| out_of_memory())?;
            self.bytes.resize(len, 0);
        }
        Ok(Some((&mut self.bytes[self.filled..], self.start + self.filled as u64)))
    }

    fn filled(&mut self, n: usize) -> io::Result<()> {
        // An input may say that it read more than it was given room for.
        self.filled = self.bytes.len().min(self.filled.saturating_add(n));
        if n == 0 { Err(StreamError::Truncated.into()) } else { Ok(()) }
    }
}

fn out_of_memory() -> io::Error {
    io::ErrorKind::OutOfMemory.into()
}

impl<I: ReadAt> RangeReader<I> {
    /// Returns a range of the plaintext. The result is shorter if the plaintext ends earlier, which
    /// the last chunk then proves.
    ///
    /// The sealed chunks and their plaintext are in memory at once. A range of more than 16 MiB is
    /// read with several calls of the input, so that memory is used only as bytes arrive: the input
    /// may claim a length that it does not have. The result is not wiped when it is dropped.
    ///
    /// # Errors
    /// The errors of the input, a [`StreamError`] if the chunks are damaged or no file has this
    /// length, and [`io::ErrorKind::OutOfMemory`] if there is no memory for the sealed chunks.
    pub fn read(&self, plaintext: Range<u64>) -> io::Result<Vec<u8>> {
        let (range, mut arriving) = self.plan(plaintext)?;
        while let Some((room, offset)) = arriving.room()? {
            let n = retry(|| self.input.read_at(room, offset))?;
            arriving.filled(n)?;
        }
        self.open(&range, arriving.bytes)
    }
}

impl<I: AsyncReadAt> RangeReader<I> {
    /// Does the same as [`RangeReader::read`], but without blocking. The chunks are opened in the
    /// task that polls.
    ///
    /// # Errors
    /// The errors of [`RangeReader::read`].
    pub async fn read_async(&self, plaintext: Range<u64>) -> io::Result<Vec<u8>> {
        let (range, mut arriving) = self.plan(plaintext)?;
        while let Some((room, offset)) = arriving.room()? {
            let n = retry_async(&self.input, room, offset).await?;
            arriving.filled(n)?;
        }
        self.open(&range, arriving.bytes)
    }
}

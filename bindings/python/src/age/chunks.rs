//! Opens sealed chunks, in memory or in a file, directly into the buffer for their plaintext.

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sealane_age::stream::{CHUNK_BYTES, PayloadKey, SEALED_CHUNK_BYTES, TAG_BYTES};
use sealane_age::{ReadAt as _, StreamError, Threads};
use zeroize::Zeroizing;

use super::threads;
use crate::buffer::{new_bytes, write_copy, write_zeros};
use crate::error;

/// Requests with at least this many bytes are opened on all cores.
const PARALLEL_FROM: usize = 2 << 20;
/// The number of chunks that are read and opened at a time, few enough to stay in a core's caches.
const GROUP: usize = 4;

/// Consecutive sealed chunks.
#[derive(Clone, Copy)]
pub(crate) enum Chunks<'a> {
    Memory(&'a [u8]),
    File { file: &'a File, position: u64, len: usize },
}

impl<'a> Chunks<'a> {
    /// Returns the number of sealed bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Memory(sealed) => sealed.len(),
            Self::File { len, .. } => *len,
        }
    }

    /// Returns the length of the plaintext.
    pub(crate) fn plaintext_len(&self) -> usize {
        self.len().saturating_sub(self.count() * TAG_BYTES)
    }

    /// Returns the number of chunks.
    fn count(&self) -> usize {
        self.len().div_ceil(SEALED_CHUNK_BYTES)
    }

    /// Returns the chunks from number `from` on, at most `count`.
    fn part(self, from: usize, count: usize) -> Self {
        let from = from * SEALED_CHUNK_BYTES;
        let rest = self.len().saturating_sub(from);
        let len = rest.min(count.saturating_mul(SEALED_CHUNK_BYTES));
        match self {
            Self::Memory(sealed) => Self::Memory(sealed.get(from..from + len).unwrap_or_default()),
            Self::File { file, position, .. } => Self::File { file, position: position + from as u64, len },
        }
    }

    /// Returns parts of `count` chunks. The last may have fewer.
    fn split(self, count: usize) -> impl Iterator<Item = Self> {
        (0..self.count()).step_by(count).map(move |from| self.part(from, count))
    }

    /// Returns the bytes, which are read into `scratch` if they are in a file.
    fn bytes<'b>(self, scratch: &'b mut Vec<u8>) -> io::Result<&'b [u8]>
    where
        'a: 'b,
    {
        let (file, position, len) = match self {
            Self::Memory(sealed) => return Ok(sealed),
            Self::File { file, position, len } => (file, position, len),
        };
        scratch.resize(len, 0);
        let mut filled = 0;
        while filled < len {
            match file.read_at(&mut scratch[filled..], position + filled as u64) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(more) => filled += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(scratch)
    }

    /// Opens the chunks on this thread. `room` has exactly the length of the plaintext.
    fn open_here(self, key: &PayloadKey, first: u64, is_last: bool, room: &mut [MaybeUninit<u8>]) -> io::Result<()> {
        let (mut scratch, mut rest, count) = (Vec::new(), room, self.count());
        let mut from = 0;
        loop {
            let part = self.part(from, GROUP);
            let (here, after) = std::mem::take(&mut rest).split_at_mut(part.plaintext_len());
            rest = after;
            let sealed = part.bytes(&mut scratch)?;
            key.open_chunks(first + from as u64, is_last && from + GROUP >= count, sealed, write_zeros(here))?;
            from += GROUP;
            if from >= count {
                return Ok(());
            }
        }
    }

    /// Opens the chunks on up to `threads` threads. `room` has exactly the length of the plaintext,
    /// and is initialised if this succeeds.
    pub(crate) fn open(
        self,
        key: &PayloadKey,
        first: u64,
        is_last: bool,
        room: &mut [MaybeUninit<u8>],
        threads: Threads,
    ) -> io::Result<()> {
        let count = threads::chunks_per_thread(self.count(), threads);
        if self.count() <= count {
            return self.open_here(key, first, is_last, room);
        }
        let parts_count = self.count().div_ceil(count);
        let parts = self.split(count).zip(room.chunks_mut(count * CHUNK_BYTES));
        let work = parts.enumerate().map(|(i, (sealed, room))| {
            let (first, is_last) = (first + (i * count) as u64, is_last && i + 1 == parts_count);
            move || sealed.open_here(key, first, is_last, room)
        });
        threads::run(work.collect())
    }

    /// Opens the chunks, and writes a piece of their plaintext to `room`. The piece begins `skip`
    /// bytes after the start of the plaintext. Chunks that lie wholly inside the piece are opened
    /// directly in `room`. On success, all of `room` is initialised.
    fn open_piece(
        self,
        key: &PayloadKey,
        first: u64,
        is_last: bool,
        skip: usize,
        room: &mut [MaybeUninit<u8>],
        threads: Threads,
    ) -> io::Result<()> {
        let (count, mut begin, mut rest) = (self.count(), 0, room);
        // Opens a chunk in a buffer of its own, and copies its bytes from `skip` on.
        let edge = |number: usize, skip: usize, room: &mut [MaybeUninit<u8>]| {
            let chunk = self.part(number, 1);
            let (mut scratch, mut plaintext) = (Vec::new(), Zeroizing::new(vec![0; chunk.plaintext_len()]));
            let is_last = is_last && number + 1 == count;
            key.open_chunks(first + number as u64, is_last, chunk.bytes(&mut scratch)?, &mut plaintext)?;
            write_copy(room, &plaintext[skip..skip + room.len()]);
            Ok::<(), io::Error>(())
        };
        let in_first = self.part(0, 1).plaintext_len() - skip;
        if skip > 0 || rest.len() < in_first {
            let (here, after) = rest.split_at_mut(rest.len().min(in_first));
            edge(0, skip, here)?;
            (begin, rest) = (1, after);
        }
        if begin == count {
            return Ok(());
        }
        let inner = self.part(begin, count - begin);
        if rest.len() == inner.plaintext_len() {
            return inner.open(key, first + begin as u64, is_last, rest, threads);
        }
        let (whole, end) = rest.split_at_mut((count - begin - 1) * CHUNK_BYTES);
        if !whole.is_empty() {
            let inner = self.part(begin, count - begin - 1);
            inner.open(key, first + begin as u64, false, whole, threads)?;
        }
        edge(count - 1, 0, end)
    }

    /// Returns a piece of the plaintext, if it begins in the first chunk and ends in the last one.
    pub(crate) fn piece<'py>(
        self,
        py: Python<'py>,
        key: &PayloadKey,
        first: u64,
        is_last: bool,
        (skip, len): (usize, usize),
    ) -> Option<PyResult<Bound<'py, PyBytes>>> {
        let total = self.plaintext_len();
        let (count, end) = (self.count(), skip.checked_add(len)?);
        let last = count.checked_sub(1)? * CHUNK_BYTES;
        // An empty piece would need no bytes of the chunk that authenticates it.
        if skip >= CHUNK_BYTES.min(total) || end > total || end <= last {
            return None;
        }
        // Asking for the number of cores takes longer than opening a few chunks.
        let threads = if self.len() < PARALLEL_FROM { Threads::ONE } else { Threads::available() };
        let open = |room: &mut [MaybeUninit<u8>]| self.open_piece(key, first, is_last, skip, room, threads);
        // SAFETY: `open_piece` initialises all of the piece.
        let opened = unsafe { new_bytes(py, len, self.len(), open) };
        Some(opened.and_then(|opened| opened.map_err(failed)))
    }
}

fn failed(error: io::Error) -> PyErr {
    if error.kind() == io::ErrorKind::UnexpectedEof && StreamError::of(&error).is_none() {
        return error::PayloadError::new_err("the file is cut short, or was changed while it was read");
    }
    error::io(error)
}

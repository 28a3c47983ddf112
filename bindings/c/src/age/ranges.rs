//! Reads ranges of the plaintext of a binary file, without decrypting the rest.

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use std::io;

use primitives::Output;
use sealane_age::{LockedFile, RangeReader, ReadAt};
use zeroize::{Zeroize as _, Zeroizing};

use super::callbacks::{File, sealane_read_at};
use super::failure::{Failure, guard_file, sealane_age_error};
use super::identities::sealane_age_identities;
use crate::boundary::{Caller, Region, check_disjoint, new_context};
use crate::status::sealane_status::{self, *};

/// The largest number of bytes of plaintext that are decrypted at once: 16 chunks of 64 KiB.
const PIECE: u64 = 16 << 16;

/// A file whose plaintext is read by ranges: open, read any number of ranges, free. It may be used
/// from several threads at once if its callback may. A file descriptor always may.
pub struct sealane_age_ranges {
    reader: Reader,
}

enum Reader {
    Callback(RangeReader<File>),
    Descriptor(RangeReader<std::fs::File>),
}

impl Reader {
    /// Returns the plaintext length that follows from the file's length. It is not authenticated.
    fn claimed_len(&self) -> Result<u64, Failure> {
        let len = match self {
            Self::Callback(reader) => reader.claimed_len(),
            Self::Descriptor(reader) => reader.claimed_len(),
        };
        len.ok_or_else(|| Failure::new(SEALANE_NOT_AUTHENTIC, "no file has this length: it is cut short"))
    }

    fn read(&self, start: u64, end: u64) -> Result<Zeroizing<Vec<u8>>, Failure> {
        Ok(Zeroizing::new(match self {
            Self::Callback(reader) => reader.read(start..end),
            Self::Descriptor(reader) => reader.read(start..end),
        }?))
    }

    /// Fills `output` with plaintext from `start` on, up to the end of the plaintext.
    fn read_into(&self, mut start: u64, output: &mut Output<'_>) -> Result<(), Failure> {
        loop {
            let wanted = output.remaining() as u64;
            let end = start.saturating_add(wanted).min((start / PIECE + 1).saturating_mul(PIECE));
            let piece = self.read(start, end)?;
            output.append(&piece);
            start += piece.len() as u64;
            // Stops at the end of the plaintext, or at the largest offset.
            if start < end || piece.is_empty() || output.remaining() == 0 {
                return Ok(());
            }
        }
    }
}

fn open<I: ReadAt>(
    caller: &Caller,
    identities: *const sealane_age_identities,
    input: io::Result<I>,
    wrap: impl FnOnce(RangeReader<I>) -> Reader,
    ranges: *mut *mut sealane_age_ranges,
) -> Result<(), Failure> {
    let identities = caller.shared(identities)?;
    caller.room(ranges, 1)?;
    let locked = LockedFile::read(input?)?;
    let reader = wrap(identities.with(|all| locked.unlock(all.iter().copied()))?);
    let opened = new_context(|| sealane_age_ranges { reader });
    if opened.is_null() {
        return Err(SEALANE_INTERNAL.into());
    }
    Ok(caller.store(ranges, opened)?)
}

/// Returns a duplicate of a descriptor. The system gives the length of regular files only.
fn regular(caller: &Caller, file: c_int) -> io::Result<std::fs::File> {
    let file = caller.file(file)?.try_clone()?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("ranges can be read only from a regular file"));
    }
    Ok(file)
}

/// Opens a binary file of `file_len` bytes that `read_at` reads. Only its header is read now.
/// `*ranges` becomes the reader: free it with `sealane_age_ranges_free`. After an error, it is
/// unchanged.
///
/// # Safety
/// The rules of the header. `read_at` is called with `context`, which may be NULL, until the reader
/// is freed, and from each thread that uses the reader. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_ranges_open(
    identities: *const sealane_age_identities,
    read_at: sealane_read_at,
    context: *mut c_void,
    file_len: u64,
    ranges: *mut *mut sealane_age_ranges,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        // SAFETY: the header requires of `read_at` what `File::new` requires.
        let input = unsafe { File::new(read_at, context, file_len) }?;
        open(&caller, identities, Ok(input), Reader::Callback, ranges)
    })
}

/// Does the same as `sealane_age_ranges_open` for the descriptor of a regular file, which may be
/// closed after this call. Its position is not used. Other kinds of files are refused with
/// SEALANE_IO.
///
/// The reader has a duplicate of the descriptor. `sealane_age_ranges_free` closes it, and this
/// function does if it fails. Closing it releases all record locks (`fcntl`, `lockf`) of the
/// process on the file.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_ranges_open_fd(
    identities: *const sealane_age_identities,
    file: c_int,
    ranges: *mut *mut sealane_age_ranges,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || open(&caller, identities, regular(&caller, file), Reader::Descriptor, ranges))
}

/// Writes the length of the plaintext in bytes. It reads and authenticates the last chunk, because
/// the length of the file alone proves nothing.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_ranges_len(
    ranges: *const sealane_age_ranges,
    len: *mut u64,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let reader = &caller.shared(ranges)?.reader;
        caller.room(len, 1)?;
        let claimed = reader.claimed_len()?;
        reader.read(claimed, claimed)?;
        Ok(caller.store(len, claimed)?)
    })
}

/// Reads up to `len` bytes of plaintext, starting at byte `offset`. `*read` becomes their number,
/// which is less than `len` only at the end of the plaintext. Only the chunks that hold these bytes
/// are fetched. Reading up to the end also proves that the plaintext ends there.
///
/// After an error, `buffer` is filled with zeros. Invalid arguments leave it unchanged.
///
/// # Safety
/// The rules of the header. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_ranges_read(
    ranges: *const sealane_age_ranges,
    offset: u64,
    buffer: *mut u8,
    len: usize,
    read: *mut usize,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let reader = &caller.shared(ranges)?.reader;
        check_disjoint(&[Region::new(buffer, len), Region::new(read, 1)], &[])?;
        caller.room(read, 1)?;
        let room = caller.output(buffer, len)?;
        let mut output = Output::new(room);
        match reader.read_into(offset, &mut output) {
            Ok(()) => Ok(caller.store(read, len - output.remaining())?),
            Err(error) => {
                output.filled_mut().zeroize();
                room.fill(MaybeUninit::new(0));
                Err(error)
            }
        }
    })
}

/// Wipes the keys and frees the reader. NULL is allowed.
///
/// # Safety
/// The rules of the header. The reader must not be used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_ranges_free(ranges: *mut sealane_age_ranges) {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    unsafe { Caller::new() }.free(ranges);
}

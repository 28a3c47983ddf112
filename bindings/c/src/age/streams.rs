//! Files that are read and written through callbacks or file descriptors.

use core::ffi::{c_int, c_void};
use std::fs::Metadata;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::{Decryptor, Threads};

use super::callbacks::{Sink, Source, sealane_read, sealane_write};
use super::failure::{Failure, guard_file, sealane_age_error};
use super::format;
use super::identities::sealane_age_identities;
use super::recipients::sealane_age_recipients;
use crate::boundary::{BorrowedFile, Caller};
use crate::status::sealane_status::{self, SEALANE_OVERLAP};

/// Returns the number of threads. 0 means one for each core.
fn threads(threads: usize) -> Threads {
    NonZero::new(threads).map_or_else(Threads::available, Threads::new)
}

fn encrypt(
    recipients: &sealane_age_recipients,
    format: Format,
    input: impl Read,
    output: impl Write + Send,
    threads: Threads,
) -> Result<(), Failure> {
    let output = ArmoredWriter::with_format(output, format);
    recipients.encryptor()?.encrypt(input, output, threads)?.finish()?;
    Ok(())
}

fn decrypt(
    identities: &sealane_age_identities,
    input: impl Read,
    output: impl Write + Send,
    threads: Threads,
) -> Result<(), Failure> {
    let decryptor = Decryptor::new(ArmoredReader::new(input))?;
    identities.with(|all| decryptor.decrypt(all.iter().copied()))?.copy_to(output, threads)?;
    Ok(())
}

/// Returns both descriptors as files.
fn two_files(caller: &Caller, input: c_int, output: c_int) -> Result<(BorrowedFile<'_>, BorrowedFile<'_>), Failure> {
    let (input, output) = (caller.file(input)?, caller.file(output)?);
    if let (Some(read), Some(written)) = (file_id(&input.metadata()?), file_id(&output.metadata()?))
        && read == written
    {
        return Err(Failure::new(SEALANE_OVERLAP, "the output is the same file as the input"));
    }
    Ok((input, output))
}

/// Returns the device and inode of a regular file, or the number of a block device. Other files
/// have no content that could be lost.
fn file_id(metadata: &Metadata) -> Option<(bool, u64, u64)> {
    if metadata.is_file() {
        Some((false, metadata.dev(), metadata.ino()))
    } else {
        metadata.file_type().is_block_device().then(|| (true, metadata.rdev(), 0))
    }
}

/// Encrypts what `read` returns, up to its end, and passes the file to `write`. `format` is
/// SEALANE_AGE_BINARY or SEALANE_AGE_ARMOR. Memory does not grow with the file: it is about 3 MiB
/// for each thread.
///
/// `threads` is the number of threads that encrypt, and 0 means one for each core. `read` is called
/// from the calling thread, and so is `write` for the beginning of a file. Unless `threads` is 1 or
/// the file is short, `write` is then called from another thread, at the same time as `read`, but
/// never at the same time as itself.
///
/// After an error, what has been written is not a complete file.
///
/// # Safety
/// The rules of the header. `read_context` and `write_context` are passed to the callbacks and may
/// be NULL. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_encrypt_stream(
    recipients: *const sealane_age_recipients,
    format: u32,
    threads: usize,
    read: sealane_read,
    read_context: *mut c_void,
    write: sealane_write,
    write_context: *mut c_void,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let recipients = caller.shared(recipients)?;
        let (input, output) = (Source::new(&caller, read, read_context)?, Sink::new(&caller, write, write_context)?);
        encrypt(recipients, self::format(format)?, input, output, self::threads(threads))
    })
}

/// Decrypts a file that `read` returns, binary or armored, and passes its plaintext to `write`.
/// Threads, callbacks and memory are as in `sealane_age_encrypt_stream`.
///
/// Everything that has been written before an error is authentic: it is the beginning of the
/// plaintext. The plaintext is complete only after SEALANE_OK.
///
/// # Safety
/// The rules of the header. `read_context` and `write_context` are passed to the callbacks and may
/// be NULL. `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_decrypt_stream(
    identities: *const sealane_age_identities,
    threads: usize,
    read: sealane_read,
    read_context: *mut c_void,
    write: sealane_write,
    write_context: *mut c_void,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.shared(identities)?;
        let (input, output) = (Source::new(&caller, read, read_context)?, Sink::new(&caller, write, write_context)?);
        decrypt(identities, input, output, self::threads(threads))
    })
}

/// Does the same as `sealane_age_encrypt_stream` from one file descriptor to another. Both are used
/// from their current positions on, and stay open, with the record locks (`fcntl`, `lockf`) of the
/// process on these files. SEALANE_OVERLAP is returned, and nothing written, if both are the same
/// regular file or block device.
///
/// # Safety
/// The rules of the header. No other thread closes a descriptor before this function returns.
/// `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_encrypt_fd(
    recipients: *const sealane_age_recipients,
    format: u32,
    threads: usize,
    input: c_int,
    output: c_int,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let recipients = caller.shared(recipients)?;
        let (input, output) = two_files(&caller, input, output)?;
        encrypt(recipients, self::format(format)?, &*input, &*output, self::threads(threads))
    })
}

/// Does the same as `sealane_age_decrypt_stream` from one file descriptor to another. Both are used
/// from their current positions on, and stay open, with the record locks (`fcntl`, `lockf`) of the
/// process on these files. SEALANE_OVERLAP is returned, and nothing written, if both are the same
/// regular file or block device.
///
/// # Safety
/// The rules of the header. No other thread closes a descriptor before this function returns.
/// `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn sealane_age_decrypt_fd(
    identities: *const sealane_age_identities,
    threads: usize,
    input: c_int,
    output: c_int,
    error: *mut sealane_age_error,
) -> sealane_status {
    // SAFETY: the header requires of the caller what `Caller::new` requires.
    let caller = unsafe { Caller::new() };
    guard_file(&caller, error, || {
        let identities = caller.shared(identities)?;
        let (input, output) = two_files(&caller, input, output)?;
        decrypt(identities, &*input, &*output, self::threads(threads))
    })
}

//! Files by path. Each thread reads, encrypts or decrypts, and writes at its own positions, unless
//! one of the files is armored, a pipe or a device: such files are streamed.

use std::fs::File;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use sealane_age::ReadAt;
use sealane_age::armor::ArmoredReader;
use sealane_age::stream::NONCE_BYTES;

use super::identity::{Identities, decryptor};
use super::python_file::Progress;
use super::recipient::Recipients;
use super::stream::{Failure, decrypt_all, encrypt_all};
use super::threads::threads as thread_count;
use crate::error;

/// The time between two reports of progress.
const INTERVAL: Duration = Duration::from_millis(100);

/// Opens a file. Opening a pipe waits for its other end, which may be opened by another thread of
/// Python.
pub(crate) fn open(py: Python<'_>, path: &Path) -> PyResult<File> {
    py.detach(|| File::open(path)).map_err(|error| error::at_path(error, path))
}

/// A file that counts what is read, and can be told to stop.
struct Counted {
    file: File,
    read: AtomicU64,
    stop: AtomicBool,
}

impl Counted {
    fn open(py: Python<'_>, path: &Path) -> PyResult<Self> {
        let file = open(py, path)?;
        Ok(Self { file, read: AtomicU64::new(0), stop: AtomicBool::new(false) })
    }

    fn count(&self, read: impl FnOnce() -> io::Result<usize>) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("stopped"));
        }
        let len = read()?;
        self.read.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }

    /// Returns the length if this is a regular file, which can be read at any position.
    fn regular_len(&self) -> Option<u64> {
        self.file.metadata().ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len())
    }
}

impl ReadAt for Counted {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        self.count(|| self.file.read_at(out, offset))
    }

    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }
}

impl Read for &Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.count(|| (&self.file).read(out))
    }
}

/// Runs `work` in another thread, and reports progress until it ends.
///
/// If a report fails, for example after Ctrl-C, the next read of the input fails, which ends
/// `work`. Returns the error of the report. A blocked write is not interrupted. If no thread can be
/// started, `work` runs in this one, and only its end is reported.
fn watch<E: Send>(
    py: Python<'_>,
    input: &Counted,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce() -> Result<(), E> + Send,
) -> PyResult<Result<(), E>> {
    let progress = Progress { call: progress, total: input.regular_len() };
    // A thread that cannot be started drops its closure, so `work` is not a part of it.
    let work = Mutex::new(Some(work));
    let run = || work.lock().unwrap_or_else(PoisonError::into_inner).take().expect("it runs once")();
    py.detach(|| {
        thread::scope(|scope| {
            let (ended, end) = mpsc::channel::<()>();
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                // Dropped when the work ends, even by a panic.
                let _ended = ended;
                run()
            });
            let mut reported = Ok(());
            while let Err(mpsc::RecvTimeoutError::Timeout) = end.recv_timeout(INTERVAL) {
                if reported.is_ok() {
                    let done = input.read.load(Ordering::Relaxed);
                    reported = Python::attach(|py| progress.report(py, done));
                    input.stop.store(reported.is_err(), Ordering::Relaxed);
                }
            }
            let result = match worker {
                Ok(worker) => worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) => run(),
            };
            reported?;
            // The last report must not replace the error of `work`.
            if result.is_ok() {
                let done = input.read.load(Ordering::Relaxed);
                Python::attach(|py| progress.report(py, done))?;
            }
            Ok(result)
        })
    })
}

/// Creates a file. The flag says whether it can be written at any position: pipes and devices
/// cannot.
fn create(py: Python<'_>, path: &Path) -> PyResult<(File, bool)> {
    let file = py.detach(|| File::create(path)).map_err(|error| error::at_path(error, path))?;
    let is_regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    Ok((file, is_regular))
}

#[pyfunction]
#[pyo3(signature = (source, target, recipients, *, armor, threads, progress))]
pub(crate) fn encrypt_file(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    recipients: &Bound<'_, PyAny>,
    armor: bool,
    threads: Option<NonZero<usize>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let recipients = Recipients::new(recipients)?;
    let encryptor = py.detach(|| recipients.encryptor(None))?;
    let (input, threads) = (Counted::open(py, &source)?, thread_count(threads));
    let (output, is_regular) = create(py, &target)?;
    watch(py, &input, progress, || match input.regular_len() {
        Some(_) if !armor && is_regular => encryptor.encrypt_at(&input, &output, threads).map(drop),
        _ => encrypt_all(encryptor, &input, &output, armor, threads),
    })?
    .map_err(error::copy)
}

#[pyfunction]
#[pyo3(signature = (source, target, identities, *, threads, progress))]
pub(crate) fn decrypt_file(
    py: Python<'_>,
    source: PathBuf,
    target: PathBuf,
    identities: &Bound<'_, PyAny>,
    threads: Option<NonZero<usize>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    let identities = Identities::new(identities)?;
    let (input, threads) = (Counted::open(py, &source)?, thread_count(threads));
    let must_stream = match input.regular_len() {
        // A second reader checks for armor, so that `input` stays unread.
        Some(_) => {
            let mut reader = ArmoredReader::new(open(py, &source)?);
            py.detach(|| reader.is_armored()).map_err(error::io)?
        }
        None => true,
    };
    let (output, is_regular) = create(py, &target)?;
    let work = || {
        if must_stream || !is_regular {
            return decrypt_all(&input, &output, &identities, threads);
        }
        // Bypasses the counter, because the decryptor reads ahead. The next line counts the header.
        let decryptor = decryptor(&input.file).map_err(Failure::Decrypt)?;
        input.read.store((decryptor.header().encoded_len() + NONCE_BYTES) as u64, Ordering::Relaxed);
        let reader = identities.decrypt(decryptor).map_err(Failure::Decrypt)?;
        reader.copy_at(&input, &output, threads).map(drop).map_err(Failure::Copy)
    };
    watch(py, &input, progress, work)?.map_err(Failure::into_exception)
}

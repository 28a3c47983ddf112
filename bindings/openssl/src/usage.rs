//! Counts what the provider does, to prove that it is used.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, IntoRawFd as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::process;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The algorithms that are counted, in this order.
pub(crate) const COUNTED: [&str; 4] = ["ChaCha20-Poly1305", "XChaCha20-Poly1305", "ChaCha20", "Poly1305"];

/// The sums of all contexts that were freed, and the file for them.
pub(crate) struct Usage {
    file: Option<Statistics>,
    /// The process that the counts belong to.
    process: AtomicU32,
    counts: [Count; COUNTED.len()],
}

/// The open file, and what identifies it. A program that becomes a daemon closes all descriptors,
/// and another file may then get the same descriptor.
struct Statistics {
    file: File,
    identity: (u64, u64),
}

impl Statistics {
    /// Opens a regular file. In a folder such as /tmp, another user could have put a link or a FIFO
    /// there, to have lines written elsewhere, or to make programs wait.
    fn open(path: &str) -> io::Result<Self> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let mut file = OpenOptions::new().append(true).create(true).custom_flags(flags).open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        if file.as_raw_fd() <= libc::STDERR_FILENO {
            // The program was started without a standard stream, and what it prints must not get
            // into the file. The duplicate's number is 3 or higher.
            file = file.try_clone()?;
        }
        Ok(Self { identity: identity(&file)?, file })
    }

    /// Returns the file if its descriptor is still open and does not belong to another file.
    fn file(&self) -> Option<&File> {
        (identity(&self.file).ok()? == self.identity).then_some(&self.file)
    }
}

fn identity(file: &File) -> io::Result<(u64, u64)> {
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

#[derive(Default)]
struct Count {
    updates: AtomicU64,
    bytes: AtomicU64,
}

impl Usage {
    /// Opens the file now, because the process may drop its privileges later.
    pub(crate) fn new(path: Option<&str>) -> Result<Self, String> {
        let open = |path| Statistics::open(path).map_err(|error| format!("statistics = {path}: {error}"));
        let file = path.map(open).transpose()?;
        Ok(Self { file, process: AtomicU32::new(process::id()), counts: Default::default() })
    }

    /// Returns the counts of this process. A forked process starts at 0, because its parent writes
    /// its own counts. If several of its threads free their first contexts at the same time, some
    /// of these counts may be lost.
    fn counts(&self) -> &[Count; COUNTED.len()] {
        let process = process::id();
        if self.process.swap(process, Relaxed) != process {
            for count in &self.counts {
                count.updates.store(0, Relaxed);
                count.bytes.store(0, Relaxed);
            }
        }
        &self.counts
    }

    /// Appends a line for each algorithm that was used.
    pub(crate) fn write(&self) {
        let Some(mut file) = self.file.as_ref().and_then(Statistics::file) else { return };
        for (name, count) in COUNTED.iter().zip(self.counts()) {
            let (updates, bytes) = (count.updates.load(Relaxed), count.bytes.load(Relaxed));
            if updates > 0 {
                // One call, so that lines of several processes are not mixed. An error is ignored,
                // because the process is ending.
                let line = format!("{} {name}: {updates} updates, {bytes} bytes\n", process::id());
                let _ = file.write_all(line.as_bytes());
            }
        }
    }
}

impl Drop for Usage {
    fn drop(&mut self) {
        if let Some(statistics) = self.file.take()
            && statistics.file().is_none()
        {
            // The descriptor is not ours any more, so it is not closed.
            let _ = statistics.file.into_raw_fd();
        }
    }
}

/// The counts of one context. They are added to the sums when the context is freed, so that threads
/// do not write to the same memory all the time.
pub(crate) struct Tally {
    algorithm: usize,
    updates: u64,
    bytes: u64,
}

impl Tally {
    pub(crate) fn new(algorithm: usize) -> Self {
        Self { algorithm, updates: 0, bytes: 0 }
    }

    /// Counts an update that has succeeded.
    pub(crate) fn count(&mut self, bytes: usize) {
        self.updates = self.updates.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes as u64);
    }

    pub(crate) fn add_to(&self, usage: &Usage) {
        if usage.file.is_none() {
            return;
        }
        let count = &usage.counts()[self.algorithm];
        for (sum, own) in [(&count.updates, self.updates), (&count.bytes, self.bytes)] {
            // The closure always returns a sum, so this does not fail.
            let _ = sum.fetch_update(Relaxed, Relaxed, |sum| Some(sum.saturating_add(own)));
        }
    }
}

//! `sealane verify` decrypts and authenticates files, and writes nothing.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use sealane_age::Threads;
use sealane_age::armor::ArmoredReader;
use sealane_age::folder::verify_file;

use crate::args::VerifyArgs;
use crate::error::{Error, Result, of_plaintext};
use crate::folder::sealed::{self, Opening, Sealed};
use crate::folder::{Failure, Failures, Source, no_encrypted_files, run as work};
use crate::io::old_header::{self, Repair};
use crate::io::output::print;
use crate::io::progress::Progress;
use crate::io::stdin::StdinUse;
use crate::keys::file_keys::{AllowPassphrase, Openers};

/// Verifies one file, or many.
pub(crate) fn run(args: &VerifyArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let openers = Arc::new(Openers::load(&args.keys, &stdin)?);
    let run = Run {
        opening: Opening {
            openers,
            backend: crate::os::backend::chosen()?,
            // For the files of folders. Those that are named themselves are verified one by one.
            passphrase: AllowPassphrase::No,
            repair: Repair::InMemory,
        },
        stdin,
        threads: args.threads.threads(),
        // The user has to know all damaged files.
        failures: Failures::all_shown(),
        count: Count::default(),
        folders: AtomicUsize::default(),
    };
    match args.inputs.inputs.as_slice() {
        [] => run.count.add(run.file(None)?),
        [only] if !only.is_dir() => run.count.add(run.file(Some(only))?),
        [only] => run.folder(&run.find(only, !args.no_manifest)?)?,
        inputs => inputs.iter().try_for_each(|input| run.input(input, !args.no_manifest))?,
    }
    print(format!("{}\n", run.count).as_bytes())?;
    run.verdict()
}

/// The number of intact files.
#[derive(Default)]
struct Count {
    files: AtomicU64,
    /// The total length of their plaintexts in bytes.
    bytes: AtomicU64,
}

impl Count {
    /// Counts a file with `bytes` of plaintext.
    fn add(&self, bytes: u64) {
        self.files.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (files, bytes) = (self.files.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed));
        let (noun, verb) = if files == 1 { ("file", "is") } else { ("files", "are") };
        write!(f, "{files} {noun} with {} {verb} intact", of_plaintext(bytes))
    }
}

/// A run over all inputs.
struct Run {
    opening: Opening,
    stdin: StdinUse,
    threads: Threads,
    failures: Failures,
    count: Count,
    /// The number of failures that are of whole folders.
    folders: AtomicUsize,
}

impl Run {
    /// Counts and prints the failure of a folder.
    fn add_folder(&self, error: &Error) {
        self.folders.fetch_add(1, Ordering::Relaxed);
        self.failures.add(error);
    }

    /// Returns the result of the run. The failures that were printed have their own hints.
    fn verdict(&self) -> Result<()> {
        let folders = self.folders.load(Ordering::Relaxed);
        let files = self.failures.count() - folders;
        let all = files + self.count.files.load(Ordering::Relaxed) as usize;
        let of_files = (files > 0).then(|| format!("{files} of {all} files"));
        let of_folders = match folders {
            0 => None,
            1 => Some("1 folder".to_owned()),
            several => Some(format!("{several} folders")),
        };
        let failed: Vec<_> = of_files.into_iter().chain(of_folders).collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(Error::new(format!("{} failed verification", failed.join(" and "))))
    }

    /// Verifies one of several inputs, which may be a folder. Only an error that concerns all files
    /// ends the run; others are counted and printed.
    fn input(&self, input: &Path, with_manifest: bool) -> Result<()> {
        if input.is_dir() {
            match self.find(input, with_manifest) {
                Ok(folder) => return self.folder(&folder),
                Err(error) => self.add_folder(&error),
            }
        } else {
            match self.file(Some(input)) {
                Ok(bytes) => self.count.add(bytes),
                Err(error) => self.failures.add(&error.in_context(&crate::error::quoted(input))),
            }
        }
        Ok(())
    }

    /// Finds the files of a folder. If its manifest is not used, the folder must have encrypted
    /// files.
    fn find(&self, folder: &Path, with_manifest: bool) -> Result<Sealed> {
        let found = self.opening.folder(folder, with_manifest)?;
        let is_empty = !with_manifest && found.plan.files.is_empty() && found.plan.failures.is_empty();
        if is_empty { Err(no_encrypted_files(folder)) } else { Ok(found) }
    }

    /// Verifies a file that is named by itself, or standard input. Returns the length of its
    /// plaintext.
    fn file(&self, path: Option<&Path>) -> Result<u64> {
        let mut input = old_header::open_input(path, &self.stdin, self.opening.repair)?;
        if input.is_terminal {
            input.take_pasted_armor()?;
        }
        input.refuse_mangled()?;
        let Opening { openers, backend, .. } = &self.opening;
        let reader = ArmoredReader::new(input.reader);
        let reader = openers.decrypt(reader, &input.name, AllowPassphrase::Yes, *backend);
        let reader = reader.map_err(|error| old_header::explain(error, path))?;
        let shown = input.progress.show(input.len, input.is_terminal);
        let verified = verify_file(reader, None, self.threads);
        drop(shown);
        verified.map_err(|fault| sealed::explain_fault(fault, &input.name))
    }

    /// Verifies the files of a folder.
    fn folder(&self, folder: &Sealed) -> Result<()> {
        let Sealed { plan, expected, incomplete, others } = folder;
        let progress = Progress::default();
        incomplete.iter().for_each(|error| self.add_folder(error));
        others.iter().chain(&plan.failures).for_each(|error| self.failures.add(error));
        let one = |source: &Source, threads: Threads| {
            let file = self.opening.open(source)?;
            let name = file.name.clone();
            let reader = self.opening.decrypt(file, expected, source, &progress)?;
            let verified = verify_file(reader, expected.get(&source.name), threads);
            let size = verified.map_err(|fault| Failure::This(sealed::explain_fault(fault, &name)))?;
            self.count.add(size);
            Ok(())
        };
        let _shown = progress.show(Some(plan.len()), false);
        work(&plan.files, self.threads, &progress, &self.failures, one)
    }
}

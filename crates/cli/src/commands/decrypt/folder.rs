//! Decrypts many files, or a single one, into a folder, and compares encrypted folders with their
//! manifests.

use std::collections::HashSet;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use sealane_age::Threads;
use sealane_age::folder::{OpenFileError, leads_out, open_file};

use crate::args::{DecryptArgs, OpeningArgs};
use crate::error::{Error, Result, quoted};
use crate::folder::sealed::{self, Entries, Opening, Sealed};
use crate::folder::{
    Attributes, Checked, Destination, Direction, Failure, Failures, Id, Link, Plan, Purpose, Record, Source, Stamp,
    Target, mode, refuse_within, resumable, root, run as work, single,
};
use crate::io::old_header::Repair;
use crate::io::progress::Progress;
use crate::io::stdin::StdinUse;
use crate::keys::file_keys::{AllowPassphrase, Openers};

/// Decrypts the input files and folders into the output folder.
pub(super) fn run(args: &DecryptArgs) -> Result<()> {
    let OpeningArgs { keys, threads, decryption, folder, inputs } = &args.opening;
    let (inputs, threads, root) = (&inputs.inputs, threads.threads(), root(&args.output));
    let openers = Arc::new(Openers::load(keys, &StdinUse::default())?);
    let passphrase = if single(inputs).is_some() { AllowPassphrase::Yes } else { AllowPassphrase::No };
    let opening = Opening { openers, backend: crate::os::backend::chosen()?, passphrase, repair: Repair::InFile };
    let Sealed { mut plan, expected, .. } = opening.find(inputs, !folder.no_manifest)?;
    refuse_within(root, inputs, &plan)?;
    if !decryption.allow_external_links {
        refuse_leaving(&mut plan);
    }

    let with_manifest = !folder.no_manifest && single(inputs).is_none();
    let purpose = Purpose::new(inputs).with("decrypt").with(with_manifest.to_string());
    let is_result = |source: &Source, file: &File| {
        let found = file.metadata()?;
        Ok(match expected.get(&source.name) {
            Some(known) => known.attributes.has_time_of(&found) && known.size == found.len(),
            None => Attributes::of(&source.open()?.metadata()?).has_time_of(&found),
        })
    };
    let direction = Direction::Open;
    let Some(destination) = Destination::prepare(root, purpose, mode(*folder, inputs), &plan, direction, is_result)?
    else {
        return Ok(());
    };

    let (progress, failures) = (Progress::default(), Failures::default());
    plan.failures.iter().chain(&destination.failures).for_each(|error| failures.add(error));
    let shown = progress.show(Some(plan.len()), false);
    let run = Run { opening, expected, destination, progress: &progress };
    if let (Some(_), [source]) = (single(inputs), &plan.files[..]) {
        let opened = run.open(source, threads);
        drop(shown);
        opened.map_err(Failure::into_error)?;
        run.destination.sync()?;
        return run.destination.finish(&plan, true);
    }
    work(&plan.files, threads, &progress, &failures, |source, threads| run.open(source, threads)).map_err(resumable)?;
    drop(shown);
    // Links come last, so that no file is written through one.
    for link in &plan.links {
        if let Err(error) = run.destination.link(link) {
            failures.add(&error);
        }
    }
    run.destination.sync().map_err(resumable)?;
    run.destination.finish(&plan, failures.count() == 0)?;
    failures.verdict(plan.files.len() + plan.failures.len(), "decrypted")
}

/// The settings that all files share.
struct Run<'a> {
    opening: Opening,
    expected: Entries,
    destination: Destination,
    progress: &'a Progress,
}

impl Run<'_> {
    /// Decrypts a file, unless an earlier run has decrypted it.
    fn open(&self, source: &Source, threads: Threads) -> Result<(), Failure> {
        let file = self.opening.open(source)?;
        let (name, metadata) = (file.name.clone(), file.metadata.clone());
        let (stamp, known) = (Stamp::of(&metadata), self.expected.get(&source.name));
        if let Some(record) = self.destination.done(&source.name, stamp)
            && known.is_none_or(|known| known.id == record.id)
        {
            self.progress.skip(metadata.len());
            return Ok(());
        }
        let reader = self.opening.decrypt(file, &self.expected, source, self.progress)?;
        let id = Id(reader.file_id());
        // Without an entry in a manifest, the mode is left out: the permissions of the encrypted
        // file do not apply to the plaintext.
        let attributes = known.map_or_else(|| Attributes::of(&metadata).without_mode(), |known| known.attributes);
        let write = |output: &mut Checked<Target<'_>>| match open_file(reader, known, output, threads) {
            Ok((size, _)) => Ok(size),
            Err(OpenFileError::Fault(fault)) => Err(Failure::This(sealed::explain_fault(fault, &name))),
            Err(OpenFileError::Write(error)) => Err(Failure::of_write(error)),
            Err(error) => Err(Failure::This(Error::new(format!("{name}: {error}")))),
        };
        let record = |check, size| Record { name: source.name.clone(), source: stamp, id, size, check };
        self.destination.write(&source.name, attributes, write, record).map(drop)
    }
}

/// Turns links that lead out of the folder into failures.
fn refuse_leaving(plan: &mut Plan) {
    if plan.links.is_empty() {
        return;
    }
    // Like the library, this counts folders that the manifest does not list, but that entries need.
    let folders: HashSet<PathBuf> = plan.folders().into_iter().map(|(path, _)| path.to_owned()).collect();
    let leaves = |link: &mut Link| leads_out(&link.name, &link.target, |path| folders.contains(path));
    plan.failures.extend(plan.links.extract_if(.., leaves).map(|link| {
        let target = quoted(&link.target);
        Error::new(format!("the link {} leads out of the folder, to {target}, and was not created", link.name))
            .hint("--allow-external-links creates it, if you trust the maker of the folder")
    }));
}

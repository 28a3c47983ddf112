//! Encrypts many files into a folder, and writes a manifest of them unless --no-manifest is given.
//! Encrypts a single file into a folder without a manifest.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use sealane_age::armor::ArmoredWriter;
use sealane_age::folder::{collision, seal_file};
use sealane_age::threshold::Label;
use sealane_age::{CopyError, Encryptor, Threads};
use zeroize::Zeroizing;

use crate::args::{EncryptArgs, SealingArgs};
use crate::error::explain::{encrypt_error, read_error};
use crate::error::{Error, Result, quoted, warn};
use crate::folder::{
    Attributes, Destination, Direction, Entry, Failure, Failures, Id, Manifest, ManifestUse, Name, Plan, Purpose,
    Record, Source, Stamp, Target, is_complete, mode, refuse_within, resumable, root, run as work, single,
};
use crate::io::progress::{Progress, Watched};
use crate::io::stdin::StdinUse;
use crate::keys::encrypt_to::{build, collect, recipients, with_threshold};
use crate::keys::passphrase::Passphrases;
use crate::keys::recipients::SharedRecipient;

/// Encrypts.
pub(super) fn run(args: &EncryptArgs) -> Result<()> {
    let EncryptArgs { sealing: SealingArgs { output, armor, recipients: named }, identities, inputs, .. } = args;
    let (inputs, threads, root) = (&inputs.inputs, args.threads.threads(), root(output));
    let backend = crate::os::backend::chosen()?;
    let stdin = StdinUse::default();
    // A single file has no manifest: no other file could be missing.
    let single = single(inputs);
    let manifest = match (args.folder.no_manifest, single) {
        (true, _) => ManifestUse::Ignore,
        (false, Some(_)) => ManifestUse::Refuse,
        (false, None) => ManifestUse::Write,
    };
    let with_manifest = manifest == ManifestUse::Write;
    let passphrases = Passphrases::new(&stdin);
    let (names, recipients) = if named.passphrase {
        (Zeroizing::default(), recipients(named, &identities.given, &stdin, &passphrases)?)
    } else {
        let collected = collect(named, &identities.given, &stdin, &passphrases)?;
        (collected.names(), build(named, collected)?)
    };
    let label = named.label.as_ref().map(Label::as_str);
    let flags = format!("{:?} {label:?} {} {with_manifest}", named.threshold, armor.armor);
    let purpose = Purpose::new(inputs).with("encrypt").with(names).with(flags);
    let sealing = Sealing { args: &args.sealing, recipients: &recipients, backend };
    if !named.passphrase {
        // Check the recipients before anything is created.
        sealing.encryptor()?;
    }

    let plan = Plan::to_encrypt(inputs)?;
    refuse_within(root, inputs, &plan)?;
    refuse_collisions(&plan)?;
    let direction = Direction::Seal(manifest);
    let is_result = |source: &Source, file: &File| {
        let metadata = source.open()?.metadata()?;
        let has_time = Attributes::of(&metadata).has_time_of(&file.metadata()?);
        Ok(has_time && is_complete(file, Some((armor.armor, metadata.len())))?)
    };
    let Some(destination) =
        Destination::prepare(root, purpose, mode(args.folder, inputs), &plan, direction, is_result)?
    else {
        // Without an identity, the files do not show who their recipients are.
        warn("the earlier run was complete: nothing was done; its recipients were not checked");
        return Ok(());
    };

    if !with_manifest && !plan.links.is_empty() {
        let are = if plan.links.len() == 1 { "link is" } else { "links are" };
        warn(format!("{} symbolic {are} left out: only a manifest could keep them", plan.links.len()));
    }
    let (progress, failures, entries) = (Progress::default(), Failures::default(), Mutex::new(HashMap::new()));
    plan.failures.iter().chain(&destination.failures).for_each(|error| failures.add(error));
    let shown = progress.show(Some(plan.len()), false);
    if let (Some(_), [source]) = (single, &plan.files[..]) {
        let sealed = sealing.seal(source, &destination, threads, &progress);
        drop(shown);
        sealed.map_err(Failure::into_error)?;
        destination.sync()?;
        return destination.finish(&plan, true);
    }
    work(&plan.files, threads, &progress, &failures, |source, threads| {
        let (record, attributes) = sealing.seal(source, &destination, threads, &progress)?;
        let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.insert(record.name, (record.id, record.size, attributes));
        Ok(())
    })
    .map_err(resumable)?;
    drop(shown);
    destination.sync().map_err(resumable)?;
    if with_manifest {
        let entries = entries.into_inner().unwrap_or_else(PoisonError::into_inner);
        let written = destination.write_manifest(|output| sealing.write_manifest(&plan, entries, output));
        written.map_err(resumable)?;
    }
    destination.finish(&plan, failures.count() == 0)?;
    failures.verdict(plan.files.len() + plan.failures.len(), "encrypted")
}

/// Refuses files whose encrypted form would get the name of a folder.
fn refuse_collisions(plan: &Plan) -> Result<()> {
    let files = plan.files.iter().map(|file| &file.name);
    match collision(files, plan.directories.iter().map(|directory| &directory.name)) {
        Some((file, folder)) => {
            Err(Error::new(format!("{file} would become {folder}, which is a folder")).hint("rename one of them first"))
        }
        None => Ok(()),
    }
}

/// The settings that all files share.
struct Sealing<'a> {
    args: &'a SealingArgs,
    recipients: &'a [SharedRecipient],
    backend: sealane_age::Backend,
}

impl Sealing<'_> {
    fn encryptor(&self) -> Result<Encryptor> {
        let encryptor = with_threshold(&self.args.recipients, self.recipients, |recipients| {
            Encryptor::with_recipients(recipients.iter().copied()).map_err(encrypt_error)
        })?;
        Ok(encryptor.with_backend(self.backend))
    }

    /// Encrypts a file, unless an earlier run has encrypted it.
    fn seal(
        &self,
        source: &Source,
        destination: &Destination,
        threads: Threads,
        progress: &Progress,
    ) -> Result<(Record, Attributes), Failure> {
        let name = quoted(&source.path);
        let failed = |error: io::Error| Failure::This(read_error(error, &name));
        let file = source.open().map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(failed(io::Error::other("it is not a regular file any more")));
        }
        let (stamp, attributes) = (Stamp::of(&metadata), Attributes::of(&metadata));
        if let Some(record) = destination.done(&source.name, stamp) {
            progress.skip(metadata.len());
            return Ok((record.clone(), attributes));
        }
        let encryptor = self.encryptor().map_err(Failure::All)?;
        let record = destination.write(
            &source.name,
            attributes,
            |output| {
                let written = self.write(encryptor, Watched::new(&file, progress), output, threads);
                let written = written.map_err(|error| Failure::of_copy(error, |error| read_error(error, &name)))?;
                // The result could have parts of the old content and of the new one.
                if Stamp::of(&file.metadata().map_err(failed)?) != stamp {
                    return Err(Failure::This(Error::new(format!("{name} changed while it was read"))));
                }
                Ok(written)
            },
            |check, (size, id)| Record { name: source.name.clone(), source: stamp, id, size, check },
        )?;
        Ok((record, attributes))
    }

    /// Writes an encrypted file. Returns the length of the plaintext, and the id of the file.
    fn write(
        &self,
        encryptor: Encryptor,
        input: impl Read,
        output: impl io::Write + Send,
        threads: Threads,
    ) -> Result<(u64, Id), CopyError> {
        let output = ArmoredWriter::with_format(output, self.args.armor.format());
        let (size, id, writer) = seal_file(encryptor, input, output, threads)?;
        writer.finish().map_err(CopyError::Write)?;
        Ok((size, id))
    }

    /// Writes the manifest, which is encrypted like the files.
    fn write_manifest(
        &self,
        plan: &Plan,
        files: HashMap<Name, (Id, u64, Attributes)>,
        output: &mut Target<'_>,
    ) -> Result<()> {
        let directories = plan
            .directories
            .iter()
            .map(|directory| Entry::Directory { name: directory.name.clone(), attributes: directory.attributes });
        let links = plan.links.iter().map(|link| Entry::Link { name: link.name.clone(), target: link.target.clone() });
        // Entries are in the order in which they were found.
        let files = plan.files.iter().filter_map(|file| {
            let &(id, size, attributes) = files.get(&file.name)?;
            Some(Entry::File { name: file.name.clone(), size, id, attributes })
        });
        let cannot = |error| Error::from_io("cannot write the manifest", error);
        let mut writer = self
            .encryptor()?
            .wrap_output(ArmoredWriter::with_format(output, self.args.armor.format()))
            .map_err(cannot)?;
        Manifest::write(&mut writer, directories.chain(links).chain(files)).map_err(cannot)?;
        writer.finish().and_then(ArmoredWriter::finish).map(drop).map_err(cannot)
    }
}

//! Decrypts many files, and compares encrypted folders with their manifests.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use sealane_age::armor::ArmoredReader;
use sealane_age::{Backend, Threads};

use crate::args::FileArgs;
use crate::error::explain::{manifest_error, payload_error};
use crate::error::{Error, Result, quoted, warn};
use crate::folder::{
    Attributes, Checked, Destination, Direction, Directory, Expected, Failure, Failures, Id, JOURNAL, Known, Link,
    MANIFEST, Manifest, Name, Plan, Purpose, Record, Source, Stamp, Target, is_among, leaves, mode, refuse_within,
    root, run as work, single,
};
use crate::io::old_header::{self, Place};
use crate::io::progress::{Progress, Watched};
use crate::io::stdin::StdinUse;
use crate::keys::file_keys::Openers;
use crate::keys::passphrase::Passphrases;
use crate::os::dir::Dir;

/// Decrypts.
pub(super) fn run(args: &FileArgs) -> Result<()> {
    let stdin = StdinUse::default();
    let openers = Openers::load(args, &stdin, Passphrases::new(&stdin))?;
    let opening = Opening { openers, backend: crate::backend()? };
    refuse_within(root(args), &args.many)?;
    let Sealed { mut plan, expected } = opening.look(&args.many, !args.no_manifest)?;
    if !args.allow_external_links {
        refuse_leaving(&mut plan);
    }

    let purpose = Purpose::new(&args.many).with("decrypt");
    let known = |source: &Source| match expected.get(&source.name) {
        Some(known) => Ok(Expected { attributes: known.attributes, len: Some(known.size) }),
        None => Ok(Expected { attributes: Attributes::of(&source.open()?.metadata()?), len: None }),
    };
    let direction = Direction::Open;
    let Some(destination) = Destination::prepare(root(args), purpose, mode(args), &plan, direction, known)? else {
        return Ok(());
    };

    let (progress, failures) = (Progress::default(), Failures::default());
    plan.failures.iter().for_each(|error| failures.add(error));
    let shown = progress.show(Some(plan.len()), false);
    if let (Some(_), [source]) = (single(args), &plan.files[..]) {
        let opened = opening.open(source, &expected, &destination, args.threads(), &progress);
        drop(shown);
        opened.map_err(Failure::into_error)?;
        destination.sync()?;
        return destination.finish(&plan, true);
    }
    work(&plan.files, args.threads(), &progress, &failures, |source, threads| {
        opening.open(source, &expected, &destination, threads, &progress)
    })?;
    drop(shown);
    // Links come last, so that no file is written through one.
    for link in &plan.links {
        if let Err(error) = destination.link(link) {
            failures.add(&error);
        }
    }
    destination.sync()?;
    destination.finish(&plan, failures.count() == 0)?;
    failures.verdict(plan.files.len() + plan.failures.len(), "decrypted")
}

/// The files to decrypt.
#[derive(Default)]
struct Sealed {
    plan: Plan,
    /// The entries of the manifests.
    expected: BTreeMap<Name, Known>,
}

/// The settings that all files share.
struct Opening {
    openers: Openers,
    backend: Backend,
}

impl Opening {
    /// Finds all files in the files and folders `inputs`.
    fn look(&self, inputs: &[PathBuf], with_manifests: bool) -> Result<Sealed> {
        let mut sealed = Sealed::default();
        for input in inputs {
            if !input.is_dir() {
                let name = input.file_name().and_then(|name| Name::opened(Path::new(name)));
                sealed.plan.take_file(input, Some(name.ok_or_else(|| not_sealed(input))?))?;
                continue;
            }
            let (mut found, mut others) = (Plan::default(), Vec::new());
            found.walk(input, |within, is_folder| match Name::opened(within) {
                // The folder itself, its manifest and its journal.
                _ if ["", MANIFEST, JOURNAL].iter().any(|own| within == Path::new(own)) => None,
                // An old header of `sealane rekey`, which is used with its file.
                _ if within.file_name().is_some_and(old_header::is_name) => None,
                _ if is_folder => Name::new(within),
                None => {
                    others.push(not_sealed(&input.join(within)));
                    None
                }
                name => name,
            });
            if Dir::open(input).is_ok_and(|folder| folder.has(Path::new(JOURNAL))) {
                warn(format!("the run that sealed {} was interrupted, or could not seal all files", quoted(input)));
            }
            found.failures.extend(found.links.drain(..).map(|link| is_link(&input.join(link.name.sealed()))));
            if with_manifests {
                found.failures.extend(others);
                sealed.add(found, self.manifest(input)?, input);
            } else {
                others.iter().for_each(|other| warn(other.to_string()));
                let folders = &mut found.directories;
                folders.iter_mut().for_each(|folder| folder.attributes = folder.attributes.without_mode());
                sealed.plan.append(found);
            }
        }
        sealed.plan = sealed.plan.check()?;
        Ok(sealed)
    }

    /// Reads the manifest of the folder.
    fn manifest(&self, folder: &Path) -> Result<Manifest> {
        let path = folder.join(MANIFEST);
        let name = quoted(&path);
        let place = Dir::open(folder).and_then(|root| Place::below(&root, Path::new(MANIFEST), &path));
        let opened = place.and_then(|place| old_header::open(&place));
        let (_, reader) = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::new(format!("{} has no manifest", quoted(folder)))
                .hint("--no-manifest goes without: then nobody can tell whether files are missing, or were exchanged"),
            _ => Error::io(format!("cannot open {name}"), &error),
        })?;
        let reader = self.openers.decrypt(ArmoredReader::new(reader), &name, self.backend);
        reader
            .and_then(|reader| Manifest::read(reader).map_err(manifest_error))
            .map_err(|error| error.in_context(&name))
    }

    /// Decrypts a file, unless an earlier run has.
    fn open(
        &self,
        source: &Source,
        expected: &BTreeMap<Name, Known>,
        destination: &Destination,
        threads: Threads,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let name = quoted(&source.path);
        let this = |error: io::Error| Failure::This(Error::io(format!("cannot read {name}"), &error));
        let place = source.place().map_err(this)?;
        let (file, reader) = old_header::open(&place).map_err(this)?;
        let metadata = file.metadata().map_err(this)?;
        let (stamp, known) = (Stamp::of(&metadata), expected.get(&source.name));
        if let Some(record) = destination.done(&source.name, stamp)
            && known.is_none_or(|known| known.id == record.id)
        {
            progress.skip(metadata.len());
            return Ok(());
        }
        let reader = ArmoredReader::new(Watched::new(reader, progress));
        let reader = self.openers.decrypt(reader, &name, self.backend);
        let reader = reader.map_err(|error| Failure::This(old_header::explain_at(error, &place)))?;
        let id = Id(reader.file_id());
        if known.is_some_and(|known| known.id != id) {
            return Err(Failure::This(exchanged(&name, expected, id)));
        }
        // The plaintext does not get the rights that others have to the encrypted file.
        let attributes = known.map_or_else(|| Attributes::of(&metadata).without_mode(), |known| known.attributes);
        let write = |output: &mut Checked<Target<'_>>| {
            let written = reader
                .copy_to(&mut *output, threads)
                .map_err(|error| Failure::of_copy(error, |error| payload_error(error, &name)))?;
            let size = written.count();
            match known {
                Some(known) if known.size != size => Err(Failure::This(other_size(&name, known.size, size))),
                _ => Ok(size),
            }
        };
        let record = |check, size| Record { name: source.name.clone(), source: stamp, id, size, check };
        destination.write(&source.name, attributes, write, record).map(drop)
    }
}

impl Sealed {
    /// Adds the files of a folder that are in its manifest.
    fn add(&mut self, mut found: Plan, manifest: Manifest, folder: &Path) {
        let shown = |name: &Path| quoted(folder.join(name));
        let added = |name: &Path| {
            Error::new(format!("{} is not in the manifest: it was added, and is not decrypted", shown(name)))
        };
        let (known, unknown): (Vec<_>, Vec<_>) =
            found.files.into_iter().partition(|file| manifest.files.contains_key(&file.name));
        found.failures.extend(unknown.iter().map(|file| added(&file.name.sealed())));
        let there: HashSet<_> = known.iter().map(|file| &file.name).collect();
        let missing = manifest.files.keys().filter(|name| !there.contains(name));
        found.failures.extend(
            missing.map(|name| Error::new(format!("{} is missing: it is in the manifest", shown(&name.sealed())))),
        );
        found.files = known;
        found.directories = directories(manifest.directories);
        found.links = manifest.links.into_iter().map(|(name, target)| Link { name, target }).collect();
        self.expected.extend(manifest.files);
        self.plan.append(found);
    }
}

/// Turns links that lead out of the folder into failures.
fn refuse_leaving(plan: &mut Plan) {
    let is_folder = is_among(plan.directories.iter().map(|directory| &directory.name));
    let (leaving, links) = std::mem::take(&mut plan.links).into_iter().partition(|link| leaves(link, &is_folder));
    plan.links = links;
    plan.failures.extend(Vec::into_iter(leaving).map(|link: Link| {
        let target = quoted(&link.target);
        Error::new(format!("the link {} leads out of the folder, to {target}, and is not made", link.name))
            .hint("--allow-external-links makes it, if you trust whoever made the folder")
    }));
}

fn directories(known: BTreeMap<Name, Attributes>) -> Vec<Directory> {
    known.into_iter().map(|(name, attributes)| Directory { name, attributes }).collect()
}

fn is_link(path: &Path) -> Error {
    Error::new(format!("{} is a link, and is not followed", quoted(path)))
}

/// Explains a wrong length. Only a person who can open the file could have kept its id.
fn other_size(name: &str, known: u64, size: u64) -> Error {
    Error::new(format!(
        "{name} has {size} bytes, and {known} in the manifest: one of those who can open it has changed it"
    ))
}

fn not_sealed(path: &Path) -> Error {
    Error::new(format!("{} is not the name of an encrypted file: it does not end in .age", quoted(path)))
        .hint("decrypt it by itself, with -o FILE")
}

/// Explains that the manifest has another file under this name.
fn exchanged(name: &str, expected: &BTreeMap<Name, Known>, id: Id) -> Error {
    let error = Error::new(format!("{name} is not the file that was encrypted under this name, and is not decrypted"));
    match expected.iter().find(|(_, known)| known.id == id) {
        Some((other, _)) => error.hint(format!("it is the one of {other}")),
        None => error.hint("somebody has exchanged it; or it was encrypted again, without the folder's manifest"),
    }
}

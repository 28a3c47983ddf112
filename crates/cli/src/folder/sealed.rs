//! Finds and opens the encrypted files to decrypt or verify, and compares them with the manifests
//! of their folders.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR_STR, Path, PathBuf};
use std::sync::Arc;

use sealane_age::armor::ArmoredReader;
use sealane_age::folder::{Attributes, FileFault, Id, JOURNAL, Known, MANIFEST, Manifest, Name};
use sealane_age::{Backend, StreamReader};

use super::encrypted::{fault_of_name, not_followed};
use super::journal;
use super::plan::{Directory, Link, Plan, Source, not_allowed};
use super::run::Failure;
use crate::error::explain::{manifest_error, payload_error};
use crate::error::{Error, Result, quoted, warn};
use crate::io::old_header::{self, Place, Repair};
use crate::io::output::Temporary;
use crate::io::progress::{Progress, Watched};
use crate::keys::file_keys::{AllowPassphrase, Openers};
use crate::os::dir::Dir;

/// Encrypted files, and their entries in manifests.
#[derive(Default)]
pub(crate) struct Sealed {
    pub(crate) plan: Plan,
    pub(crate) expected: Entries,
    /// An error for each folder whose encryption was interrupted, or failed for some files.
    pub(crate) incomplete: Vec<Error>,
    /// An error for each file in a folder with a manifest that is left out because of its name.
    pub(crate) others: Vec<Error>,
}

/// The entries of files in the manifests.
#[derive(Default)]
pub(crate) struct Entries {
    /// The entries of the files that are in their folders. A missing file has no entry here: a file
    /// of the same name may come from elsewhere.
    present: BTreeMap<Name, Known>,
    /// The names in all entries.
    names: HashMap<Id, Name>,
    /// The id of the manifest, if all entries are of one.
    manifest: Option<Id>,
}

impl Entries {
    /// Returns the entry of the file that is decrypted under this name, if a manifest lists it.
    pub(crate) fn get(&self, name: &Name) -> Option<&Known> {
        self.present.get(name)
    }

    /// Refuses the file `source`, which has this id, if a manifest lists another file in its place,
    /// or if it is in the place of the manifest itself.
    pub(crate) fn check(&self, source: &Source, id: Id) -> Result<()> {
        let manifest = self.manifest.filter(|_| self.is_manifest(source));
        match self.get(&source.name).map(|entry| entry.id).or(manifest) {
            Some(expected) if expected != id => Err(exchanged(&quoted(&source.path), self, id)),
            _ => Ok(()),
        }
    }

    /// Returns whether `source` is the manifest of these entries.
    pub(crate) fn is_manifest(&self, source: &Source) -> bool {
        self.manifest.is_some() && source.name.as_path() == Path::new(MANIFEST)
    }

    fn extend(&mut self, other: Self) {
        self.present.extend(other.present);
        self.names.extend(other.names);
    }
}

/// The settings for opening all files.
pub(crate) struct Opening {
    pub(crate) openers: Arc<Openers>,
    pub(crate) backend: Backend,
    pub(crate) passphrase: AllowPassphrase,
    /// The treatment of files in which a change of the header was interrupted.
    pub(crate) repair: Repair,
}

/// An encrypted file that is open, and not yet decrypted.
pub(crate) struct Encrypted<R> {
    pub(crate) metadata: Metadata,
    /// The name for messages, quoted.
    pub(crate) name: String,
    place: Place,
    reader: R,
}

impl Opening {
    /// Finds all files of the `inputs`, which are files and folders to decrypt into one folder.
    /// With `with_manifests`, folders are compared with their manifests.
    pub(crate) fn find(&self, inputs: &[PathBuf], with_manifests: bool) -> Result<Sealed> {
        let mut sealed = Sealed::default();
        for input in inputs {
            if input.is_dir() {
                let folder = self.folder(input, with_manifests)?;
                folder.incomplete.iter().for_each(|error| warn(error.to_string()));
                sealed.expected.extend(folder.expected);
                sealed.plan.failures.extend(folder.others);
                sealed.plan.append(folder.plan);
            } else {
                let name = input.file_name().and_then(|name| Name::opened(Path::new(name)));
                sealed.plan.take_file(input, Some(name.ok_or_else(|| not_sealed(input))?))?;
            }
        }
        sealed.plan = sealed.plan.check(inputs, is_own)?;
        Ok(sealed)
    }

    /// Finds all files in the folder `input`, and compares them with its manifest if
    /// `with_manifest` is set.
    pub(crate) fn folder(&self, input: &Path, with_manifest: bool) -> Result<Sealed> {
        let mut sealed = Sealed::default();
        let (mut found, mut others, mut unfinished) = (Plan::default(), Vec::new(), Vec::new());
        found.walk(input, |within, is_folder| match Name::opened(within) {
            // The folder itself, its manifest and its journal.
            _ if ["", MANIFEST, JOURNAL].iter().any(|own| within == Path::new(own)) => None,
            // An old header that `sealane rekey` keeps. It is read together with its file.
            _ if within.file_name().is_some_and(old_header::is_name) => None,
            _ if is_folder => Name::new(within),
            _ if within.file_name().is_some_and(Temporary::is_name) => {
                unfinished.push(within.to_owned());
                None
            }
            None => {
                others.push(left_out(&input.join(within)));
                None
            }
            name => name,
        });
        let folder = Dir::open(input);
        let is_busy = folder.as_ref().is_ok_and(journal::is_busy);
        if is_busy {
            sealed.incomplete.push(journal::busy(input));
        } else if folder.as_ref().is_ok_and(|folder| folder.has(Path::new(JOURNAL))) {
            sealed.incomplete.push(Error::new(format!(
                "the run that encrypted {} was interrupted, or could not encrypt all files",
                quoted(input)
            )));
        }
        if let Ok(folder) = folder {
            unfinished.iter().for_each(|within| warn_of_unfinished(&folder, within, input));
        }
        found.failures.extend(found.links.drain(..).map(|link| not_followed(&input.join(link.name.sealed()))));
        if with_manifest {
            sealed.others = others;
            let manifest = self.manifest(input);
            // The manifest comes last.
            let (manifest, id) = manifest.map_err(|error| if is_busy { journal::busy(input) } else { error })?;
            sealed.add(found, manifest, input);
            sealed.expected.manifest = Some(id);
        } else {
            others.iter().for_each(|other| warn(other.to_string()));
            let folders = &mut found.directories;
            folders.iter_mut().for_each(|folder| folder.attributes = folder.attributes.without_mode());
            sealed.plan.append(found);
        }
        Ok(sealed)
    }

    /// Reads the manifest of the folder. Returns its id too.
    fn manifest(&self, folder: &Path) -> Result<(Manifest, Id)> {
        let path = folder.join(MANIFEST);
        let name = quoted(&path);
        let place = Dir::open(folder).and_then(|root| Place::below(&root, Path::new(MANIFEST), &path));
        let opened = place.and_then(|place| old_header::open(&place, self.repair));
        let (_, reader) = opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::new(format!("{} has no manifest", quoted(folder)))
                .hint("--no-manifest does without one; missing, added and exchanged files then go unnoticed"),
            _ => Error::io(format!("cannot open {name}"), &error),
        })?;
        let reader = self.openers.decrypt(ArmoredReader::new(reader), &name, self.passphrase, self.backend);
        reader
            .and_then(|reader| {
                let id = Id(reader.file_id());
                Ok((Manifest::read(reader).map_err(manifest_error)?, id))
            })
            .map_err(|error| error.in_context(&name))
    }

    /// Opens the encrypted file `source`.
    pub(crate) fn open(&self, source: &Source) -> Result<Encrypted<impl Read + Send + use<>>, Failure> {
        let name = quoted(&source.path);
        let failed = |error: io::Error| Failure::This(Error::io(format!("cannot read {name}"), &error));
        let place = source.place().map_err(failed)?;
        let (file, reader): (File, _) = old_header::open(&place, self.repair).map_err(failed)?;
        Ok(Encrypted { metadata: file.metadata().map_err(failed)?, place, reader, name })
    }

    /// Decrypts the header of `file`, which is the open file of `source`. Refuses a file that is
    /// not the one in its entry in `known`, if it has an entry.
    pub(crate) fn decrypt<R: Read>(
        &self,
        file: Encrypted<R>,
        known: &Entries,
        source: &Source,
        progress: &Progress,
    ) -> Result<StreamReader<ArmoredReader<Watched<R>>>, Failure> {
        let Encrypted { place, reader, name, .. } = file;
        let reader = ArmoredReader::new(Watched::new(reader, progress));
        let reader = self.openers.decrypt(reader, &name, self.passphrase, self.backend);
        let reader = reader.map_err(|error| Failure::This(old_header::explain_at(error, &place)))?;
        known.check(source, Id(reader.file_id())).map_err(Failure::This)?;
        Ok(reader)
    }
}

impl Sealed {
    /// Adds the files of the folder that are in its manifest. Other files, and missing ones, become
    /// failures.
    fn add(&mut self, mut found: Plan, manifest: Manifest, folder: &Path) {
        let shown = |name: &Path| quoted(folder.join(name));
        let added =
            |name: &Path| Error::new(format!("{} is not in the manifest: it was added, and is left out", shown(name)));
        let (known, unknown): (Vec<_>, Vec<_>) =
            found.files.into_iter().partition(|file| manifest.files.contains_key(&file.name));
        found.failures.extend(unknown.iter().map(|file| added(&file.name.sealed())));
        let present: HashSet<_> = known.iter().map(|file| &file.name).collect();
        let missing = manifest.files.keys().filter(|name| !present.contains(name));
        found.failures.extend(
            missing.map(|name| Error::new(format!("{} is missing: it is in the manifest", shown(&name.sealed())))),
        );
        let text = |name: &Vec<u8>| String::from_utf8_lossy(name).replace('/', MAIN_SEPARATOR_STR);
        let unusable = manifest.unusable.keys().map(text);
        found.failures.extend(unusable.map(|name| not_allowed(&shown(Path::new(&name)))));
        let names = manifest.files.iter().map(|(name, known)| (known.id, name.clone())).collect();
        let expected = manifest.files.iter().filter(|(name, _)| present.contains(name));
        let expected = expected.map(|(name, known)| (name.clone(), *known)).collect();
        self.expected.extend(Entries { present: expected, names, manifest: None });
        found.files = known;
        found.directories = directories(manifest.directories);
        found.links = manifest.links.into_iter().map(|(name, target)| Link { name, target }).collect();
        self.plan.append(found);
    }
}

/// Explains the fault of a file with this name.
pub(crate) fn explain_fault(fault: FileFault, name: &str) -> Error {
    match fault {
        FileFault::Read(error) => payload_error(error, name),
        // Only a person who can open the file can change its length and keep its id.
        FileFault::OtherSize { found, known } => Error::new(format!(
            "{name} has {found} bytes, but the manifest says {known}: a person who can open the file has changed it"
        )),
        fault => Error::new(format!("{name}: {fault}")),
    }
}

/// Returns whether a decrypted file with this name could not be told from the command's own files.
/// Other cases of these names are allowed, because such files may have been encrypted on a file
/// system that distinguishes them.
fn is_own(name: &Name) -> bool {
    [MANIFEST, JOURNAL].iter().any(|own| name.as_path() == Path::new(own) || name.sealed() == Path::new(own))
}

fn directories(known: BTreeMap<Name, Attributes>) -> Vec<Directory> {
    known.into_iter().map(|(name, attributes)| Directory { name, attributes }).collect()
}

/// Warns of an unfinished file in the folder `root`, which the user knows as `path`.
fn warn_of_unfinished(root: &Dir, within: &Path, path: &Path) {
    let name = within.file_name().unwrap_or_default();
    let parent = root.below(within.parent().unwrap_or(Path::new("")));
    let what = if parent.is_ok_and(|parent| Temporary::is_abandoned(&parent, name)) {
        "an unfinished file of an interrupted run, and can be removed"
    } else {
        "an unfinished file, which a run may be writing"
    };
    warn(format!("{} is left out: it is {what}", quoted(path.join(within))));
}

/// Returns the error for a file in a folder that is not decrypted because of its name.
fn left_out(path: &Path) -> Error {
    match fault_of_name(path) {
        Some(fault) => Error::new(format!("{} is left out: {fault}", quoted(path))),
        None => not_allowed(&quoted(path)),
    }
}

/// Returns the error for a file that is decrypted into a folder, but whose name does not give the
/// one of the result.
fn not_sealed(path: &Path) -> Error {
    match fault_of_name(path) {
        Some(fault) => Error::new(format!("{} has no name for its result: {fault}", quoted(path)))
            .hint("decrypt it by itself, with -o FILE"),
        None => not_allowed(&quoted(path)),
    }
}

/// Explains that the manifest has another file under this name.
fn exchanged(name: &str, expected: &Entries, id: Id) -> Error {
    let error = Error::new(format!("{name} is not the file that was encrypted under this name, and is left out"));
    match expected.names.get(&id) {
        Some(other) => error.hint(format!("it is the encrypted file of {other}")),
        None => error.hint("it was exchanged, or encrypted again without the folder's manifest"),
    }
}

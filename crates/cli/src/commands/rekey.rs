//! `sealane rekey` changes the recipients of files.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use sealane_age::armor::{ArmoredReader, ArmoredWriter, Format};
use sealane_age::header::Header;
use sealane_age::{Decryptor, Existing, RekeyError, threshold};

use crate::args::{KeyArgs, RekeyArgs};
use crate::error::explain::{NO_MATCH, encrypt_error, payload_error};
use crate::error::{Error, Result, quoted, warn};
use crate::folder::sealed::{Entries, Opening, Sealed};
use crate::folder::{Failures, Id, MANIFEST, Name, Source, encrypted_files, remove_abandoned};
use crate::io::input::Input;
use crate::io::old_header::{self, NewFile, Repair, Target};
use crate::io::output::{Content, Output, print};
use crate::io::progress::Progress;
use crate::io::stdin::StdinUse;
use crate::keys::cached::Once;
use crate::keys::encrypt_to::{recipients, with_threshold};
use crate::keys::file_keys::{AllowPassphrase, OpenError, Openers};
use crate::keys::passphrase::Passphrases;
use crate::keys::post_quantum::PostQuantum;
use crate::keys::recipients::SharedRecipient;
use crate::keys::same_file::KeyFiles;

/// Changes the recipients of one file, or of many.
pub(crate) fn run(args: &RekeyArgs) -> Result<()> {
    let mut rekeying = Rekeying::new(args);
    let changed = if args.many { rekeying.many() } else { rekeying.single() };
    if rekeying.changed > 0 && !args.add {
        warn(
            "anyone who could open the file before may have a copy, or its key, which stays the same: \
             to exclude a person, decrypt the file and encrypt it again",
        );
    }
    if rekeying.weakened {
        warn(
            "the old recipients were post-quantum, and the new ones are not: \
             the content is no longer safe from a quantum computer",
        );
    }
    changed
}

/// A run over all files.
struct Rekeying<'a> {
    args: &'a RekeyArgs,
    stdin: StdinUse,
    passphrases: Passphrases,
    openers: Once<Openers>,
    /// The new recipients.
    recipients: Once<Vec<SharedRecipient>>,
    /// The number of files with new headers.
    changed: usize,
    /// Whether post-quantum recipients were replaced by others.
    weakened: bool,
}

/// The destination of a new header.
enum To<'a> {
    /// A copy of the file with the new header.
    Copy(Box<Output>),
    /// The file itself. If it is armored, or the header does not fit there, a new file replaces it.
    File(&'a Target),
}

impl<'a> Rekeying<'a> {
    fn new(args: &'a RekeyArgs) -> Self {
        let stdin = StdinUse::default();
        let passphrases = Passphrases::new(&stdin);
        Self {
            args,
            stdin,
            passphrases,
            openers: Once::default(),
            recipients: Once::default(),
            changed: 0,
            weakened: false,
        }
    }

    fn key_files(&self) -> KeyFiles<'a> {
        let RekeyArgs { recipients, keys: KeyArgs { identities, parts }, .. } = self.args;
        KeyFiles { identities, parts, recipients: &recipients.recipients_files }
    }

    /// Changes the only file, or writes a copy of it with a new header.
    fn single(&mut self) -> Result<()> {
        let path = self.args.file().unwrap_or(Path::new(""));
        match &self.args.output.output {
            None => self.in_place(&Target::open(path)?, AllowPassphrase::Yes, self.existing(), |_| Ok(())),
            Some(output) => {
                let mut input = old_header::open_input(Some(path), &self.stdin, Repair::InFile)?;
                input.refuse_mangled()?;
                // Errors of the output should come before any question.
                let output = Output::prepare(Some(output), Content::Binary, false)?;
                self.key_files().check_with(&input, &output)?;
                self.change(input, AllowPassphrase::Yes, To::Copy(Box::new(output)), self.existing(), |_| Ok(()))
            }
        }
    }

    /// Returns whether files keep their recipients.
    fn existing(&self) -> Existing {
        if self.args.add { Existing::Keep } else { Existing::Drop }
    }

    /// Changes many files, and prints a summary.
    fn many(&mut self) -> Result<()> {
        self.load_keys()?;
        let failures = Failures::default();
        let (progress, mut kept) = (Progress::default(), false);
        for input in &self.args.inputs {
            let before = failures.count();
            let (files, expected) = self.find(input, &failures)?;
            for source in &files {
                // The same command can then be repeated: the old keys still open the manifest.
                let keep = expected.is_manifest(source) && failures.count() > before;
                kept |= keep && !self.args.add;
                let existing = if keep { Existing::Keep } else { self.existing() };
                let cannot = |error| Error::io(format!("cannot open {}", quoted(&source.path)), &error);
                let target = source.place().map_err(cannot).and_then(|place| Target::open_at(place, &source.path));
                let passphrase = if source.is_in_folder() { AllowPassphrase::No } else { AllowPassphrase::Yes };
                let check = |id| expected.check(source, id);
                if let Err(error) = target.and_then(|target| self.in_place(&target, passphrase, existing, check)) {
                    let error = with_new_key(error).in_context(&quoted(&source.path));
                    failures.add_of_file(&error, &progress);
                }
            }
        }
        let (changed, noun) = (self.changed, if self.changed == 1 { "file has" } else { "files have" });
        print(format!("{changed} {noun} new recipients\n").as_bytes())?;
        let manifest = if kept { "; until then, the old recipients can still open the manifest" } else { "" };
        match failures.count() {
            0 => Ok(()),
            failed => Err(Error::new(failures.summary(failed + changed, "changed"))
                .hint(format!("correct the causes, and repeat the command{manifest}"))),
        }
    }

    /// Finds the files of an input. The files of a folder are those in its manifest, and at last
    /// the manifest itself: until then, the old keys open it.
    fn find(&self, input: &Path, failures: &Failures) -> Result<(Vec<Source>, Entries)> {
        if input.is_dir() {
            remove_abandoned(input);
        }
        if self.args.no_manifest || !input.is_dir() {
            let plan = encrypted_files(&[input.to_owned()]);
            plan.failures.iter().for_each(|error| failures.add(error));
            return Ok((plan.files, Entries::default()));
        }
        let opening = Opening {
            openers: self.openers()?,
            backend: crate::os::backend::chosen()?,
            passphrase: AllowPassphrase::No,
            repair: Repair::InFile,
        };
        let manifest = |error: io::Error| Error::io(format!("cannot open {}", quoted(input)), &error);
        let found = opening.folder(input, true).and_then(|folder| {
            let name = Name::new(Path::new(MANIFEST)).expect("a name");
            Ok((Source::in_folder(input, name).map_err(manifest)?, folder))
        });
        let (manifest, Sealed { plan, expected, incomplete, others }) = match found {
            Ok(found) => found,
            Err(error) => {
                failures.add(&with_new_key(error));
                return Ok(Default::default());
            }
        };
        incomplete.iter().chain(&others).for_each(|error| warn(error.to_string()));
        plan.failures.iter().for_each(|error| failures.add(error));
        Ok((plan.files.into_iter().chain([manifest]).collect(), expected))
    }

    /// Loads the keys for all files, so that their errors are not those of each file. A new
    /// passphrase is requested later, when a file needs it.
    fn load_keys(&self) -> Result<()> {
        self.openers()?;
        let named = &self.args.recipients;
        if named.passphrase { Ok(()) } else { with_threshold(named, &self.recipients()?, |_| Ok(())) }
    }

    fn openers(&self) -> Result<Arc<Openers>> {
        let KeyArgs { identities, parts } = &self.args.keys;
        self.openers.get(|| Openers::with_passphrases(identities, parts, &self.stdin, self.passphrases.clone()))
    }

    fn recipients(&self) -> Result<Arc<Vec<SharedRecipient>>> {
        self.recipients.get(|| recipients(&self.args.recipients, &[], &self.stdin, &self.passphrases))
    }

    /// Changes a file, which stays open and locked to the end. If another file takes its name
    /// meanwhile, that file is not touched. `check` may refuse the file with this id.
    fn in_place(
        &mut self,
        target: &Target,
        passphrase: AllowPassphrase,
        existing: Existing,
        check: impl Fn(Id) -> Result<()>,
    ) -> Result<()> {
        let mut input = target.input()?;
        input.refuse_mangled()?;
        self.key_files().check(input.id.as_ref())?;
        target.refuse_other_names()?;
        self.change(input, passphrase, To::File(target), existing, check)
    }

    /// Writes the new header to its destination, unless `check` refuses the file with this id.
    fn change(
        &mut self,
        input: Input,
        passphrase: AllowPassphrase,
        to: To<'_>,
        existing: Existing,
        check: impl Fn(Id) -> Result<()>,
    ) -> Result<()> {
        let named = &self.args.recipients;
        let openers = self.openers()?;
        let mut reader = ArmoredReader::new(input.reader);
        let armored = reader.is_armored().is_ok_and(|armored| armored);
        let (rekeyed, decryptor) = openers.open(reader, &input.name, passphrase, |decryptor, identities| {
            if named.passphrase && decryptor.is_scrypt() && self.passphrases.are_answered().map_err(OpenError::Other)? {
                return Err(OpenError::Other(same_passphrase()));
            }
            let rekeyed = with_threshold(named, &self.recipients().map_err(OpenError::Other)?, |recipients| {
                Ok(decryptor.rekey(identities.iter().copied(), recipients.iter().copied(), existing))
            });
            let rekeyed = rekeyed.map_err(OpenError::Other)?.map_err(|error| self.rekey_error(error))?;
            Ok::<_, OpenError>((rekeyed, decryptor))
        })?;

        check(Id(rekeyed.file_id()))?;

        let old = decryptor.header().encode();
        // The change of a passphrase to a public key is expected to matter.
        let is_post_quantum = !decryptor.is_scrypt() && is_classified(decryptor.header(), PostQuantum::Yes);
        let name = &input.name;
        // Padded in a copy too: the length of the plaintext of a sealed object is computed from the
        // length of its header.
        let padded = if armored { None } else { rekeyed.header_of_len(old.len()) };
        let new_header = padded.as_ref().unwrap_or(rekeyed.header()).encode();
        match to {
            To::Copy(mut output) => {
                copy(decryptor, &new_header, armored, &mut output, name)?;
                output.finish()?;
            }
            To::File(target) => {
                if padded.is_some() && target.can_keep_header() {
                    target.replace(&old, &new_header, decryptor.nonce())?;
                } else {
                    // A new file is renamed over the old one. It never overwrites the only copy in
                    // place, because an interruption would destroy this copy.
                    let (nonce, mut new) = (*decryptor.nonce(), NewFile::create(target)?);
                    copy(decryptor, &new_header, armored, &mut new, name)?;
                    new.finish(|| {
                        target.refuse_if_modified()?;
                        if armored { Ok(()) } else { target.refuse_if_changed(&old, &nonce) }
                    })?;
                }
            }
        }
        self.changed += 1;
        self.weakened |= is_post_quantum && is_classified(rekeyed.header(), PostQuantum::No);
        Ok(())
    }

    /// Explains why a file gets no new header.
    fn rekey_error(&self, error: RekeyError) -> OpenError {
        match error {
            RekeyError::Open(error) => OpenError::Decrypt(error),
            RekeyError::Wrap(error) => OpenError::Other(encrypt_error(error)),
            error => OpenError::Other(Error::new(error.to_string()).hint(if self.args.add {
                "without --add, only the new recipients can open it"
            } else {
                "it keeps only its old recipients until the causes of the other errors are corrected"
            })),
        }
    }
}

/// Returns whether a header is classified so.
fn is_classified(header: &Header, kind: PostQuantum) -> bool {
    threshold::describe(header).is_ok_and(|sets| PostQuantum::of_header(header, &sets) == kind)
}

/// Adds to the advice for a file that no identity opens: an earlier run may have changed it.
fn with_new_key(error: Error) -> Error {
    if error.advice() != Some(NO_MATCH) {
        return error;
    }
    error.hint(format!("{NO_MATCH}; if an earlier run has changed it already, also give the new key: -i NEW"))
}

fn same_passphrase() -> Error {
    Error::new("AGE_PASSPHRASE or AGE_PASSPHRASE_FD gives the same passphrase for the old header and for the new one")
        .hint("type the passphrases at the terminal, or decrypt and encrypt again with a variable for each command")
}

/// Writes the whole file with another header.
fn copy<R: Read>(decryptor: Decryptor<R>, header: &[u8], armored: bool, output: impl Write, name: &str) -> Result<()> {
    let format = if armored { Format::Armored } else { Format::Binary };
    let write_failed = |error| Error::from_io("cannot write", error);
    let mut writer = ArmoredWriter::with_format(output, format);
    writer.write_all(header).map_err(write_failed)?;
    let mut payload = decryptor.into_payload();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n = match payload.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(payload_error(error, name)),
        };
        writer.write_all(&buffer[..n]).map_err(write_failed)?;
    }
    writer.finish().map(drop).map_err(write_failed)
}

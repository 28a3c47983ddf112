//! Checks which flags go together.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::contribute::ContributeArgs;
use super::file::{FileArgs, IdentitySource};
use super::inspect::InspectArgs;
use super::rekey::RekeyArgs;
use crate::error::{Error, Result, quoted};

impl FileArgs {
    /// Takes the only input.
    fn take_input(&mut self) -> Result<()> {
        if let [_, second, ..] = self.inputs.as_slice() {
            return Err(Error::usage(format!("more than one FILE: unexpected {}", quoted(second)))
                .hint("give one file at a time"));
        }
        let flags = [
            (self.resume, "--resume"),
            (self.no_manifest, "--no-manifest"),
            (self.allow_external_links, "--allow-external-links"),
        ];
        if let Some((_, flag)) = flags.into_iter().find(|(given, _)| *given) {
            return Err(Error::usage(format!("{flag} is for several files, or for folders"))
                .hint("leave the flag out for a single file"));
        }
        self.input = self.inputs.pop().filter(|path| path != OsStr::new("-"));
        Ok(())
    }

    /// Returns whether the results go to a folder. For a single input, a flag or the output must
    /// say so.
    fn is_many(&self) -> bool {
        let is_folder = |path: &PathBuf| path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir();
        let asked_for = self.resume || self.no_manifest || self.output.as_ref().is_some_and(is_folder);
        match self.inputs.as_slice() {
            [] => false,
            [input] => input.is_dir() || (asked_for && input != OsStr::new("-")),
            _ => true,
        }
    }

    /// Checks a command line of age, with the arguments in `rest` after its flags: one input, and
    /// no flag that age does not have.
    pub(crate) fn checked_as_age(mut self, rest: Vec<OsString>) -> Result<Self> {
        if rest.len() > 1 {
            let shown: Vec<_> = rest.iter().map(quoted).collect();
            let error = Error::usage(format!("too many INPUT arguments: {}", shown.join(" ")));
            return Err(if rest[1].as_encoded_bytes().starts_with(b"-") {
                error.hint("the input file must be specified after all flags")
            } else {
                error.hint("only a single input file may be specified at a time")
            });
        }
        // In scripts, an empty name means "no input file".
        self.inputs = rest.into_iter().filter(|input| !input.is_empty()).map(PathBuf::from).collect();
        self.take_input()?;
        if self.decrypt {
            decrypt(&self)?
        } else {
            encrypt(&self)?
        }
        warn_duplicates(&self);
        Ok(self)
    }

    /// Checks the inputs of `sealane verify`. Without an input, it reads standard input.
    pub(super) fn checked_to_verify(mut self) -> Result<Self> {
        if self.inputs.len() > 1 {
            refuse_stdin(&self.inputs)?;
            refuse_parts(&self)?;
        }
        self.inputs.retain(|path| path != OsStr::new("-"));
        warn_duplicates(&self);
        Ok(self)
    }

    /// Checks which flags go together, with the reasons that age gives.
    pub(super) fn checked(mut self) -> Result<Self> {
        if self.is_many() {
            self.many = std::mem::take(&mut self.inputs);
        } else {
            self.take_input()?;
        }
        if self.decrypt {
            decrypt(&self)?
        } else {
            encrypt(&self)?
        }
        if !self.many.is_empty() {
            many(&self)?;
        }
        warn_duplicates(&self);
        Ok(self)
    }
}

/// Refuses the first argument of `sealane` if it is neither a command nor a file, and was probably
/// meant as a command. `file` has all arguments, and `similar` is the most similar command.
pub(super) fn refuse_unknown_command(first: &OsStr, file: &FileArgs, similar: Option<&str>) -> Result<()> {
    if first.as_encoded_bytes().starts_with(b"-") || PathBuf::from(first).symlink_metadata().is_ok() {
        return Ok(());
    }
    let has_keys = file.passphrase
        || file.decrypt
        || file.encrypt
        || !(file.recipients.is_empty() && file.recipients_files.is_empty() && file.identities.is_empty());
    if has_keys && similar.is_none() {
        return Ok(());
    }
    let hint =
        similar.map_or("see sealane -h".to_owned(), |name| format!("did you mean sealane {name}? see sealane -h"));
    Err(Error::usage(format!("unknown command or file: {}", quoted(first))).hint(hint))
}

impl ContributeArgs {
    /// Checks which flags go together.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.file = self.file.with_default_identity();
        self.file.take_input()?;
        if self.file.input.is_none() {
            return Err(Error::usage("missing FILE").hint("give the name of the encrypted file"));
        }
        if self.file.opening_identities().is_empty() {
            return Err(
                Error::usage("missing identity").hint("give the private key of a holder with -i, or a plugin with -j")
            );
        }
        if self.file.armor && self.file.recipients.is_empty() && self.file.recipients_files.is_empty() {
            return Err(Error::usage("-a/--armor is for an encrypted part").hint("name the recipient with -r or -R"));
        }
        Ok(self)
    }
}

/// Refuses a label for a file without holders.
fn check_label(args: &FileArgs) -> Result<()> {
    if args.label.is_some() && args.threshold.is_none() {
        return Err(Error::usage("--label needs -k/--threshold")
            .hint("-k gives the number of recipients (-r, -R) that are needed"));
    }
    Ok(())
}

impl InspectArgs {
    /// Checks the inputs. Without an input, standard input is read.
    pub(super) fn checked(self) -> Result<Self> {
        if self.file.inputs.len() > 1 {
            refuse_stdin(&self.file.inputs)?;
        }
        warn_duplicates(&self.file);
        Ok(self)
    }
}

impl RekeyArgs {
    /// Checks which flags go together.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.file = self.file.with_default_identity();
        if self.file.is_many() {
            self.file.many = std::mem::take(&mut self.file.inputs);
            many_to_rekey(&self.file)?;
        } else {
            self.file.take_input()?;
        }
        let new = !self.file.recipients.is_empty() || !self.file.recipients_files.is_empty();
        if self.file.input.is_none() && self.file.many.is_empty() {
            return Err(Error::usage("missing FILE").hint("give the name of the file whose recipients are to change"));
        }
        if new == self.file.passphrase {
            return Err(if new {
                Error::usage("-p/--passphrase can't be combined with -r or -R")
                    .hint("a file encrypted with a passphrase has no other recipients")
            } else {
                Error::usage("missing recipients")
                    .hint("name recipients with -r RECIPIENT or -R FILE, or with a new passphrase: -p")
            });
        }
        check_label(&self.file)?;
        if self.add && self.file.passphrase {
            return Err(Error::usage("-p/--passphrase can't be combined with --add")
                .hint("a file encrypted with a passphrase has no other recipients"));
        }
        warn_duplicates(&self.file);
        Ok(self)
    }
}

/// Refuses flags that do not go with decryption.
fn decrypt(args: &FileArgs) -> Result<()> {
    let identity = "give a private key with -i/--identity";
    let refused = [
        (args.encrypt, "-e/--encrypt", "give one of them"),
        (args.armor, "-a/--armor", "armored files are recognised: leave -a/--armor out"),
        (args.passphrase, "-p/--passphrase", "files encrypted with a passphrase are recognised: leave -p out"),
        (!args.recipients.is_empty(), "-r/--recipient", identity),
        (!args.recipients_files.is_empty(), "-R/--recipients-file", identity),
        (args.threshold.is_some(), "-k/--threshold", "the file says how many holders are needed"),
        (args.label.is_some(), "--label", "the file already has a label: sealane inspect shows it"),
    ];
    if let Some((_, flag, hint)) = refused.into_iter().find(|(given, ..)| *given) {
        return Err(Error::usage(format!("{flag} can't be used to decrypt")).hint(hint));
    }
    if !args.salvage {
        return Ok(());
    }
    if args.range.is_some() {
        return Err(Error::usage("--range can't be used with --salvage").hint("undamaged parts need no --salvage"));
    }
    if args.input.is_none() || args.output.as_deref().is_none_or(|path| path == OsStr::new("-")) {
        return Err(
            Error::usage("--salvage takes INPUT and -o OUTPUT, both names of files").hint("the result is a new file")
        );
    }
    Ok(())
}

/// Refuses flags that do not go with encryption.
fn encrypt(args: &FileArgs) -> Result<()> {
    if let Some(flag) = args.range.map(|_| "--range").or(args.salvage.then_some("--salvage")) {
        return Err(Error::usage(format!("{flag} can't be used to encrypt")).hint("did you forget -d/--decrypt?"));
    }
    if args.allow_external_links {
        return Err(Error::usage("--allow-external-links can't be used to encrypt")
            .hint("encryption keeps all links; the flag is for decryption"));
    }
    if !args.parts.is_empty() {
        return Err(Error::usage("--part can't be used to encrypt").hint("did you forget -d/--decrypt?"));
    }
    check_label(args)?;
    if args.threshold.is_some() && args.passphrase {
        return Err(Error::usage("-k/--threshold can't be combined with -p")
            .hint("a file encrypted with a passphrase has no other recipients"));
    }
    if !args.identities.is_empty() && !args.encrypt {
        return Err(Error::usage("-i/--identity and -j encrypt only together with an explicit -e/--encrypt")
            .hint("did you forget -d/--decrypt?"));
    }
    let recipients = !args.recipients.is_empty() || !args.recipients_files.is_empty() || !args.identities.is_empty();
    if !recipients && !args.passphrase {
        return Err(Error::usage("missing recipients")
            .hint("name recipients with -r RECIPIENT or -R FILE, or encrypt with a passphrase: -p"));
    }
    if recipients && args.passphrase {
        return Err(Error::usage("-p/--passphrase can't be combined with -r, -R, -i or -j")
            .hint("a file encrypted with a passphrase has no other recipients"));
    }
    Ok(())
}

/// Refuses flags that do not go with several files, or folders.
fn many(args: &FileArgs) -> Result<()> {
    refuse_stdin(&args.many)?;
    if args.output.as_ref().is_none_or(|path| path == OsStr::new("-")) {
        return Err(Error::usage("several files, or a folder, need a folder for the results")
            .hint("name it with -o DIR, or make an archive first (tar)"));
    }
    refuse_parts(args)?;
    // A single file may still use all flags.
    let several = args.many.len() > 1 || args.many.iter().any(|input| input.is_dir());
    let one_by_one = "give the files one at a time for that";
    let refused = [
        (args.range.is_some(), "--range", one_by_one),
        (args.salvage, "--salvage", one_by_one),
        (
            args.passphrase && several,
            "-p/--passphrase",
            "each file would take a second: make a key (sealane keygen), encrypt the key (sealane -p), and use it with -i",
        ),
        (
            args.decrypt && args.opening_identities().is_empty() && several,
            "a passphrase",
            "-i names an identity file, which may be encrypted with a passphrase",
        ),
    ];
    match refused.into_iter().find(|(given, ..)| *given) {
        Some((_, what, hint)) => Err(Error::usage(format!("{what} can't be used with several files")).hint(hint)),
        None => Ok(()),
    }
}

/// Refuses flags that do not go with new recipients for several files.
fn many_to_rekey(args: &FileArgs) -> Result<()> {
    refuse_stdin(&args.many)?;
    refuse_parts(args)?;
    if args.output.is_some() {
        return Err(
            Error::usage("-o/--output can't be used with several files").hint("each file gets its new header in place")
        );
    }
    if args.passphrase {
        return Err(Error::usage("-p/--passphrase can't be used with several files")
            .hint("name recipients with -r RECIPIENT or -R FILE"));
    }
    Ok(())
}

/// Refuses standard input among several inputs.
fn refuse_stdin(inputs: &[PathBuf]) -> Result<()> {
    if inputs.iter().any(|path| path == OsStr::new("-")) {
        return Err(Error::usage("standard input can't be one of several inputs").hint("give files and folders"));
    }
    Ok(())
}

/// Refuses parts of keys for several files.
fn refuse_parts(args: &FileArgs) -> Result<()> {
    if args.parts.is_empty() {
        return Ok(());
    }
    Err(Error::usage("--part can't be used with several files").hint("a part belongs to one file"))
}

/// Warns of duplicates.
fn warn_duplicates(args: &FileArgs) {
    let text = |path: &PathBuf| path.display().to_string();
    let files = args.identities.iter().filter_map(|source| match source {
        IdentitySource::File(path) => Some(text(path)),
        IdentitySource::Plugin(_) => None,
    });
    let lists = [
        ("recipient", args.recipients.clone()),
        ("recipients file", args.recipients_files.iter().map(text).collect()),
        ("identity file", files.collect::<Vec<_>>()),
    ];
    for (description, mut list) in lists {
        list.sort();
        let mut repeated: Vec<_> = list.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
        repeated.dedup();
        for value in repeated {
            crate::error::warn(format!("duplicate {description} {value:?}"));
        }
    }
}

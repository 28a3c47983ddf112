//! The arguments of `sealane decrypt`.

use std::ffi::OsStr;

use clap::{Args, Command};

use super::check::{check_several, check_single, is_many, is_several, warn_duplicates};
use super::groups::{DecryptionArgs, OpeningArgs, OutputArgs};
use crate::error::{Error, Result};

/// The arguments.
#[derive(Args, Debug)]
pub(crate) struct DecryptArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    /// Whether the results go to a folder.
    #[arg(skip)]
    pub(crate) many: bool,
}

const NOTES: &str = "\
A file that was encrypted with a passphrase needs no flag: the command asks for the passphrase.

With -o DIR, each file NAME.age is decrypted to DIR/NAME. Folders are decrypted with all files in
them. If a folder has a manifest, the command names missing, added and exchanged files, and the exit
status is 1. A single file goes into DIR if DIR exists or ends in a slash.

Examples:
  sealane decrypt -i key.txt -o notes.txt notes.txt.age
  sealane decrypt -i key.txt -o restored sealed
  sealane decrypt -i key.txt --range -1M log.age";

pub(super) fn command(base: Command) -> Command {
    DecryptArgs::augment_args(base)
        .mut_arg("no_manifest", |arg| {
            arg.help("Do not check the manifest, which shows missing, added and exchanged files")
        })
        .after_help(NOTES)
}

impl DecryptArgs {
    /// Sets the default identity, finds out whether the results go to a folder, and checks which
    /// flags go together.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.opening.keys.identities.set_default();
        self.many = is_many(&self.opening.inputs.inputs, &self.output, self.opening.folder);
        self.check().map(|()| self)
    }

    /// Checks which flags go together.
    pub(super) fn check(&self) -> Result<()> {
        let OpeningArgs { keys, decryption, folder, inputs, .. } = &self.opening;
        let DecryptionArgs { range, salvage, allow_external_links } = *decryption;
        if !self.many {
            check_single(&inputs.inputs, *folder, allow_external_links)?;
        }
        if salvage && range.is_some() {
            return Err(Error::usage("--range can't be used with --salvage").hint("undamaged ranges need no --salvage"));
        }
        let no_file = self.many || inputs.file().is_none();
        if salvage && (no_file || self.output.path().is_none_or(|path| path == OsStr::new("-"))) {
            return Err(Error::usage("--salvage takes INPUT and -o OUTPUT, both names of files")
                .hint("the result is a new file"));
        }
        if self.many {
            let with_passphrase = keys.identities.opening().is_empty() && is_several(&inputs.inputs);
            let refused = [
                (range.is_some(), "--range", "give the files one at a time for that"),
                (
                    with_passphrase,
                    "a passphrase",
                    "-i names an identity file, which may be encrypted with a passphrase",
                ),
            ];
            check_several(&inputs.inputs, &self.output, &keys.parts, &refused)?;
        }
        warn_duplicates(&[], &[], &keys.identities);
        Ok(())
    }
}

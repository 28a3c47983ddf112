//! The arguments of `sealane rekey`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};

use super::check::{check_single, is_many, is_several, refuse_parts, refuse_stdin, warn_duplicates};
use super::groups::{FolderArgs, KeyArgs, OutputArgs, RecipientArgs, only};
use crate::error::{Error, Result};

/// The recipients to set, and the files.
#[derive(Args, Debug)]
pub(crate) struct RekeyArgs {
    /// Keep the existing recipients
    #[arg(long)]
    pub(crate) add: bool,
    /// Accept folders without a manifest, in which added and exchanged files go unnoticed
    #[arg(long)]
    pub(crate) no_manifest: bool,
    #[command(flatten)]
    pub(crate) recipients: RecipientArgs,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Encrypted files, and folders with encrypted files
    #[arg(value_name = "FILE", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Whether there may be many files: several inputs, or a folder.
    #[arg(skip)]
    pub(crate) many: bool,
}

const NOTES: &str = "\
FILE gets a new header, and keeps its name, owner, mode and content. With -o, OUTPUT is a copy with
the new header. In a folder, the files that its manifest lists get new headers, and so does the
manifest; with --no-manifest, all files whose names end in .age. If a file fails, or is not the one
in the manifest, the others are still changed. The last line of standard output counts them, an
error counts the failures, and the exit status is 1.

The content is not encrypted again: anyone who could open the file before may have kept a copy of
it, or its key. To exclude a person, decrypt the file and encrypt it again.

Examples:
  sealane rekey -i old-key.txt -r age1… photos.tar.age
  sealane rekey --add -i key.txt -r age1… backup/";

pub(super) fn command(base: Command) -> Command {
    RekeyArgs::augment_args(base)
        .mut_arg("recipients", |arg| {
            arg.help("Make RECIPIENT a recipient of the file: age1…, ssh-ed25519 …, ssh-rsa … (repeatable)")
        })
        .mut_arg("recipients_files", |arg| {
            arg.help("Make the recipients listed in the file PATH recipients of the file (repeatable)")
        })
        .mut_arg("passphrase", |arg| arg.help("Protect the file with a new passphrase"))
        .after_help(NOTES)
}

impl RekeyArgs {
    /// Returns the only file; `None` is standard input.
    pub(crate) fn file(&self) -> Option<&Path> {
        only(&self.inputs)
    }

    /// Sets the default identity, finds out whether there may be many files, and checks which flags
    /// go together.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.keys.identities.set_default();
        self.many = is_many(&self.inputs, &self.output, FolderArgs::default());
        if self.many {
            self.check_many()?;
        } else {
            check_single(&self.inputs, FolderArgs { no_manifest: self.no_manifest, resume: false }, false)?;
            if self.file().is_none() {
                return Err(
                    Error::usage("missing FILE").hint("give the name of the file whose recipients are to change")
                );
            }
        }
        let (new, passphrase) = (self.recipients.are_named(), self.recipients.passphrase);
        if new == passphrase {
            return Err(if new {
                Error::usage("-p/--passphrase can't be combined with -r or -R")
                    .hint("a file encrypted with a passphrase has no other recipients")
            } else {
                Error::usage("missing recipients")
                    .hint("name recipients with -r RECIPIENT or -R FILE, or with a new passphrase: -p")
            });
        }
        self.recipients.check_threshold(self.many)?;
        if self.add && passphrase {
            return Err(Error::usage("-p/--passphrase can't be combined with --add")
                .hint("a file encrypted with a passphrase has no other recipients"));
        }
        warn_duplicates(&self.recipients.recipients, &self.recipients.recipients_files, &self.keys.identities);
        Ok(self)
    }

    /// Refuses inputs and flags that do not go with several files.
    fn check_many(&self) -> Result<()> {
        refuse_stdin(&self.inputs)?;
        if !is_several(&self.inputs) {
            return Err(Error::usage("-o/--output names a folder").hint("give the name of a file"));
        }
        refuse_parts(&self.inputs, &self.keys.parts)?;
        if self.output.output.is_some() {
            return Err(Error::usage("-o/--output can't be used with several files")
                .hint("each file gets its new header in place"));
        }
        if self.recipients.passphrase {
            return Err(Error::usage("-p/--passphrase can't be used with several files")
                .hint("name recipients with -r RECIPIENT or -R FILE"));
        }
        Ok(())
    }
}

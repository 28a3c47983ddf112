//! The arguments of `sealane encrypt`.

use clap::{Args, Command};

use super::check::{check_several, check_single, is_many, is_several, warn_duplicates};
use super::groups::{FolderArgs, InputArgs, SealingArgs, ThreadArgs};
use super::identity::IdentityArgs;
use crate::error::{Error, Result};

/// The arguments.
#[derive(Args, Debug)]
pub(crate) struct EncryptArgs {
    #[command(flatten)]
    pub(crate) sealing: SealingArgs,
    #[command(flatten)]
    pub(crate) identities: IdentityArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Whether the results go to a folder.
    #[arg(skip)]
    pub(crate) many: bool,
}

const NOTES: &str = "\
With -o DIR, each file is encrypted to DIR/NAME.age. Folders are encrypted with all files in them.
Modes and times are kept. An encrypted manifest in DIR lists the files, so that decryption notices
missing and exchanged files. A single file has no manifest, and goes into DIR if DIR exists or ends
in a slash.

Examples:
  sealane encrypt -r age1… -o notes.txt.age notes.txt
  sealane encrypt -r age1… -o sealed photos letters.txt";

pub(super) fn command(base: Command) -> Command {
    EncryptArgs::augment_args(base)
        .mut_arg("identity_files", |arg| arg.help("Encrypt to the recipients of the identity file PATH (repeatable)"))
        .mut_arg("plugins", |arg| arg.help("Encrypt to the recipient of the plugin age-plugin-PLUGIN (repeatable)"))
        .mut_arg("no_manifest", |arg| arg.help("Do not write a manifest"))
        .after_help(NOTES)
}

impl EncryptArgs {
    /// Finds out whether the results go to a folder, and checks which flags go together.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.many = is_many(&self.inputs.inputs, &self.sealing.output, self.folder);
        self.check().map(|()| self)
    }

    /// Checks which flags go together, with the reasons that age gives.
    pub(super) fn check(&self) -> Result<()> {
        let SealingArgs { output, recipients, .. } = &self.sealing;
        if !self.many {
            check_single(&self.inputs.inputs, self.folder, false)?;
        }
        recipients.check_threshold(is_several(&self.inputs.inputs))?;
        let passphrase = recipients.passphrase;
        let with_keys = recipients.are_named() || !self.identities.given.is_empty();
        if !with_keys && !passphrase {
            return Err(Error::usage("missing recipients")
                .hint("name recipients with -r RECIPIENT or -R FILE, or encrypt with a passphrase: -p"));
        }
        if with_keys && passphrase {
            return Err(Error::usage("-p/--passphrase can't be combined with -r, -R, -i or -j")
                .hint("a file encrypted with a passphrase has no other recipients"));
        }
        if self.many {
            let refused = (
                passphrase && is_several(&self.inputs.inputs),
                "-p/--passphrase",
                "each file would take a second: make a key (sealane keygen), encrypt the key (sealane -p), and use it with -i",
            );
            check_several(&self.inputs.inputs, output, &[], &[refused])?;
        }
        if passphrase && self.folder.resume {
            // A journal does not tell which passphrase a finished file has.
            return Err(Error::usage("-p/--passphrase can't be combined with --resume")
                .hint("leave --resume out: a single file is written whole or not at all"));
        }
        warn_duplicates(&recipients.recipients, &recipients.recipients_files, &self.identities);
        Ok(())
    }
}

//! The arguments of `sealane contribute`.

use std::path::PathBuf;

use clap::{Args, Command};
use sealane_age::threshold::Label;

use super::groups::{OutputArgs, RecipientArgs};
use super::identity::IdentityArgs;
use crate::error::{Error, Result};

/// The part to contribute, and its recipient.
#[derive(Args, Debug)]
pub(crate) struct ContributeArgs {
    /// Contribute the part without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    /// Encrypt the part to RECIPIENT, who opens the file (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT", allow_hyphen_values = true)]
    recipients: Vec<String>,
    /// Encrypt the part to the recipients listed in the file PATH (repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "PATH", allow_hyphen_values = true)]
    recipients_files: Vec<PathBuf>,
    /// With -r or -R, write the encrypted part as text (armor)
    #[arg(short, long)]
    pub(crate) armor: bool,
    /// Contribute only a part of a file with the label TEXT
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) label: Option<Label>,
    /// Contribute only a part of the share set ID: the 32 digits that inspect shows
    #[arg(long, value_name = "ID", value_parser = set_id)]
    pub(crate) set: Option<String>,
    #[command(flatten)]
    pub(crate) identities: IdentityArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The encrypted file
    #[arg(value_name = "FILE")]
    pub(crate) input: PathBuf,
}

/// Parses the hexadecimal digits of a share set id. The maker of a file chooses the ids, so the
/// first digits of an id could be those of two sets.
fn set_id(text: &str) -> std::result::Result<String, String> {
    let is_id = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id { Ok(text.to_ascii_lowercase()) } else { Err("not 32 hexadecimal digits".to_owned()) }
}

const NOTES: &str = "\
FILE was encrypted with -k, for several holders together. The question shows the label that the
maker of the file gave it. Do not trust the name of FILE, which anyone can change.

With -r or -R, the part is encrypted to the person who opens the file. Without them it is an
unencrypted secret: enough parts open the file. Such a part never replaces a file.

Example:
  sealane contribute -i key.txt -r age1… -o part.age plans.age
  sealane decrypt -i mine.txt --part part.age -o plans.tar plans.age";

pub(super) fn command(base: Command) -> Command {
    ContributeArgs::augment_args(base).after_help(NOTES)
}

impl ContributeArgs {
    /// Returns the recipients of the part.
    pub(crate) fn recipients(&self) -> RecipientArgs {
        let (recipients, recipients_files) = (self.recipients.clone(), self.recipients_files.clone());
        RecipientArgs { recipients, recipients_files, ..RecipientArgs::default() }
    }

    /// Sets the default identity, and checks which flags go together.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.identities.set_default();
        if self.input.as_os_str() == "-" {
            return Err(Error::usage("missing FILE").hint("give the name of the encrypted file"));
        }
        if self.identities.opening().is_empty() {
            return Err(
                Error::usage("missing identity").hint("give the private key of a holder with -i, or a plugin with -j")
            );
        }
        if self.armor && !self.recipients().are_named() {
            return Err(Error::usage("-a/--armor is for an encrypted part").hint("name the recipient with -r or -R"));
        }
        Ok(self)
    }
}

//! The arguments of `sealane contribute`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Command};
use sealane_age::threshold::Label;

use super::file::{self, FileArgs};
use super::groups::{FileNameArgs, IdentityArgs, OutputArgs};

/// The part to give away, and its recipient.
#[derive(Debug)]
pub(crate) struct ContributeArgs {
    /// Whether to skip the question to the holder.
    pub(crate) yes: bool,
    pub(crate) file: FileArgs,
}

#[derive(Args, Debug)]
struct ContributeFlags {
    /// Give the part away without asking
    #[arg(short, long)]
    yes: bool,
    /// Encrypt the part to RECIPIENT, who opens the file (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT", allow_hyphen_values = true)]
    recipients: Vec<String>,
    /// Encrypt the part to the recipients listed in the file PATH (repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "PATH", allow_hyphen_values = true)]
    recipients_files: Vec<PathBuf>,
    /// With -r or -R, write the encrypted part as text (PEM)
    #[arg(short, long)]
    armor: bool,
    /// Give away only a part of a file with the label TEXT
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    label: Option<Label>,
    #[command(flatten)]
    identities: IdentityArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    file: FileNameArgs,
}

const NOTES: &str = "\
FILE was encrypted with -k, for several holders together. The question shows the label that the
maker of the file gave it. Do not trust the name of FILE, which anyone can change.

With -r or -R, the part is encrypted to the person who opens the file. Without them it is an
unencrypted secret: enough parts open the file.

Example:
  sealane contribute -i key.txt -r age1… -o part.age plans.age
  sealane decrypt -i mine.txt --part part.age plans.age";

pub(super) fn command(base: Command) -> Command {
    ContributeFlags::augment_args(base).after_help(NOTES)
}

/// Reads the arguments.
pub(super) fn parse(command: Command, args: Vec<OsString>) -> Result<ContributeArgs, clap::Error> {
    let (flags, identities) = file::read::<ContributeFlags>(command, args)?;
    let file = FileArgs {
        identities,
        recipients: flags.recipients,
        recipients_files: flags.recipients_files,
        armor: flags.armor,
        label: flags.label,
        output: flags.output.output,
        inputs: flags.file.inputs,
        ..FileArgs::default()
    };
    Ok(ContributeArgs { yes: flags.yes, file })
}

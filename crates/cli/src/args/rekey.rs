//! The arguments of `sealane rekey`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Command};

use super::file::{self, FileArgs};
use super::groups::{IdentityArgs, OutputArgs, PartArgs, RecipientArgs};

/// The recipients to set, and the file.
#[derive(Debug)]
pub(crate) struct RekeyArgs {
    /// Whether to keep the present recipients.
    pub(crate) add: bool,
    pub(crate) file: FileArgs,
}

#[derive(Args, Debug)]
struct RekeyFlags {
    /// Keep the present recipients
    #[arg(long)]
    add: bool,
    #[command(flatten)]
    recipients: RecipientArgs,
    #[command(flatten)]
    identities: IdentityArgs,
    #[command(flatten)]
    parts: PartArgs,
    #[command(flatten)]
    output: OutputArgs,
    /// Encrypted files, and folders with encrypted files
    #[arg(value_name = "FILE")]
    inputs: Vec<PathBuf>,
}

const NOTES: &str = "\
FILE gets a new header, and keeps its name, owner, mode and content. With -o, OUTPUT is a copy with
the new header. In a folder, all encrypted files and the manifest get new headers. If a file
fails, the others are still changed, the last line counts both, and the exit status is 1.

The content is not encrypted again: anyone who could open the file before may have kept a copy of
it, or its key. To exclude a person, decrypt the file and encrypt it again.

Examples:
  sealane rekey -i old-key.txt -r age1… photos.tar.age
  sealane rekey --add -i key.txt -r age1… backup/";

pub(super) fn command(base: Command) -> Command {
    RekeyFlags::augment_args(base).after_help(NOTES)
}

/// Reads the arguments.
pub(super) fn parse(command: Command, args: Vec<OsString>) -> Result<RekeyArgs, clap::Error> {
    let (flags, identities) = file::read::<RekeyFlags>(command, args)?;
    let mut file = FileArgs {
        identities,
        parts: flags.parts.parts,
        output: flags.output.output,
        inputs: flags.inputs,
        ..FileArgs::default()
    };
    file.set_recipients(flags.recipients);
    Ok(RekeyArgs { add: flags.add, file })
}

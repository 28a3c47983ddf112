//! The arguments of `sealane inspect`.

use std::ffi::OsString;

use clap::{Args, Command};

use super::file::{self, FileArgs};
use super::groups::{IdentityArgs, ManyInputArgs};

/// The files to describe, and the form of the report.
#[derive(Debug)]
pub(crate) struct InspectArgs {
    pub(crate) json: bool,
    pub(crate) file: FileArgs,
}

#[derive(Args, Debug)]
struct InspectFlags {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    identities: IdentityArgs,
    #[command(flatten)]
    inputs: ManyInputArgs,
}

const NOTES: &str = "\
No key is needed. With -i or -j, the report also says whether these identities open each file; the
content is not decrypted.

For several files or a folder, the command prints one line for each encrypted file, and a summary in
the last line. The exit status is 1 if a file cannot be read or is cut short.

Examples:
  sealane inspect photos.tar.age
  sealane inspect -i key.txt backup/";

pub(super) fn command(base: Command) -> Command {
    InspectFlags::augment_args(base).after_help(NOTES)
}

/// Reads the arguments.
pub(super) fn parse(command: Command, args: Vec<OsString>) -> Result<InspectArgs, clap::Error> {
    let (flags, identities) = file::read::<InspectFlags>(command, args)?;
    let file = FileArgs { identities, inputs: flags.inputs.inputs, ..FileArgs::default() };
    Ok(InspectArgs { json: flags.json, file })
}

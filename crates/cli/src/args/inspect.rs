//! The arguments of `sealane inspect`.

use clap::{Args, Command};

use super::check::{refuse_stdin, warn_duplicates};
use super::groups::ManyInputArgs;
use super::identity::IdentityArgs;
use crate::error::Result;

/// The files to describe, and the form of the report.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) identities: IdentityArgs,
    #[command(flatten)]
    pub(crate) inputs: ManyInputArgs,
}

const NOTES: &str = "\
No key is needed. With -i or -j, the report also says whether these identities open each file; the
content is not decrypted.

For several files or a folder, the command prints one line for each encrypted file, and a summary in
the last line. In a folder, the names of encrypted files end in .age; others are left out, with a
warning. The exit status is 1 if a file cannot be read or is cut short.

Examples:
  sealane inspect photos.tar.age
  sealane inspect -i key.txt backup/";

pub(super) fn command(base: Command) -> Command {
    InspectArgs::augment_args(base).after_help(NOTES)
}

impl InspectArgs {
    /// Checks the inputs. Without an input, standard input is read.
    pub(super) fn checked(self) -> Result<Self> {
        if self.inputs.inputs.len() > 1 {
            refuse_stdin(&self.inputs.inputs)?;
        }
        warn_duplicates(&[], &[], &self.identities);
        Ok(self)
    }
}

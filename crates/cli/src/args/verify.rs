//! The arguments of `sealane verify`.

use std::ffi::OsStr;

use clap::{Args, Command};

use super::check::{is_several, refuse_parts, refuse_stdin, warn_duplicates};
use super::groups::{KeyArgs, ManyInputArgs, ThreadArgs};
use crate::error::Result;

/// The arguments.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Accept folders without a manifest, in which missing files go unnoticed
    #[arg(long)]
    pub(crate) no_manifest: bool,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) inputs: ManyInputArgs,
}

const NOTES: &str = "\
Each file is decrypted to its end and authenticated, and nothing is written. The files of a
folder are compared with its manifest, and missing, added and exchanged files are named. The last
line counts the intact files. The exit status is 0 only if all files are intact.

Examples:
  sealane verify -i key.txt photos.tar.age
  sealane verify -i key.txt backup/ && echo \"the backup is complete\"";

pub(super) fn command(base: Command) -> Command {
    VerifyArgs::augment_args(base).after_help(NOTES)
}

impl VerifyArgs {
    /// Sets the default identity, and checks the inputs. Removes "-", because standard input is
    /// read if there is no input.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.keys.identities.set_default();
        let inputs = &mut self.inputs.inputs;
        if inputs.len() > 1 {
            refuse_stdin(inputs)?;
        }
        if is_several(inputs) {
            refuse_parts(inputs, &self.keys.parts)?;
        }
        inputs.retain(|path| path != OsStr::new("-"));
        warn_duplicates(&[], &[], &self.keys.identities);
        Ok(self)
    }
}

//! The arguments of `sealane verify`.

use clap::{Args, Command};

use super::file::FileArgs;
use super::groups::{IdentityArgs, ManyInputArgs, PartArgs, ThreadArgs};

/// The arguments.
#[derive(Args, Debug)]
pub(super) struct VerifyArgs {
    /// Accept folders without a manifest, in which missing files go unnoticed
    #[arg(long)]
    no_manifest: bool,
    #[command(flatten)]
    identities: IdentityArgs,
    #[command(flatten)]
    parts: PartArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    inputs: ManyInputArgs,
}

impl From<VerifyArgs> for FileArgs {
    fn from(args: VerifyArgs) -> Self {
        Self {
            decrypt: true,
            no_manifest: args.no_manifest,
            parts: args.parts.parts,
            threads: args.threads.threads,
            inputs: args.inputs.inputs,
            ..Self::default()
        }
    }
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

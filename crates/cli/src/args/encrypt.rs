//! The arguments of `sealane encrypt`.

use clap::{Args, Command};

use super::file::FileArgs;
use super::groups::{FolderArgs, IdentityArgs, InputArgs, SealingArgs, ThreadArgs};

/// The arguments.
#[derive(Args, Debug)]
pub(super) struct EncryptArgs {
    /// Accepted because age has it; the subcommand says it already
    #[arg(short, long, hide = true)]
    encrypt: bool,
    #[command(flatten)]
    sealing: SealingArgs,
    #[command(flatten)]
    identities: IdentityArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    inputs: InputArgs,
}

impl From<EncryptArgs> for FileArgs {
    fn from(args: EncryptArgs) -> Self {
        let mut file =
            Self { encrypt: true, threads: args.threads.threads, inputs: args.inputs.inputs, ..Self::default() };
        file.set_sealing(args.sealing);
        file.set_folder(&args.folder);
        file
    }
}

const NOTES: &str = "\
-i and -j encrypt to the recipients of the identities.

With -o DIR, each file is encrypted to DIR/NAME.age. Folders are encrypted with all files in them.
Modes and times are kept. An encrypted manifest in DIR lists the files, so that decryption notices
missing and exchanged files. A single file has no manifest, and goes into DIR if DIR exists or ends
in a slash.

Examples:
  sealane encrypt -r age1… -o notes.txt.age notes.txt
  sealane encrypt -r age1… -o sealed photos letters.txt";

pub(super) fn command(base: Command) -> Command {
    EncryptArgs::augment_args(base).after_help(NOTES)
}

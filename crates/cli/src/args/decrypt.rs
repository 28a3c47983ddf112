//! The arguments of `sealane decrypt`.

use clap::{Args, Command};

use super::file::FileArgs;
use super::groups::{OpeningArgs, OutputArgs};

/// The arguments.
#[derive(Args, Debug)]
pub(super) struct DecryptArgs {
    /// Accepted because age has it; the subcommand says it already
    #[arg(short, long, hide = true)]
    decrypt: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    opening: OpeningArgs,
}

impl From<DecryptArgs> for FileArgs {
    fn from(args: DecryptArgs) -> Self {
        let mut file = Self { decrypt: true, output: args.output.output, ..Self::default() };
        file.set_opening(args.opening);
        file
    }
}

const NOTES: &str = "\
A file that was encrypted with a passphrase needs no flag: the command asks for the passphrase.

With -o DIR, each file NAME.age is decrypted to DIR/NAME. Folders are decrypted with all files in
them. If a folder has a manifest, the command names missing, added and exchanged files, and the exit
status is 1. A single file goes into DIR if DIR exists or ends in a slash.

Examples:
  sealane decrypt -i key.txt -o notes.txt notes.txt.age
  sealane decrypt -i key.txt -o restored sealed
  sealane decrypt -i key.txt --range -1M log.age";

pub(super) fn command(base: Command) -> Command {
    DecryptArgs::augment_args(base).after_help(NOTES)
}

//! The arguments of `sealane decrypt`.

use clap::{Args, Command};

use super::base;
use super::file::FileArgs;
use super::groups::{DecryptionArgs, FolderArgs, IdentityArgs, InputArgs, OutputArgs, PartArgs, ThreadArgs};

/// The arguments.
#[derive(Args, Debug)]
pub(super) struct DecryptArgs {
    /// Accepted because age has it; the subcommand says it already
    #[arg(short, long, hide = true)]
    decrypt: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    identities: IdentityArgs,
    #[command(flatten)]
    parts: PartArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    decryption: DecryptionArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    inputs: InputArgs,
}

impl From<DecryptArgs> for FileArgs {
    fn from(args: DecryptArgs) -> Self {
        let mut file = Self {
            decrypt: true,
            output: args.output.output,
            parts: args.parts.parts,
            threads: args.threads.threads,
            inputs: args.inputs.inputs,
            ..Self::default()
        };
        file.set_decryption(args.decryption);
        file.set_folder(&args.folder);
        file
    }
}

const NOTES: &str = "\
A file that was encrypted with a passphrase needs no flag: you are asked for the passphrase.

With -o DIR, each file NAME.age is decrypted to DIR/NAME, and folders with all files in them. If a
folder has a manifest, files that are missing, added or exchanged are named, and the exit status
is 1. A single file goes into DIR if DIR exists or ends in a slash.

Examples:
  sealane decrypt -i key.txt -o notes.txt notes.txt.age
  sealane decrypt -i key.txt -o restored sealed
  sealane decrypt -i key.txt --range -1M log.age";

pub(super) fn command() -> Command {
    DecryptArgs::augment_args(base("decrypt").bin_name("sealane decrypt"))
        .about("Decrypts files and folders")
        .after_help(NOTES)
}

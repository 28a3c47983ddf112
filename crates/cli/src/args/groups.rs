//! Flags that several subcommands share.

use std::num::NonZero;
use std::path::PathBuf;

use clap::Args;
use sealane_age::threshold::Label;

use super::range::PlaintextRange;

/// The destination of a single result.
#[derive(Args, Debug)]
pub(super) struct OutputArgs {
    /// Write to the file OUTPUT, which is replaced only at success; "-" is standard output
    #[arg(short, long, value_name = "OUTPUT", allow_hyphen_values = true)]
    pub(super) output: Option<PathBuf>,
}

/// The recipients.
#[derive(Args, Debug)]
pub(super) struct RecipientArgs {
    /// Encrypt to RECIPIENT: age1…, ssh-ed25519 …, ssh-rsa … (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT", allow_hyphen_values = true)]
    pub(super) recipients: Vec<String>,
    /// Encrypt to the recipients listed in the file PATH (repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "PATH", allow_hyphen_values = true)]
    pub(super) recipients_files: Vec<PathBuf>,
    /// Encrypt with a passphrase
    #[arg(short, long)]
    pub(super) passphrase: bool,
    /// Require any K of the recipients together to open the file
    #[arg(short = 'k', long, value_name = "K")]
    pub(super) threshold: Option<usize>,
    /// With -k, show TEXT to holders before they contribute; anyone can read it without a key
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) label: Option<Label>,
}

/// Private keys. Identities of both flags are tried in the order of the command line: see
/// [`super::file::identities`].
#[derive(Args, Debug)]
pub(super) struct IdentityArgs {
    /// Use the identity file PATH (repeatable)
    #[arg(short, long = "identity", value_name = "PATH", allow_hyphen_values = true)]
    identity_files: Vec<PathBuf>,
    /// Use the plugin age-plugin-PLUGIN without an identity file (repeatable)
    #[arg(short = 'j', long = "plugin", value_name = "PLUGIN", allow_hyphen_values = true)]
    plugins: Vec<String>,
}

/// Parts of a file's key.
#[derive(Args, Debug)]
pub(super) struct PartArgs {
    /// Use a holder's part of the file's key from the file PATH, which may be encrypted to the
    /// identities (repeatable)
    #[arg(long = "part", value_name = "PATH", allow_hyphen_values = true)]
    pub(super) parts: Vec<PathBuf>,
}

/// The form of encrypted files.
#[derive(Args, Debug)]
pub(super) struct ArmorArgs {
    /// Encrypt to text (PEM)
    #[arg(short, long)]
    pub(super) armor: bool,
}

/// The number of threads.
#[derive(Args, Debug)]
pub(super) struct ThreadArgs {
    /// Use THREADS threads instead of one per core
    #[arg(short, long)]
    pub(super) threads: Option<NonZero<usize>>,
}

/// The part of the plaintext to decrypt, and its links.
#[derive(Args, Debug)]
pub(super) struct DecryptionArgs {
    /// Decrypt only these bytes of the plaintext, and read only what they need: START:LEN, START:,
    /// :LEN, or -LEN for the end (numbers of bytes, optionally with K, M, G or T)
    #[arg(long, value_name = "START:LEN", allow_hyphen_values = true)]
    pub(super) range: Option<PlaintextRange>,
    /// Recover the intact parts of a damaged file into the new file OUTPUT, with zeros for missing
    /// bytes, and list the missing ranges in OUTPUT.missing.json
    #[arg(long)]
    pub(super) salvage: bool,
    /// Also make symbolic links that lead out of the folder
    #[arg(long)]
    pub(super) allow_external_links: bool,
}

/// Options for many files.
#[derive(Args, Debug)]
pub(super) struct FolderArgs {
    /// Continue an interrupted run into the same folder
    #[arg(long)]
    pub(super) resume: bool,
    /// Do not write or check the manifest, which shows whether files are missing
    #[arg(long)]
    pub(super) no_manifest: bool,
}

/// Files and folders to read.
#[derive(Args, Debug)]
pub(super) struct InputArgs {
    /// The file to read (default: standard input, also "-"); or, with -o DIR, files and folders
    #[arg(value_name = "INPUT")]
    pub(super) inputs: Vec<PathBuf>,
}

/// Encrypted files and folders to read.
#[derive(Args, Debug)]
pub(super) struct ManyInputArgs {
    /// Encrypted files and folders (default: standard input, also "-")
    #[arg(value_name = "INPUT")]
    pub(super) inputs: Vec<PathBuf>,
}

/// Options of encryption, and the output.
#[derive(Args, Debug)]
pub(super) struct SealingArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    pub(super) armor: ArmorArgs,
    #[command(flatten)]
    pub(super) recipients: RecipientArgs,
}

/// Options of decryption, and the inputs.
#[derive(Args, Debug)]
pub(super) struct OpeningArgs {
    #[command(flatten)]
    pub(super) identities: IdentityArgs,
    #[command(flatten)]
    pub(super) parts: PartArgs,
    #[command(flatten)]
    pub(super) threads: ThreadArgs,
    #[command(flatten)]
    pub(super) decryption: DecryptionArgs,
    #[command(flatten)]
    pub(super) folder: FolderArgs,
    #[command(flatten)]
    pub(super) inputs: InputArgs,
}

/// The only file of a subcommand.
#[derive(Args, Debug)]
pub(super) struct FileNameArgs {
    /// The encrypted file
    #[arg(value_name = "FILE")]
    pub(super) inputs: Vec<PathBuf>,
}

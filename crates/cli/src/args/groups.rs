//! Flags that several subcommands share.

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use clap::Args;
use sealane_age::Threads;
use sealane_age::armor::Format;
use sealane_age::threshold::Label;

use super::identity::IdentityArgs;
use super::range::PlaintextRange;
use super::units::{threads, whole};

/// The destination of a single result.
#[derive(Args, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Write to the file OUTPUT, which is replaced only on success; "-" is standard output
    #[arg(short, long, value_name = "OUTPUT", allow_hyphen_values = true)]
    pub(crate) output: Option<PathBuf>,
}

impl OutputArgs {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }
}

/// The recipients.
#[derive(Args, Debug, Default)]
pub(crate) struct RecipientArgs {
    /// Encrypt to RECIPIENT: age1…, ssh-ed25519 …, ssh-rsa … (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT", allow_hyphen_values = true)]
    pub(crate) recipients: Vec<String>,
    /// Encrypt to the recipients listed in the file PATH (repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) recipients_files: Vec<PathBuf>,
    /// Encrypt with a passphrase
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Require any K of the recipients together to open the file
    #[arg(short = 'k', long, value_name = "K", value_parser = whole::<usize>)]
    pub(crate) threshold: Option<usize>,
    /// With -k, show TEXT to holders before they contribute; anyone can read it without a key
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) label: Option<Label>,
}

impl RecipientArgs {
    /// Returns whether recipients are named.
    pub(crate) fn are_named(&self) -> bool {
        !self.recipients.is_empty() || !self.recipients_files.is_empty()
    }
}

/// The keys that open files.
#[derive(Args, Debug, Default)]
pub(crate) struct KeyArgs {
    #[command(flatten)]
    pub(crate) identities: IdentityArgs,
    /// Use a holder's part of the file key from the file PATH, which may be encrypted to the
    /// identities (repeatable)
    #[arg(long = "part", value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) parts: Vec<PathBuf>,
}

/// The form of encrypted files.
#[derive(Args, Debug, Default)]
pub(crate) struct ArmorArgs {
    /// Encrypt to text (armor)
    #[arg(short, long)]
    pub(crate) armor: bool,
}

impl ArmorArgs {
    /// Returns the form in which encrypted files are written.
    pub(crate) fn format(&self) -> Format {
        if self.armor { Format::Armored } else { Format::Binary }
    }
}

/// The number of threads.
#[derive(Args, Debug, Default)]
pub(crate) struct ThreadArgs {
    /// Use THREADS threads instead of one per core
    #[arg(short, long, value_parser = threads)]
    pub(crate) threads: Option<NonZero<usize>>,
}

impl ThreadArgs {
    /// Returns the number of threads to use.
    pub(crate) fn threads(&self) -> Threads {
        self.threads.map_or_else(Threads::available, Threads::new)
    }
}

/// The range of the plaintext to decrypt, the treatment of damaged files, and that of links.
#[derive(Args, Debug, Default)]
pub(crate) struct DecryptionArgs {
    /// Decrypt only these bytes of the plaintext, and read only what they need: START:LEN, START:,
    /// :LEN, or -LEN for the end (numbers of bytes, optionally with K, M, G or T). The result has
    /// fewer bytes if the plaintext ends within the range
    #[arg(long, value_name = "START:LEN", allow_hyphen_values = true)]
    pub(crate) range: Option<PlaintextRange>,
    /// Recover the intact pieces of a damaged file into the new file OUTPUT, with zeros for missing
    /// bytes, and list the missing ranges in OUTPUT.missing.json
    #[arg(long)]
    pub(crate) salvage: bool,
    /// Also create symbolic links that lead out of the folder
    #[arg(long)]
    pub(crate) allow_external_links: bool,
}

/// Options for many files.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct FolderArgs {
    /// Continue an interrupted run into the same folder
    #[arg(long)]
    pub(crate) resume: bool,
    /// Do not write or check the manifest, which shows whether files are missing
    #[arg(long)]
    pub(crate) no_manifest: bool,
}

/// Files and folders to read.
#[derive(Args, Debug, Default)]
pub(crate) struct InputArgs {
    /// The file to read (default: standard input, also "-"); or, with -o DIR, files and folders
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
}

impl InputArgs {
    /// Returns the only file to read; `None` is standard input, also if it is named "-".
    pub(crate) fn file(&self) -> Option<&Path> {
        only(&self.inputs)
    }
}

/// Returns the only file to read; `None` is standard input, also if it is named "-".
pub(super) fn only(inputs: &[PathBuf]) -> Option<&Path> {
    inputs.first().map(PathBuf::as_path).filter(|path| *path != OsStr::new("-"))
}

/// Encrypted files and folders to read.
#[derive(Args, Debug, Default)]
pub(crate) struct ManyInputArgs {
    /// Encrypted files and folders (default: standard input, also "-")
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
}

/// Options of encryption, and the output.
#[derive(Args, Debug, Default)]
pub(crate) struct SealingArgs {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) armor: ArmorArgs,
    #[command(flatten)]
    pub(crate) recipients: RecipientArgs,
}

/// Options of decryption, and the inputs.
#[derive(Args, Debug, Default)]
pub(crate) struct OpeningArgs {
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) decryption: DecryptionArgs,
    #[command(flatten)]
    pub(crate) folder: FolderArgs,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
}

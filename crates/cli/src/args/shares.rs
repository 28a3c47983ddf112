//! The flags of `sealane split`, `combine` and `share`.

use std::path::PathBuf;

use clap::{Args, Command, Subcommand};

use super::base;

/// What to split, and how.
#[derive(Args, Debug)]
pub(crate) struct SplitArgs {
    /// So many shares give the secret back, and fewer do not help to find it (2 to N)
    #[arg(short = 'k', long, value_name = "K")]
    pub(crate) threshold: usize,
    /// So many shares are made (2 to 255)
    #[arg(short = 'n', long = "shares", value_name = "N")]
    pub(crate) count: usize,
    /// Write the shares into the folder DIR, made if need be; "-" prints them, one a line [default: this folder]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    /// With --words: encrypt the secret with a passphrase too
    #[arg(short, long, requires = "words")]
    pub(crate) passphrase: bool,
    /// The file to split; standard input if left out or "-"
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// The form of shares.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(id = "form", multiple = false)]
pub(crate) struct FormArgs {
    /// Shares of a secret of any length, as large as it is (the default for more than 2 KiB)
    #[arg(long)]
    pub(crate) binary: bool,
    /// Shares that are a line of letters and digits (the default up to 2 KiB)
    #[arg(long)]
    pub(crate) text: bool,
    /// SLIP-39 shares, words to read out: of the one key in an identity file, or of 16 bytes or more, up to 16 shares
    #[arg(long)]
    pub(crate) words: bool,
    /// Shares for ssss-combine: of a secret of at most 128 bytes, or of the one key in an identity file
    #[arg(long)]
    pub(crate) ssss: bool,
    /// Shares as HashiCorp Vault's unseal keys
    #[arg(long)]
    pub(crate) vault: bool,
}

impl FormArgs {
    /// Whether one was chosen.
    pub(crate) fn is_given(self) -> bool {
        self.binary || self.text || self.words || self.ssss || self.vault
    }
}

/// What to combine.
#[derive(Args, Debug)]
pub(crate) struct CombineArgs {
    /// Write the secret to the file OUTPUT, which must not exist, with mode 0600; "-" is standard
    /// output
    #[arg(short, long, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,
    /// Of shares of several sets, combine those of the set ID: the digits that share inspect shows,
    /// or the first of them
    #[arg(long, value_name = "ID", value_parser = set_id, conflicts_with_all = ["ssss", "vault"])]
    pub(crate) set: Option<String>,
    /// The secret is a key of 32 bytes, as in --words shares of an identity: write it as an identity
    #[arg(long)]
    pub(crate) identity: bool,
    /// The shares are lines from ssss-split, whose result nothing can check
    #[arg(long, conflicts_with = "vault")]
    pub(crate) ssss: bool,
    /// With --ssss: the shares were made with -D, without the diffusion layer
    #[arg(long, requires = "ssss")]
    pub(crate) no_diffusion: bool,
    /// The shares are unseal keys of HashiCorp Vault, whose result nothing can check
    #[arg(long)]
    pub(crate) vault: bool,
    /// With --ssss, which needs it, or --vault: so many shares are needed; more are checked against
    /// each other [default for
    /// --vault: all that are given]
    #[arg(short = 'k', long, value_name = "K")]
    pub(crate) threshold: Option<usize>,
    /// The words were made with a passphrase (from AGE_PASSPHRASE, or asked for at the terminal)
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// For words: take such as were made with an iteration exponent of up to E, each of which doubles the time (0 to 15) [default: 6]
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u8).range(..=15))]
    pub(crate) iteration_limit: Option<u8>,
    /// Files with shares in any form, also several lines of them; "-" is standard input
    #[arg(value_name = "SHARE", required = true)]
    pub(crate) shares: Vec<PathBuf>,
}

/// What to do with shares.
#[derive(Subcommand, Debug)]
pub(crate) enum ShareAction {
    /// Shows what shares say of themselves, and whether they are whole; goes on after bad ones
    Inspect(ShareInspectArgs),
    /// Makes new shares of the same secret from enough old ones in one place, after which fewer old
    /// ones are worth nothing
    Refresh(RefreshArgs),
    /// Makes a lost share again, or one more, from enough others in one place, without forming the
    /// secret
    Reissue(ReissueArgs),
}

/// Which shares to show.
#[derive(Args, Debug)]
pub(crate) struct ShareInspectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Files with shares; "-" is standard input
    #[arg(value_name = "SHARE", required = true)]
    pub(crate) shares: Vec<PathBuf>,
}

/// Which shares to refresh.
#[derive(Args, Debug)]
pub(crate) struct RefreshArgs {
    /// Write the new shares into the folder DIR, made if need be [default: this folder]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Of shares of several sets, take those of the set ID
    #[arg(long, value_name = "ID", value_parser = set_id)]
    pub(crate) set: Option<String>,
    /// All shares that are to go on: the others of the set are worth nothing with the new ones
    #[arg(value_name = "SHARE", required = true)]
    pub(crate) shares: Vec<PathBuf>,
}

/// Which share to make again.
#[derive(Args, Debug)]
pub(crate) struct ReissueArgs {
    /// The number of the share to make (1 to 255)
    #[arg(long, value_name = "NUMBER")]
    pub(crate) index: u16,
    /// Write the share into the folder DIR, made if need be [default: this folder]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Of shares of several sets, take those of the set ID
    #[arg(long, value_name = "ID", value_parser = set_id)]
    pub(crate) set: Option<String>,
    /// As many other shares of the set as it needs, or more
    #[arg(value_name = "SHARE", required = true)]
    pub(crate) shares: Vec<PathBuf>,
}

/// The hexadecimal digits of a set's identifier, or the first of them.
fn set_id(text: &str) -> Result<String, String> {
    let is_id = (4..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id { Ok(text.to_ascii_lowercase()) } else { Err("not 4 to 32 hexadecimal digits".to_owned()) }
}

const SPLIT_NOTES: &str = "\
Each share is a file of its own, for its owner only (mode 0600); its name says which it is, and how
many are needed. Any K of them give the secret back (sealane combine); fewer do not help to find it,
not even to check a guess. Give each to somebody else, and destroy the secret itself if nobody
should have it alone.

Examples:
  sealane split -k 3 -n 5 -o shares key.txt
  sealane combine -o restored.txt shares/key.txt.*.share*";

const COMBINE_NOTES: &str = "\
Nothing is written unless the result is what was split, and no file is replaced. Shares may come in any
mix of binary and text form; a share that is there twice is ignored; bad ones are named, and left out if
there are enough others. Shares of more than one set are an error that lists the sets.
Text may be wrapped, quoted or copied from a mail; words may be one a line, numbered, or cut to their
first four letters. Shares are files of any size; one that comes through a pipe is kept in memory, and
may have 64 MiB.";

pub(super) fn split_command() -> Command {
    SplitArgs::augment_args(base("split").bin_name("sealane split"))
        .about("Splits a file into N shares, any K of which give it back")
        .after_help(SPLIT_NOTES)
}

pub(super) fn combine_command() -> Command {
    CombineArgs::augment_args(base("combine").bin_name("sealane combine"))
        .about("Puts a secret together from its shares")
        .after_help(COMBINE_NOTES)
}

pub(super) fn share_command() -> Command {
    ShareAction::augment_subcommands(base("share").bin_name("sealane share"))
        .about("Shows, refreshes or reissues shares, without forming the secret")
        .subcommand_required(true)
}

//! The arguments of `sealane split`, `combine` and `share`.

use std::path::PathBuf;

use clap::{Args, Command, Subcommand};

use super::units::whole;

/// The arguments of `sealane split`.
#[derive(Args, Debug)]
pub(crate) struct SplitArgs {
    /// Require K shares to restore the secret (2 to N)
    #[arg(short = 'k', long, value_name = "K", value_parser = whole::<usize>)]
    pub(crate) threshold: usize,
    /// Make N shares (2 to 255, or 16 with --words)
    #[arg(short = 'n', long = "shares", value_name = "N", value_parser = whole::<usize>)]
    pub(crate) count: usize,
    /// Write shares into folder DIR (created if missing); "-" prints one share per line, after
    /// comments [default: the current folder]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write the shares to the new file FILE (HTML), to be printed with one share on a page
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub(crate) sheet: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    /// With --words: encrypt the secret with a passphrase too
    #[arg(short, long, requires = "words")]
    pub(crate) passphrase: bool,
    /// The file to split (default: standard input, also "-")
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// The form of shares.
#[derive(Args, Clone, Copy, Debug, Default)]
#[group(id = "form", multiple = false)]
pub(crate) struct FormArgs {
    /// Make binary shares, each as long as the secret (the default above 2 KiB)
    #[arg(long)]
    pub(crate) binary: bool,
    /// Make shares that are one line of letters and digits (the default up to 2 KiB)
    #[arg(long)]
    pub(crate) text: bool,
    /// Make SLIP-39 shares (words to read out), at most 16, of an identity's key or of a secret of
    /// 16 to 1024 bytes, an even number
    #[arg(long)]
    pub(crate) words: bool,
    /// Make shares for ssss-combine, of a secret of at most 128 bytes or of the key in an identity
    /// file
    #[arg(long)]
    pub(crate) ssss: bool,
    /// Make shares like the unseal keys of HashiCorp Vault
    #[arg(long)]
    pub(crate) vault: bool,
}

impl FormArgs {
    /// Returns whether a form was chosen.
    pub(crate) fn is_given(self) -> bool {
        self.binary || self.text || self.words || self.ssss || self.vault
    }
}

/// The arguments of `sealane combine`.
#[derive(Args, Debug)]
pub(crate) struct CombineArgs {
    /// Write the secret to the new file OUTPUT, with mode 0600; "-" is standard output
    #[arg(short, long, value_name = "OUTPUT")]
    pub(crate) output: Option<PathBuf>,
    /// Combine only set ID (or its first digits; see share inspect)
    #[arg(long, value_name = "ID", value_parser = set_id, conflicts_with_all = ["ssss", "vault"])]
    pub(crate) set: Option<String>,
    /// Write an identity file, for shares that have only the key of an identity: 32 bytes, or the
    /// line of a post-quantum key
    #[arg(long)]
    pub(crate) identity: bool,
    /// Combine lines from ssss-split; nothing can check their result
    #[arg(long, conflicts_with = "vault")]
    pub(crate) ssss: bool,
    /// With --ssss, combine shares that ssss-split made with -D, without the diffusion layer
    #[arg(long, requires = "ssss")]
    pub(crate) no_diffusion: bool,
    /// Combine unseal keys of HashiCorp Vault; nothing can check their result
    #[arg(long)]
    pub(crate) vault: bool,
    /// With --ssss or --vault, the number of shares that restore the secret; more shares are
    /// checked against each other [default for --vault: all; --ssss needs it]
    #[arg(short = 'k', long, value_name = "K", value_parser = whole::<usize>)]
    pub(crate) threshold: Option<usize>,
    /// Use the passphrase with which the words were made (from AGE_PASSPHRASE, or asked for at the
    /// terminal)
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// For words, the largest iteration exponent (0 to 15); each step doubles the time [default: 6]
    #[arg(long, value_name = "E", value_parser = clap::value_parser!(u8).range(..=15))]
    pub(crate) iteration_limit: Option<u8>,
    /// Files with one share or several; "-" is standard input [default: typed at the terminal]
    #[arg(value_name = "SHARE")]
    pub(crate) shares: Vec<PathBuf>,
}

/// The subcommands of `sealane share`.
#[derive(Subcommand, Debug)]
pub(crate) enum ShareAction {
    /// Shows the public values of shares, and whether the shares are intact
    Inspect(ShareInspectArgs),
    /// Makes new shares of the same secret; old and new shares do not combine
    Refresh(RefreshArgs),
    /// Makes a lost or an additional share, without computing the secret
    Reissue(ReissueArgs),
}

/// The arguments of `sealane share inspect`.
#[derive(Args, Debug)]
pub(crate) struct ShareInspectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Files with shares; "-" is standard input
    #[arg(value_name = "SHARE", required = true)]
    pub(crate) shares: Vec<PathBuf>,
}

/// The arguments of `sealane share refresh`.
#[derive(Args, Debug)]
pub(crate) struct RefreshArgs {
    /// Write the new shares into folder DIR (created if missing) [default: the current folder]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Use only the shares of set ID
    #[arg(long, value_name = "ID", value_parser = set_id)]
    pub(crate) set: Option<String>,
    /// All shares to renew; other shares of the set do not combine with the new ones
    #[arg(value_name = "SHARE", required = true)]
    pub(crate) shares: Vec<PathBuf>,
}

/// The arguments of `sealane share reissue`.
#[derive(Args, Debug)]
pub(crate) struct ReissueArgs {
    /// The number of the share to make (1 to 255)
    #[arg(long, value_name = "NUMBER", value_parser = whole::<u16>)]
    pub(crate) index: u16,
    /// Write the share into folder DIR (created if missing) [default: the current folder]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Use only the shares of set ID
    #[arg(long, value_name = "ID", value_parser = set_id)]
    pub(crate) set: Option<String>,
    /// Other shares of the set, as many as restore the secret
    #[arg(value_name = "SHARE", required = true)]
    pub(crate) shares: Vec<PathBuf>,
}

/// Parses the hexadecimal digits of a set's identifier, or the first of them.
fn set_id(text: &str) -> Result<String, String> {
    let is_id = (4..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if is_id { Ok(text.to_ascii_lowercase()) } else { Err("not 4 to 32 hexadecimal digits".to_owned()) }
}

const SPLIT_NOTES: &str = "\
Each share is a file with mode 0600. Its name has its number and the number of shares that are
needed. Any K shares restore the secret (sealane combine). Fewer do not even help to check a guess,
except with --words: use it only for keys, or with a passphrase that is hard to guess (-p). Give
each share to a different person. Destroy the secret if no single person should have it.

If an identity file is larger than 2 KiB, such as a post-quantum one, the shares hold only its key.
--binary splits the whole file.

With --sheet, each page has a QR code, the share, and the steps that restore the secret.

Examples:
  sealane split -k 3 -n 5 -o shares key.txt
  sealane split -k 2 -n 3 --sheet sheets.html key.txt
  sealane combine -o restored.txt shares/key.txt.*.share*";

const COMBINE_NOTES: &str = "\
No file is replaced. With shares in Sealane's own format, binary or text, nothing is written unless
the result is the secret that was split. With words, a wrong passphrase gives another secret, which
is noticed only if a comment states the public key. Duplicates are ignored. Damaged shares are
named, and left out if there are enough others. If shares are of several sets, the command fails and
lists the sets.

Text may be wrapped, quoted or copied from a mail. Words may be on separate lines, numbered, or cut
to their first four letters. Text may have up to 4 MiB. A binary share from a pipe is kept in
memory, and may have up to 64 MiB.

Without SHARE, each share is typed at the terminal, on one line that is not shown. It is checked at
once, so a mistake can be corrected. If the secret is an identity, its public key is shown at the
end.

Examples:
  sealane combine -o restored.txt shares/*
  sealane combine -o restored.txt";

pub(super) fn split_command(base: Command) -> Command {
    SplitArgs::augment_args(base).after_help(SPLIT_NOTES)
}

pub(super) fn combine_command(base: Command) -> Command {
    CombineArgs::augment_args(base).after_help(COMBINE_NOTES)
}

pub(super) fn share_command(base: Command) -> Command {
    ShareAction::augment_subcommands(base).subcommand_required(true)
}

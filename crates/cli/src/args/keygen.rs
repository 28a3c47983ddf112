//! The arguments of `sealane keygen`: age-keygen's and additional ones.

use std::path::PathBuf;

use clap::{Args, Command};

use super::shares::FormArgs;

/// The flags of age-keygen, and additional ones.
#[derive(Args, Debug, Default)]
pub(crate) struct KeygenArgs {
    /// Write to the file OUTPUT, which must not exist, with mode 0600
    #[arg(short, long, value_name = "OUTPUT", allow_hyphen_values = true)]
    pub(crate) output: Option<PathBuf>,
    /// Print the recipients of the identity file INPUT instead of generating a key
    #[arg(short = 'y', long = "to-recipient")]
    pub(crate) convert: bool,
    /// Make a post-quantum key (ML-KEM-768 with X25519)
    #[arg(long)]
    pub(crate) pq: bool,
    /// Print the identities and parts in the files INPUT… as one identity of age-plugin-sealane,
    /// which lets age and rage open files for several holders
    #[arg(long, conflicts_with_all = ["convert", "pq", "split"])]
    pub(crate) plugin: bool,
    /// Make a key, and write only its N shares into the folder OUTPUT [default: the current
    /// folder]; any K of them restore the key
    #[arg(long, value_name = "K/N", value_parser = k_of_n)]
    pub(crate) split: Option<(usize, usize)>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    /// With -y and --plugin, the file to read (default: standard input, also "-")
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
}

const NOTES: &str = "\
Examples:
  sealane keygen -o key.txt
  sealane keygen -y key.txt
  sealane keygen --split 3/5 -o keepers";

pub(super) fn command(base: Command) -> Command {
    KeygenArgs::augment_args(base).after_help(NOTES)
}

/// Parses "3/5": 3 of 5.
fn k_of_n(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once('/').and_then(|(k, n)| Some((k.trim().parse().ok()?, n.trim().parse().ok()?)));
    let (k, n) = parsed.ok_or("not of the form K/N, as in 3/5")?;
    let is_possible = (2..=n).contains(&k) && n <= 255;
    is_possible.then_some((k, n)).ok_or_else(|| "K is from 2 to N, and N is at most 255".to_owned())
}

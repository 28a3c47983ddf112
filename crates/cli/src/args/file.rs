//! The command lines of age, and the same behind the words `encrypt` and `decrypt`.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use sealane_age::Threads;
use sealane_age::armor::Format;
use sealane_age::threshold::Label;

use super::compat::{self, Flag, with_version};
use super::range::PlaintextRange;
use super::{Action, base};
use crate::error::Result;

/// The flags of age.
#[derive(Args, Debug, Default)]
pub(crate) struct FileArgs {
    /// Encrypt the input to the output (the default)
    #[arg(short, long)]
    pub(crate) encrypt: bool,
    /// Decrypt the input to the output
    #[arg(short, long)]
    pub(crate) decrypt: bool,
    /// Write to the file OUTPUT, replacing it at success; "-" is standard output
    #[arg(short, long, value_name = "OUTPUT", allow_hyphen_values = true)]
    pub(crate) output: Option<PathBuf>,
    /// Encrypt to text (PEM)
    #[arg(short, long)]
    pub(crate) armor: bool,
    /// Encrypt with a passphrase
    #[arg(short, long)]
    pub(crate) passphrase: bool,
    /// Encrypt to RECIPIENT: age1…, ssh-ed25519 …, ssh-rsa … (repeatable)
    #[arg(short, long = "recipient", value_name = "RECIPIENT", allow_hyphen_values = true)]
    pub(crate) recipients: Vec<String>,
    /// Encrypt to the recipients listed in the file PATH (repeatable)
    #[arg(short = 'R', long = "recipients-file", value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) recipients_files: Vec<PathBuf>,
    /// Use the identity file PATH (repeatable); with -e, encrypt to its recipients
    #[arg(short, long = "identity", value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) identity_files: Vec<PathBuf>,
    /// Use the plugin age-plugin-PLUGIN without an identity file (repeatable)
    #[arg(short = 'j', long = "plugin", value_name = "PLUGIN", allow_hyphen_values = true)]
    pub(crate) plugins: Vec<String>,
    /// Encrypt so that any K of the recipients together can open it, and fewer can not
    #[arg(short = 'k', long, value_name = "K")]
    pub(crate) threshold: Option<usize>,
    /// With -k, show TEXT to holders before they contribute; it can be read without a key
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) label: Option<Label>,
    /// Use the part of a file's key that a holder has contributed, in the file PATH, which may be
    /// encrypted to the identities (repeatable)
    #[arg(long = "part", value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) parts: Vec<PathBuf>,
    /// Use THREADS threads instead of as many as there are cores
    #[arg(short, long)]
    pub(crate) threads: Option<NonZero<usize>>,
    /// Decrypt only these bytes of the plaintext, reading no more of INPUT than they need: START:LEN, START:, :LEN, or -LEN
    /// for the end (each a number of bytes, or one with K, M, G or T)
    #[arg(long, value_name = "START:LEN", allow_hyphen_values = true)]
    pub(crate) range: Option<PlaintextRange>,
    /// Decrypt what is left of a damaged file to OUTPUT, a new file with zeros for what is missing, and list that in
    /// OUTPUT.missing.json
    #[arg(long)]
    pub(crate) salvage: bool,
    /// Go on with many files where an interrupted run into the same folder ended
    #[arg(long)]
    pub(crate) resume: bool,
    /// Encrypt or decrypt many files without a manifest, which would tell whether any are missing
    #[arg(long)]
    pub(crate) no_manifest: bool,
    /// Make the symbolic links of a folder that lead out of it too
    #[arg(long)]
    pub(crate) allow_external_links: bool,
    /// The file to read, standard input if left out or "-"; or several files and folders, with -o DIR
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// `-i` and `-j` in the order in which they were given.
    #[arg(skip)]
    pub(crate) identities: Vec<IdentitySource>,
    /// The file to read, or standard input.
    #[arg(skip)]
    pub(crate) input: Option<PathBuf>,
    /// Instead of it, several files, or a folder.
    #[arg(skip)]
    pub(crate) many: Vec<PathBuf>,
}

impl FileArgs {
    /// How many threads are to be used.
    pub(crate) fn threads(&self) -> Threads {
        self.threads.map_or_else(Threads::available, Threads::new)
    }

    /// The form in which sealed files are written.
    pub(crate) fn format(&self) -> Format {
        if self.armor { Format::Armored } else { Format::Binary }
    }
}

/// The flags of `sealane rekey`: those of age, and one more.
#[derive(Args, Debug)]
pub(crate) struct RekeyArgs {
    /// Let everybody who can open the file now go on to do so
    #[arg(long)]
    pub(crate) add: bool,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}

/// The flags of `sealane contribute`.
#[derive(Args, Debug)]
pub(crate) struct ContributeArgs {
    /// Give the part away without asking
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}

/// Where identities come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdentitySource {
    /// `-i PATH`
    File(PathBuf),
    /// `-j PLUGIN`
    Plugin(String),
}

const ENCRYPT_NOTES: &str = "\
Of several files, or of a folder, each becomes a file of its own in DIR, under its own name and .age, with its
mode and time. A manifest in DIR, encrypted too, tells whether all are there and in their places. So does one file
if DIR is a folder that is there, or ends in a slash; it has no manifest.

Example:
  sealane encrypt -r age1… -o sealed photos letters.txt";

const DECRYPT_NOTES: &str = "\
Several files, or what is in a folder, go to DIR. If the folder has a manifest, files that are missing, were added
or exchanged are named, and the status is 1. So does one file, if DIR is a folder that is there, or ends in a slash.

Example:
  sealane decrypt -i key.txt -o restored sealed";

const CONTRIBUTE_NOTES: &str = "\
The file was encrypted with -k, for several holders together. What is shown before the question is what
its maker wrote about it; the name of FILE may be anybody's. With -r or -R, the part is encrypted to the
one who opens the file. Without, it is a secret as it stands: enough parts open the file.

Example:
  sealane contribute -i key.txt -r age1… -o part.age plans.age
  sealane decrypt -i mine.txt --part part.age plans.age";

const REKEY_NOTES: &str = "\
Only the header is written anew, and FILE keeps its name, owner and mode; with -o, OUTPUT is a copy with
the new header. The content is not encrypted again: whoever could open the file before may have kept a
copy of it, or its key. To take it away from somebody, decrypt it and encrypt it anew.

Example:
  sealane rekey -i old-key.txt -r age1… photos.tar.age";

pub(super) fn file_flags() -> Vec<Flag> {
    let switches = [('e', "encrypt"), ('d', "decrypt"), ('a', "armor"), ('p', "passphrase"), ('h', "help")];
    let values = [
        ('o', "output"),
        ('r', "recipient"),
        ('R', "recipients-file"),
        ('i', "identity"),
        ('j', "plugin"),
        ('k', "threshold"),
        ('t', "threads"),
    ];
    let mut flags = with_version(&switches);
    flags.extend(values.map(|(short, long)| Flag { short: Some(short), long: Some(long), takes_value: true }));
    flags.extend(["range", "part", "label"].map(|long| Flag { short: None, long: Some(long), takes_value: true }));
    flags.extend(["salvage", "resume", "no-manifest", "allow-external-links"].map(|long| Flag {
        short: None,
        long: Some(long),
        takes_value: false,
    }));
    flags
}

/// Leaves flags out of the help of a word that has no use for them: given, they are refused with a reason.
fn hide(command: Command, names: &[&'static str]) -> Command {
    names.iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)))
}

pub(super) fn encrypt_command() -> Command {
    let command = FileArgs::augment_args(base("encrypt").bin_name("sealane encrypt"))
        .about("Encrypts INPUT to recipients, to the recipients of identities, or with a passphrase")
        .override_usage(
            "sealane encrypt [-a] (-r RECIPIENT | -R PATH | -i PATH | -j PLUGIN | -p)... [-t THREADS] [-o OUTPUT] [INPUT]\n       \
             sealane encrypt [-a] (-r RECIPIENT | -R PATH | -i PATH | -j PLUGIN)... [--resume] -o DIR INPUT...",
        )
        .after_help(ENCRYPT_NOTES);
    hide(command, &["encrypt", "decrypt", "range", "salvage", "parts", "allow_external_links"])
}

pub(super) fn decrypt_command() -> Command {
    let hidden = ["encrypt", "decrypt", "armor", "passphrase", "recipients", "recipients_files", "threshold", "label"];
    let command = FileArgs::augment_args(base("decrypt").bin_name("sealane decrypt"))
        .about("Decrypts INPUT with identities, or with a passphrase if it was encrypted with one")
        .override_usage(
            "sealane decrypt [-i PATH | -j PLUGIN]... [-t THREADS] [--range START:LEN] [-o OUTPUT] [INPUT]\n       \
             sealane decrypt (-i PATH | -j PLUGIN)... [--resume] -o DIR INPUT...\n       \
             sealane decrypt --salvage [-i PATH | -j PLUGIN]... -o OUTPUT INPUT",
        )
        .after_help(DECRYPT_NOTES);
    hide(command, &hidden)
}

pub(super) fn rekey_command() -> Command {
    let hidden = [
        "encrypt",
        "decrypt",
        "armor",
        "threads",
        "range",
        "salvage",
        "resume",
        "no_manifest",
        "allow_external_links",
        "inputs",
    ];
    let command = RekeyArgs::augment_args(base("rekey").bin_name("sealane rekey"))
        .about("Gives a file to other recipients, without encrypting it again")
        .override_usage(
            "sealane rekey [--add] (-r RECIPIENT | -R PATH | -p)... [-i PATH | -j PLUGIN]... [-o OUTPUT] FILE",
        )
        .after_help(REKEY_NOTES);
    hide(command, &hidden)
}

pub(super) fn contribute_command() -> Command {
    let hidden = [
        "encrypt",
        "decrypt",
        "passphrase",
        "threshold",
        "parts",
        "threads",
        "range",
        "salvage",
        "resume",
        "no_manifest",
        "allow_external_links",
        "inputs",
    ];
    let command = ContributeArgs::augment_args(base("contribute").bin_name("sealane contribute"))
        .about("Opens the part of FILE's key that an identity holds, for those who open FILE")
        .override_usage(
            "sealane contribute [-i PATH | -j PLUGIN]... [-r RECIPIENT | -R PATH]... [--label TEXT] [-y] [-o OUTPUT] FILE",
        )
        .mut_arg("recipients", |arg| arg.help("Encrypt the part to RECIPIENT, who opens the file (repeatable)"))
        .mut_arg("recipients_files", |arg| {
            arg.help("Encrypt the part to the recipients listed in the file PATH (repeatable)")
        })
        .mut_arg("identity_files", |arg| arg.help("Use the identity file PATH of the holder (repeatable)"))
        .mut_arg("armor", |arg| arg.help("With -r or -R, write the encrypted part as text (PEM)"))
        .mut_arg("label", |arg| arg.help("Give away only a part of a file with the label TEXT"))
        .after_help(CONTRIBUTE_NOTES);
    hide(command, &hidden)
}

/// Reads what follows the word `contribute`.
pub(super) fn parse_contribute(command: Command, args: Vec<OsString>) -> Result<Action, clap::Error> {
    let mut flags = file_flags();
    flags.push(Flag { short: Some('y'), long: Some("yes"), takes_value: false });
    let matches = super::run(command, compat::normalise(args, &flags))?;
    let mut args = ContributeArgs::from_arg_matches(&matches)?;
    args.file = found(&matches)?;
    Ok(Action::Contribute(args))
}

/// Reads what follows the word `rekey`.
pub(super) fn parse_rekey(command: Command, args: Vec<OsString>) -> Result<Action, clap::Error> {
    let mut flags = file_flags();
    flags.push(Flag { short: None, long: Some("add"), takes_value: false });
    let matches = super::run(command, compat::normalise(args, &flags))?;
    let mut args = RekeyArgs::from_arg_matches(&matches)?;
    args.file = found(&matches)?;
    Ok(Action::Rekey(args))
}

/// Reads what follows the word. `decrypt` is what that says, or `None` if there is none.
pub(super) fn parse(command: Command, args: Vec<OsString>, decrypt: Option<bool>) -> Result<Action, clap::Error> {
    let mut args = found(&super::run(command, compat::normalise(args, &file_flags()))?)?;
    match decrypt {
        Some(false) => args.encrypt = true,
        Some(true) => args.decrypt = true,
        None => {}
    }
    Ok(if args.decrypt { Action::Decrypt(args) } else { Action::Encrypt(args) })
}

/// What was found on the command line.
fn found(found: &ArgMatches) -> Result<FileArgs, clap::Error> {
    let mut args = FileArgs::from_arg_matches(found)?;
    let files = positions(found, "identity_files")
        .zip(std::mem::take(&mut args.identity_files).into_iter().map(IdentitySource::File));
    let plugins =
        positions(found, "plugins").zip(std::mem::take(&mut args.plugins).into_iter().map(IdentitySource::Plugin));
    // The order in which identities are tried is the order in which they were given, files and plugins alike.
    let mut identities: Vec<_> = files.chain(plugins).collect();
    identities.sort_by_key(|&(position, _)| position);
    args.identities = identities.into_iter().map(|(_, source)| source).collect();
    Ok(args)
}

fn positions<'m>(found: &'m ArgMatches, name: &str) -> impl Iterator<Item = usize> + 'm {
    found.indices_of(name).into_iter().flatten()
}

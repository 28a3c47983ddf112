//! The command lines of age, and the same behind the words `encrypt` and `decrypt`.

use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use sealane_age::Threads;

use super::compat::{self, Flag, with_version};
use super::range::PlaintextRange;
use super::{Action, WORDS, base};
use crate::error::{Error, Result};

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
    identity_files: Vec<PathBuf>,
    /// Use the plugin age-plugin-PLUGIN without an identity file (repeatable)
    #[arg(short = 'j', long = "plugin", value_name = "PLUGIN", allow_hyphen_values = true)]
    plugins: Vec<String>,
    /// Encrypt so that any K of the recipients together can open it, and fewer can not
    #[arg(short = 'k', long, value_name = "K")]
    pub(crate) threshold: Option<usize>,
    /// Use the part of a file's key that a holder has contributed, in the file PATH (repeatable)
    #[arg(long = "part", value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) parts: Vec<PathBuf>,
    /// Use THREADS threads instead of as many as there are cores
    #[arg(short, long)]
    threads: Option<NonZero<usize>>,
    /// Decrypt only these bytes of the plaintext, reading no more of INPUT than they need: START:LEN, START:, :LEN, or -LEN
    /// for the end (each a number of bytes, or one with K, M, G or T)
    #[arg(long, value_name = "START:LEN", allow_hyphen_values = true)]
    pub(crate) range: Option<PlaintextRange>,
    /// Decrypt what is left of a damaged file to OUTPUT, a new file with zeros for what is missing, and list that in
    /// OUTPUT.missing.json
    #[arg(long)]
    pub(crate) salvage: bool,
    /// The file to read; standard input if left out or "-"
    // More than one is refused with more of a hint than clap would give; its help would promise them.
    #[arg(value_name = "INPUT", hide = true)]
    inputs: Vec<PathBuf>,
    /// `-i` and `-j` in the order in which they were given.
    #[arg(skip)]
    pub(crate) identities: Vec<IdentitySource>,
    /// The file to read, or standard input.
    #[arg(skip)]
    pub(crate) input: Option<PathBuf>,
}

impl FileArgs {
    /// How many threads are to be used.
    pub(crate) fn threads(&self) -> Threads {
        self.threads.map_or_else(Threads::available, Threads::new)
    }

    fn take_input(&mut self) -> Result<()> {
        if let [_, second, ..] = self.inputs.as_slice() {
            return Err(Error::usage(format!(
                "more than one INPUT: {:?} is one too many",
                second.display().to_string()
            ))
            .hint("encrypt or decrypt one file at a time, or make an archive of them first (tar)"));
        }
        self.input = self.inputs.pop().filter(|path| path != OsStr::new("-"));
        Ok(())
    }

    /// What `sealane contribute` takes.
    pub(super) fn checked_to_contribute(mut self) -> Result<Self> {
        self.take_input()?;
        if self.input.is_none() {
            return Err(Error::usage("missing FILE").hint("the encrypted file is given by its name"));
        }
        if self.identities.is_empty() {
            return Err(
                Error::usage("missing identity").hint("the private key of a holder is given with -i, a plugin with -j")
            );
        }
        Ok(self)
    }

    /// These, if they go together. The combinations that age refuses, and why.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.take_input()?;
        if self.decrypt {
            check_decrypt(&self)?
        } else {
            check_encrypt(&self)?
        }
        warn_duplicates(&self);
        Ok(self)
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

impl RekeyArgs {
    /// These, if they go together.
    pub(super) fn checked(mut self) -> Result<Self> {
        self.file.take_input()?;
        let new = !self.file.recipients.is_empty() || !self.file.recipients_files.is_empty();
        if self.file.input.is_none() {
            return Err(
                Error::usage("missing FILE").hint("the file whose recipients are to change is given by its name")
            );
        }
        if new == self.file.passphrase {
            return Err(if new {
                Error::usage("-p/--passphrase can't be combined with -r or -R")
                    .hint("a file encrypted with a passphrase has no other recipients")
            } else {
                Error::usage("missing recipients")
                    .hint("say for whom with -r RECIPIENT or -R FILE, or with a new passphrase: -p")
            });
        }
        if self.add && self.file.passphrase {
            return Err(Error::usage("-p/--passphrase can't be combined with --add")
                .hint("a file encrypted with a passphrase has no other recipients"));
        }
        warn_duplicates(&self.file);
        Ok(self)
    }
}

/// Where identities come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdentitySource {
    /// `-i PATH`
    File(PathBuf),
    /// `-j PLUGIN`
    Plugin(String),
}

const CONTRIBUTE_NOTES: &str = "\
The file was encrypted with -k, for several holders together. Who opens it takes the parts with --part.
A part is a secret: enough of them open the file. To send one, encrypt it to who opens the file.

Example:
  sealane contribute -i key.txt plans.age | sealane -r age1… -o part.age
  sealane decrypt -i mine.txt -o part.txt part.age
  sealane decrypt -i mine.txt --part part.txt plans.age";

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
    flags.extend(["range", "part"].map(|long| Flag { short: None, long: Some(long), takes_value: true }));
    flags.push(Flag { short: None, long: Some("salvage"), takes_value: false });
    flags
}

pub(super) fn encrypt_command() -> Command {
    FileArgs::augment_args(base("encrypt").bin_name("sealane encrypt"))
        .about("Encrypts INPUT to recipients, to the recipients of identities, or with a passphrase")
        .override_usage(
            "sealane encrypt [-a] (-r RECIPIENT | -R PATH | -i PATH | -j PLUGIN | -p)... [-t THREADS] [-o OUTPUT] [INPUT]",
        )
        .mut_arg("encrypt", |arg| arg.hide(true))
        .mut_arg("decrypt", |arg| arg.hide(true))
        .mut_arg("range", |arg| arg.hide(true))
        .mut_arg("salvage", |arg| arg.hide(true))
        .mut_arg("parts", |arg| arg.hide(true))
}

pub(super) fn decrypt_command() -> Command {
    let hidden = ["encrypt", "decrypt", "armor", "passphrase", "recipients", "recipients_files", "threshold"];
    let command = FileArgs::augment_args(base("decrypt").bin_name("sealane decrypt"))
        .about("Decrypts INPUT with identities, or with a passphrase if it was encrypted with one")
        .override_usage(
            "sealane decrypt [-i PATH | -j PLUGIN]... [-t THREADS] [--range START:LEN] [-o OUTPUT] [INPUT]\n       \
             sealane decrypt --salvage [-i PATH | -j PLUGIN]... -o OUTPUT INPUT",
        );
    hidden.into_iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)))
}

pub(super) fn rekey_command() -> Command {
    let hidden = ["encrypt", "decrypt", "armor", "threads", "range", "salvage"];
    let command = RekeyArgs::augment_args(base("rekey").bin_name("sealane rekey"))
        .about("Gives a file to other recipients, without encrypting it again")
        .override_usage(
            "sealane rekey [--add] (-r RECIPIENT | -R PATH | -p)... [-i PATH | -j PLUGIN]... [-o OUTPUT] FILE",
        )
        .after_help(REKEY_NOTES);
    hidden.into_iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)))
}

pub(super) fn contribute_command() -> Command {
    let hidden = [
        "encrypt",
        "decrypt",
        "armor",
        "passphrase",
        "recipients",
        "recipients_files",
        "threshold",
        "parts",
        "threads",
        "range",
        "salvage",
    ];
    let command = FileArgs::augment_args(base("contribute").bin_name("sealane contribute"))
        .about("Unwraps the part of FILE's key that an identity holds, for those who open it")
        .override_usage("sealane contribute [-i PATH | -j PLUGIN]... [-o OUTPUT] FILE")
        .after_help(CONTRIBUTE_NOTES);
    hidden.into_iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)))
}

/// Reads what follows the word `contribute`.
pub(super) fn parse_contribute(command: Command, args: Vec<OsString>) -> Result<Action, clap::Error> {
    let args = found(&super::run(command, compat::normalise(args, &file_flags()))?)?;
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

fn check_decrypt(args: &FileArgs) -> Result<()> {
    let identity = "a private key is given with -i/--identity";
    let refused = [
        (args.encrypt, "-e/--encrypt", "give one of them"),
        (args.armor, "-a/--armor", "armored files are recognised: leave -a/--armor out"),
        (args.passphrase, "-p/--passphrase", "files encrypted with a passphrase are recognised: leave -p out"),
        (!args.recipients.is_empty(), "-r/--recipient", identity),
        (!args.recipients_files.is_empty(), "-R/--recipients-file", identity),
        (args.threshold.is_some(), "-k/--threshold", "the file says how many holders it takes"),
    ];
    if let Some((_, flag, hint)) = refused.into_iter().find(|(given, ..)| *given) {
        return Err(Error::usage(format!("{flag} can't be used to decrypt")).hint(hint));
    }
    if !args.salvage {
        return Ok(());
    }
    if args.range.is_some() {
        return Err(Error::usage("--range can't be used with --salvage").hint("parts that are whole need no --salvage"));
    }
    if args.input.is_none() || args.output.as_deref().is_none_or(|path| path == OsStr::new("-")) {
        return Err(Error::usage("--salvage takes INPUT and -o OUTPUT, both names of files")
            .hint("what is left of a damaged file goes to a place of its own"));
    }
    Ok(())
}

fn check_encrypt(args: &FileArgs) -> Result<()> {
    if let Some(flag) = args.range.map(|_| "--range").or(args.salvage.then_some("--salvage")) {
        return Err(Error::usage(format!("{flag} can't be used to encrypt")).hint("did you forget -d/--decrypt?"));
    }
    if !args.parts.is_empty() {
        return Err(Error::usage("--part can't be used to encrypt").hint("did you forget -d/--decrypt?"));
    }
    if args.threshold.is_some() && args.passphrase {
        return Err(Error::usage("-k/--threshold can't be combined with -p")
            .hint("a file encrypted with a passphrase has no other recipients"));
    }
    if !args.identities.is_empty() && !args.encrypt {
        return Err(Error::usage("-i/--identity and -j encrypt only together with an explicit -e/--encrypt")
            .hint("did you forget -d/--decrypt?"));
    }
    let recipients = !args.recipients.is_empty() || !args.recipients_files.is_empty() || !args.identities.is_empty();
    if !recipients && !args.passphrase {
        // Not a file to encrypt, so perhaps meant as a word.
        if let Some(input) = args.input.as_ref().filter(|input| !args.encrypt && !input.exists()) {
            let words: Vec<_> = WORDS.iter().map(|word| word.name).collect();
            return Err(Error::usage(format!("no such word or file: {:?}", input.display().to_string()))
                .hint(format!("the words are {}; see sealane --help", words.join(", "))));
        }
        return Err(Error::usage("missing recipients")
            .hint("say for whom with -r RECIPIENT or -R FILE, or encrypt with a passphrase: -p"));
    }
    if recipients && args.passphrase {
        return Err(Error::usage("-p/--passphrase can't be combined with -r, -R, -i or -j")
            .hint("a file encrypted with a passphrase has no other recipients"));
    }
    Ok(())
}

fn warn_duplicates(args: &FileArgs) {
    let text = |path: &PathBuf| path.display().to_string();
    let files = args.identities.iter().filter_map(|source| match source {
        IdentitySource::File(path) => Some(text(path)),
        IdentitySource::Plugin(_) => None,
    });
    let lists = [
        ("recipient", args.recipients.clone()),
        ("recipients file", args.recipients_files.iter().map(text).collect()),
        ("identity file", files.collect::<Vec<_>>()),
    ];
    for (what, mut list) in lists {
        list.sort();
        let mut repeated: Vec<_> = list.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
        repeated.dedup();
        for value in repeated {
            crate::error::warn(format!("duplicate {what} {value:?}"));
        }
    }
}

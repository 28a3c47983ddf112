//! The command line: age's own grammar, the same flags behind the words `encrypt` and `decrypt`, and other words such as
//! `keygen` and `split`.
//!
//! A word counts only as the very first argument, so no command line of age changes its meaning: `sealane -d encrypt`
//! decrypts a file of that name. Only a file that is named like a word *and* stands alone needs `./encrypt`.

mod bench;
mod compat;
mod shares;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};

use crate::error::{Error, Result};
pub(crate) use bench::BenchArgs;
use compat::Flag;
pub(crate) use shares::{CombineArgs, FormArgs, InspectArgs, RefreshArgs, ReissueArgs, ShareAction, SplitArgs};

/// What is a word as the first argument.
const WORDS: [&str; 9] = ["encrypt", "decrypt", "keygen", "split", "combine", "share", "cpu", "bench", "help"];

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Action {
    /// Encrypt input to output.
    Encrypt(FileArgs),
    /// Decrypt input to output.
    Decrypt(FileArgs),
    /// Make or convert keys.
    Keygen(KeygenArgs),
    /// Split a secret.
    Split(SplitArgs),
    /// Put a secret together.
    Combine(CombineArgs),
    /// Show, refresh or reissue shares.
    Share(ShareAction),
    /// Show the CPU's features and the backends.
    Cpu(CpuArgs),
    /// Measure the primitives.
    Bench(BenchArgs),
    /// Help or the version: the text has to be printed, and that was it.
    Print(String),
}

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

/// Where identities come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdentitySource {
    /// `-i PATH`
    File(PathBuf),
    /// `-j PLUGIN`
    Plugin(String),
}

/// The flags of age-keygen.
#[derive(Args, Debug)]
pub(crate) struct KeygenArgs {
    /// Write to the file OUTPUT, which must not exist, with mode 0600
    #[arg(short, long, value_name = "OUTPUT", allow_hyphen_values = true)]
    pub(crate) output: Option<PathBuf>,
    /// Print the recipients of the identity file INPUT instead of making a key
    #[arg(short = 'y', long = "to-recipient")]
    pub(crate) convert: bool,
    /// Make a post-quantum key (not built in)
    #[arg(long)]
    pub(crate) pq: bool,
    /// Make a key and write only its shares, N files of which any K restore it, into the folder OUTPUT
    #[arg(long, value_name = "K/N", value_parser = k_of_n)]
    pub(crate) split: Option<(usize, usize)>,
    #[command(flatten)]
    pub(crate) form: FormArgs,
    /// With -y, the identity file to read; standard input if left out or "-"
    #[arg(value_name = "INPUT")]
    pub(crate) input: Option<PathBuf>,
}

/// The flags of `sealane cpu`.
#[derive(Args, Debug)]
pub(crate) struct CpuArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn file_flags() -> Vec<Flag> {
    let switches = [('e', "encrypt"), ('d', "decrypt"), ('a', "armor"), ('p', "passphrase"), ('h', "help")];
    let values = [('o', "output"), ('r', "recipient"), ('R', "recipients-file"), ('i', "identity"), ('j', "plugin")];
    let mut flags = with_version(&switches);
    flags.extend(values.map(|(short, long)| Flag { short: Some(short), long: Some(long), takes_value: true }));
    flags
}

fn keygen_flags() -> Vec<Flag> {
    let mut flags = with_version(&[('y', "to-recipient"), ('h', "help")]);
    let switches = ["pq", "binary", "text", "words", "ssss", "vault"];
    flags.extend(switches.map(|long| Flag { short: None, long: Some(long), takes_value: false }));
    flags.push(Flag { short: None, long: Some("split"), takes_value: true });
    flags.push(Flag { short: Some('o'), long: Some("output"), takes_value: true });
    flags
}

/// "3/5": 3 of 5.
fn k_of_n(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once('/').and_then(|(k, n)| Some((k.trim().parse().ok()?, n.trim().parse().ok()?)));
    parsed.ok_or_else(|| "not of the form K/N, as in 3/5".to_owned())
}

fn with_version(switches: &[(char, &'static str)]) -> Vec<Flag> {
    let mut flags: Vec<_> = switches
        .iter()
        .map(|&(short, long)| Flag { short: Some(short), long: Some(long), takes_value: false })
        .collect();
    flags.push(Flag { short: Some('V'), long: Some("version"), takes_value: false });
    flags
}

const EXAMPLES: &str = "\
Examples:
  sealane keygen -o key.txt
  sealane encrypt -r age1… -o photos.tar.age photos.tar
  sealane decrypt -i key.txt -o photos.tar photos.tar.age
  sealane encrypt -p notes.txt > notes.txt.age
  sealane split -k 3 -n 5 -o shares key.txt
  sealane combine -o key.txt shares/*

Every command line of age works with sealane in age's place.
A word (encrypt, decrypt, keygen, split, combine, share, cpu, bench, help) is one only as the
first argument; a file of that name is given as ./encrypt.

Environment:
  AGE_PASSPHRASE     the passphrase, instead of asking at the terminal
  AGE_PASSPHRASE_FD  the number of a file descriptor to read it from
  SEALANE_BACKEND    the backend to use (see: sealane cpu)
  PINENTRY_PROGRAM   a pinentry program that asks for passphrases

INPUT is standard input if it is left out or \"-\", and so is OUTPUT standard output.";

fn base(name: &'static str) -> Command {
    Command::new(name).version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true).arg_required_else_help(false)
}

fn top_command() -> Command {
    FileArgs::augment_args(base("sealane"))
        .about("Seals and opens files in the age format (age-encryption.org/v1)")
        .override_usage(
            "sealane [encrypt] [-a] (-r RECIPIENT | -R PATH | -p)... [-o OUTPUT] [INPUT]\n       \
             sealane (decrypt | -d) [-i PATH | -j PLUGIN]... [-o OUTPUT] [INPUT]\n       \
             sealane keygen [-y] [--split K/N] [-o OUTPUT] [INPUT]\n       \
             sealane split -k K -n N [-o DIR] [FILE]\n       \
             sealane combine [-o OUTPUT] SHARE...\n       \
             sealane share (inspect | refresh | reissue --index NUMBER) [-o DIR] SHARE...\n       \
             sealane cpu [--json]\n       \
             sealane bench [--json] [--html FILE]",
        )
        .after_help(EXAMPLES)
}

fn encrypt_command() -> Command {
    FileArgs::augment_args(base("encrypt").bin_name("sealane encrypt"))
        .about("Encrypts INPUT to recipients, to the recipients of identities, or with a passphrase")
        .override_usage(
            "sealane encrypt [-a] (-r RECIPIENT | -R PATH | -i PATH | -j PLUGIN | -p)... [-o OUTPUT] [INPUT]",
        )
        .mut_arg("encrypt", |arg| arg.hide(true))
        .mut_arg("decrypt", |arg| arg.hide(true))
}

fn decrypt_command() -> Command {
    let hidden = ["encrypt", "decrypt", "armor", "passphrase", "recipients", "recipients_files"];
    let command = FileArgs::augment_args(base("decrypt").bin_name("sealane decrypt"))
        .about("Decrypts INPUT with identities, or with a passphrase if it was encrypted with one")
        .override_usage("sealane decrypt [-i PATH | -j PLUGIN]... [-o OUTPUT] [INPUT]");
    hidden.into_iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)))
}

fn keygen_command() -> Command {
    KeygenArgs::augment_args(base("keygen").bin_name("sealane keygen"))
        .about("Makes a key pair, or prints the recipients of an identity file")
}

fn cpu_command() -> Command {
    CpuArgs::augment_args(base("cpu").bin_name("sealane cpu"))
        .about("Shows the CPU's features, the backends, and which one each primitive uses")
}

/// Reads the command line, `args` being without the program's name.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Action> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let Some(first) = args.first() else {
        return Err(Error::usage("nothing to do: no recipient, passphrase or identity, and no word")
            .hint("sealane -r RECIPIENT FILE encrypts, sealane -d -i KEYFILE FILE decrypts; see sealane --help"));
    };
    let word = first.to_str().filter(|word| WORDS.contains(word));
    let word = word.map(str::to_owned);
    if word.is_some() {
        args.remove(0);
    }
    let action = match word.as_deref() {
        None => file_action(top_command(), args, None),
        Some("encrypt") => file_action(encrypt_command(), args, Some(false)),
        Some("decrypt") => file_action(decrypt_command(), args, Some(true)),
        Some("keygen") => run(keygen_command(), compat::normalise(args, &keygen_flags()))
            .and_then(|found| KeygenArgs::from_arg_matches(&found))
            .map(Action::Keygen),
        Some("split") => {
            run(shares::split_command(), args).and_then(|m| SplitArgs::from_arg_matches(&m)).map(Action::Split)
        }
        Some("combine") => {
            run(shares::combine_command(), args).and_then(|m| CombineArgs::from_arg_matches(&m)).map(Action::Combine)
        }
        Some("share") => {
            run(shares::share_command(), args).and_then(|m| ShareAction::from_arg_matches(&m)).map(Action::Share)
        }
        Some("cpu") => run(cpu_command(), args).and_then(|m| CpuArgs::from_arg_matches(&m)).map(Action::Cpu),
        Some("bench") => run(bench::command(), args).and_then(|m| BenchArgs::from_arg_matches(&m)).map(Action::Bench),
        Some(_) => Ok(Action::Print(help_for(args.first().map(OsString::as_os_str)))),
    };
    match action {
        Ok(Action::Encrypt(args)) => checked(args).map(Action::Encrypt),
        Ok(Action::Decrypt(args)) => checked(args).map(Action::Decrypt),
        Ok(action) => Ok(action),
        Err(error) if !error.use_stderr() => Ok(Action::Print(error.render().to_string())),
        Err(error) => Err(usage_error(&error, word.as_deref())),
    }
}

fn help_for(word: Option<&OsStr>) -> String {
    let mut command = match word.and_then(OsStr::to_str) {
        Some("encrypt") => encrypt_command(),
        Some("decrypt") => decrypt_command(),
        Some("keygen") => keygen_command(),
        Some("split") => shares::split_command(),
        Some("combine") => shares::combine_command(),
        Some("share") => shares::share_command(),
        Some("cpu") => cpu_command(),
        Some("bench") => bench::command(),
        _ => top_command(),
    };
    command.render_help().to_string()
}

fn run(command: Command, args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    command.no_binary_name(true).try_get_matches_from(args)
}

/// `decrypt` is what the word says, or `None` if there is no word.
fn file_action(command: Command, args: Vec<OsString>, decrypt: Option<bool>) -> Result<Action, clap::Error> {
    let found = run(command, compat::normalise(args, &file_flags()))?;
    let mut args = FileArgs::from_arg_matches(&found)?;
    let files = positions(&found, "identity_files")
        .zip(std::mem::take(&mut args.identity_files).into_iter().map(IdentitySource::File));
    let plugins =
        positions(&found, "plugins").zip(std::mem::take(&mut args.plugins).into_iter().map(IdentitySource::Plugin));
    // The order in which identities are tried is the order in which they were given, files and plugins alike.
    let mut identities: Vec<_> = files.chain(plugins).collect();
    identities.sort_by_key(|&(position, _)| position);
    args.identities = identities.into_iter().map(|(_, source)| source).collect();
    match decrypt {
        Some(false) => args.encrypt = true,
        Some(true) => args.decrypt = true,
        None => {}
    }
    Ok(if args.decrypt { Action::Decrypt(args) } else { Action::Encrypt(args) })
}

fn positions<'m>(found: &'m ArgMatches, name: &str) -> impl Iterator<Item = usize> + 'm {
    found.indices_of(name).into_iter().flatten()
}

/// The combinations that age refuses, and why.
fn checked(mut args: FileArgs) -> Result<FileArgs> {
    if let [_, second, ..] = args.inputs.as_slice() {
        return Err(Error::usage(format!("more than one INPUT: {:?} is one too many", second.display().to_string()))
            .hint("encrypt or decrypt one file at a time, or make an archive of them first (tar)"));
    }
    args.input = args.inputs.pop().filter(|path| path != OsStr::new("-"));
    if args.decrypt {
        check_decrypt(&args)?
    } else {
        check_encrypt(&args)?
    }
    warn_duplicates(&args);
    Ok(args)
}

fn check_decrypt(args: &FileArgs) -> Result<()> {
    let identity = "a private key is given with -i/--identity";
    let refused = [
        (args.encrypt, "-e/--encrypt", "give one of them"),
        (args.armor, "-a/--armor", "armored files are recognised: leave -a/--armor out"),
        (args.passphrase, "-p/--passphrase", "files encrypted with a passphrase are recognised: leave -p out"),
        (!args.recipients.is_empty(), "-r/--recipient", identity),
        (!args.recipients_files.is_empty(), "-R/--recipients-file", identity),
    ];
    match refused.into_iter().find(|(given, ..)| *given) {
        Some((_, flag, hint)) => Err(Error::usage(format!("{flag} can't be used to decrypt")).hint(hint)),
        None => Ok(()),
    }
}

fn check_encrypt(args: &FileArgs) -> Result<()> {
    if !args.identities.is_empty() && !args.encrypt {
        return Err(Error::usage("-i/--identity and -j encrypt only together with an explicit -e/--encrypt")
            .hint("did you forget -d/--decrypt?"));
    }
    let recipients = !args.recipients.is_empty() || !args.recipients_files.is_empty() || !args.identities.is_empty();
    if !recipients && !args.passphrase {
        // Not a file to encrypt, so perhaps meant as a word.
        if let Some(input) = args.input.as_ref().filter(|input| !args.encrypt && !input.exists()) {
            return Err(Error::usage(format!("no such word or file: {:?}", input.display().to_string()))
                .hint(format!("the words are {}; see sealane --help", WORDS.join(", "))));
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

/// clap's error in our form: one line of what, one of what to do.
fn usage_error(error: &clap::Error, word: Option<&str>) -> Error {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let line = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = line(paragraphs.next().unwrap_or_default());
    let tip = paragraphs.map(line).find_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned));
    let help = word.map_or("see sealane --help".to_owned(), |word| format!("see sealane {word} --help"));
    let hint = tip.map_or(help.clone(), |tip| format!("{tip}; {help}"));
    Error::usage(message.strip_prefix("error: ").unwrap_or(&message)).hint(hint)
}

#[cfg(test)]
mod tests;

//! The command line: age's own grammar, the same flags behind the words `encrypt` and `decrypt`, and other words such as
//! `keygen` and `split`.
//!
//! A word counts only as the very first argument, so no command line of age changes its meaning: `sealane -d encrypt`
//! decrypts a file of that name. Only a file that is named like a word *and* stands alone needs `./encrypt`.

mod bench;
mod check;
mod compat;
mod file;
mod keygen;
mod range;
mod shares;
mod units;

pub(crate) use compat::tail;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_complete::Shell;

use crate::error::{Error, Result};
pub(crate) use bench::BenchArgs;
pub(crate) use file::{ContributeArgs, FileArgs, IdentitySource, RekeyArgs};
pub(crate) use keygen::KeygenArgs;
pub(crate) use range::PlaintextRange;
pub(crate) use shares::{CombineArgs, FormArgs, RefreshArgs, ReissueArgs, ShareAction, ShareInspectArgs, SplitArgs};

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Action {
    /// Encrypt input to output.
    Encrypt(FileArgs),
    /// Decrypt input to output.
    Decrypt(FileArgs),
    /// Give a file to other recipients.
    Rekey(RekeyArgs),
    /// Unwrap a part of a file's key.
    Contribute(ContributeArgs),
    /// Show what a file says of itself.
    Inspect(InspectArgs),
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
    /// Print what makes a shell complete command lines.
    Completions(CompletionsArgs),
    /// Write the manual.
    Man(ManArgs),
    /// Help or the version: the text has to be printed, and that was it.
    Print(String),
}

/// A word as the first argument, and what follows it.
struct Word {
    name: &'static str,
    command: fn() -> Command,
    parse: fn(Command, Vec<OsString>) -> Result<Action, clap::Error>,
}

const WORDS: &[Word] = &[
    Word { name: "encrypt", command: file::encrypt_command, parse: |c, args| file::parse(c, args, Some(false)) },
    Word { name: "decrypt", command: file::decrypt_command, parse: |c, args| file::parse(c, args, Some(true)) },
    Word { name: "rekey", command: file::rekey_command, parse: file::parse_rekey },
    Word { name: "contribute", command: file::contribute_command, parse: file::parse_contribute },
    Word { name: "inspect", command: inspect_command, parse: |c, args| parse_with(c, args, Action::Inspect) },
    Word { name: "keygen", command: keygen::command, parse: keygen::parse },
    Word { name: "split", command: shares::split_command, parse: |c, args| parse_with(c, args, Action::Split) },
    Word { name: "combine", command: shares::combine_command, parse: |c, args| parse_with(c, args, Action::Combine) },
    Word { name: "share", command: shares::share_command, parse: |c, args| parse_with(c, args, Action::Share) },
    Word { name: "cpu", command: cpu_command, parse: |c, args| parse_with(c, args, Action::Cpu) },
    Word { name: "bench", command: bench::command, parse: |c, args| parse_with(c, args, Action::Bench) },
    Word {
        name: "completions",
        command: completions_command,
        parse: |c, args| parse_with(c, args, Action::Completions),
    },
    Word { name: "man", command: man_command, parse: |c, args| parse_with(c, args, Action::Man) },
    Word { name: "help", command: help_command, parse: help },
];

/// The flags of `sealane inspect`.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The encrypted file; standard input if left out or "-"
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

/// For which shell.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Where to.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write a page for each word into the folder DIR, made if need be, instead of printing the first page
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// The name of a word.
#[derive(Args, Debug)]
struct HelpArgs {
    /// What to explain
    #[arg(value_name = "WORD")]
    word: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  sealane keygen -o key.txt
  sealane encrypt -r age1… -o photos.tar.age photos.tar
  sealane decrypt -i key.txt -o photos.tar photos.tar.age
  sealane encrypt -p notes.txt > notes.txt.age
  sealane split -k 3 -n 5 -o shares key.txt
  sealane combine -o restored.txt shares/*

Every command line of age works with sealane in age's place. A word (such as encrypt, keygen or
split) is one only as the first argument; a file of that name is given as ./encrypt.

Environment:
  AGE_PASSPHRASE     the passphrase, instead of asking at the terminal
  AGE_PASSPHRASE_FD  the number of a file descriptor to read it from
  SEALANE_BACKEND    the backend to use (see: sealane cpu)
  SEALANE_CPU_CLASS  the class of CPUs to tune for (see: sealane cpu)
  PINENTRY_PROGRAM   a pinentry program that asks for passphrases

INPUT is standard input if it is left out or \"-\", and so is OUTPUT standard output.";

/// What `sealane` is without a word.
fn top_command() -> Command {
    FileArgs::augment_args(base("sealane"))
        .about("Seals and opens files in the age format (age-encryption.org/v1)")
        .override_usage(
            "sealane [encrypt] [-a] [-k K] (-r RECIPIENT | -R PATH | -p)... [-t THREADS] [-o OUTPUT] [INPUT]\n       \
             sealane (decrypt | -d) [-i PATH | -j PLUGIN]... [--part PATH]... [-t THREADS] [-o OUTPUT] [INPUT]\n       \
             sealane (encrypt | decrypt) FLAGS... [--resume] -o DIR INPUT...\n       \
             sealane rekey [--add] (-r RECIPIENT | -R PATH | -p)... [-i PATH | -j PLUGIN]... FILE\n       \
             sealane contribute [-i PATH | -j PLUGIN]... [-r RECIPIENT] [-y] [-o OUTPUT] FILE\n       \
             sealane inspect [--json] [INPUT]\n       \
             sealane keygen [-y] [--split K/N] [-o OUTPUT] [INPUT]\n       \
             sealane split -k K -n N [-o DIR] [FILE]\n       \
             sealane combine [-o OUTPUT] SHARE...\n       \
             sealane share (inspect | refresh | reissue --index NUMBER) [-o DIR] SHARE...\n       \
             sealane cpu [--json]\n       \
             sealane bench [--json] [--html FILE]\n       \
             sealane completions SHELL\n       \
             sealane man [-o DIR]",
        )
        .after_help(EXAMPLES)
}

/// All of it, as a tree: for what is generated from the arguments.
pub(crate) fn whole_command() -> Command {
    top_command().subcommands(WORDS.iter().map(|word| (word.command)()))
}

fn base(name: &'static str) -> Command {
    Command::new(name).version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true).arg_required_else_help(false)
}

fn inspect_command() -> Command {
    InspectArgs::augment_args(base("inspect").bin_name("sealane inspect"))
        .about("Shows to whom INPUT is encrypted, and its sizes, without any key")
}

fn cpu_command() -> Command {
    CpuArgs::augment_args(base("cpu").bin_name("sealane cpu"))
        .about("Shows the CPU's features, the backends, and which one each primitive uses")
}

fn completions_command() -> Command {
    CompletionsArgs::augment_args(base("completions").bin_name("sealane completions"))
        .about("Prints what makes a shell complete command lines of sealane")
        .after_help(
            "Example, for bash:\n  sealane completions bash > ~/.local/share/bash-completion/completions/sealane",
        )
}

fn man_command() -> Command {
    ManArgs::augment_args(base("man").bin_name("sealane man"))
        .about("Prints the manual page, or writes all of them")
        .after_help("Example:\n  sealane man -o ~/.local/share/man/man1")
}

fn help_command() -> Command {
    HelpArgs::augment_args(base("help").bin_name("sealane help")).about("Explains a word")
}

/// Reads the command line, `args` being without the program's name.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Action> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let Some(first) = args.first() else {
        return Err(Error::usage("nothing to do: no recipient, passphrase or identity, and no word")
            .hint("sealane -r RECIPIENT FILE encrypts, sealane -d -i KEYFILE FILE decrypts; see sealane --help"));
    };
    let word = first.to_str().and_then(find);
    let action = match word {
        Some(word) => {
            args.remove(0);
            (word.parse)((word.command)(), args)
        }
        None => file::parse(top_command(), args, None),
    };
    match action {
        Ok(Action::Encrypt(args)) => args.checked().map(Action::Encrypt),
        Ok(Action::Decrypt(args)) => args.checked().map(Action::Decrypt),
        Ok(Action::Contribute(args)) => args.checked().map(Action::Contribute),
        Ok(Action::Rekey(args)) => args.checked().map(Action::Rekey),
        Ok(action) => Ok(action),
        Err(error) if !error.use_stderr() => Ok(Action::Print(error.render().to_string())),
        Err(error) => Err(usage_error(&error, word.map(|word| word.name))),
    }
}

fn find(name: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.name == name)
}

fn run(command: Command, args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    command.no_binary_name(true).try_get_matches_from(args)
}

fn parse_with<A: FromArgMatches>(
    command: Command,
    args: Vec<OsString>,
    action: fn(A) -> Action,
) -> Result<Action, clap::Error> {
    A::from_arg_matches(&run(command, args)?).map(action)
}

fn help(command: Command, args: Vec<OsString>) -> Result<Action, clap::Error> {
    let asked = HelpArgs::from_arg_matches(&run(command, args)?)?.word;
    let mut command = asked.as_deref().and_then(find).map_or_else(top_command, |word| (word.command)());
    Ok(Action::Print(command.render_help().to_string()))
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

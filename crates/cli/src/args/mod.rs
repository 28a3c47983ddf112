//! The command line: age's own grammar, and subcommands such as `encrypt`, `keygen` and `split`.
//!
//! A subcommand counts only as the very first argument, so every command line of age keeps its
//! meaning: `sealane -d encrypt` decrypts a file of that name. Only a file that is named like a
//! subcommand *and* stands alone needs `./encrypt`.

mod bench;
mod check;
mod compat;
mod contribute;
mod decrypt;
mod encrypt;
mod file;
mod groups;
mod help;
mod keygen;
mod range;
mod rekey;
mod shares;
mod suggest;
mod units;

pub(crate) use compat::tail;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_complete::Shell;

use crate::error::{Error, Result};
pub(crate) use bench::BenchArgs;
pub(crate) use contribute::ContributeArgs;
pub(crate) use file::{FileArgs, IdentitySource};
pub(crate) use help::{ENVIRONMENT, EXIT_STATUS, FILES};
pub(crate) use keygen::KeygenArgs;
pub(crate) use range::PlaintextRange;
pub(crate) use rekey::RekeyArgs;
pub(crate) use shares::{CombineArgs, FormArgs, RefreshArgs, ReissueArgs, ShareAction, ShareInspectArgs, SplitArgs};

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Action {
    Encrypt(FileArgs),
    Decrypt(FileArgs),
    Rekey(RekeyArgs),
    Contribute(ContributeArgs),
    Inspect(InspectArgs),
    Keygen(KeygenArgs),
    Split(SplitArgs),
    Combine(CombineArgs),
    Share(ShareAction),
    Cpu(CpuArgs),
    Bench(BenchArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    /// Print this text: help, or the version.
    Print(String),
}

/// A subcommand.
struct Subcommand {
    name: &'static str,
    /// Its line of help.
    about: &'static str,
    group: Group,
    /// Adds its arguments and its notes.
    describe: fn(Command) -> Command,
    parse: fn(Command, Vec<OsString>) -> Result<Action, clap::Error>,
}

impl Subcommand {
    fn command(&self) -> Command {
        (self.describe)(base(self.name).bin_name(format!("sealane {}", self.name))).about(self.about)
    }
}

/// A group of subcommands in help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Files,
    Keys,
    Machine,
    Help,
}

impl Group {
    const ALL: [Self; 4] = [Self::Files, Self::Keys, Self::Machine, Self::Help];

    fn title(self) -> &'static str {
        match self {
            Self::Files => "Files",
            Self::Keys => "Keys and shares",
            Self::Machine => "This computer",
            Self::Help => "Help",
        }
    }
}

const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "encrypt",
        about: "Encrypts files and folders to recipients, or with a passphrase",
        group: Group::Files,
        describe: encrypt::command,
        parse: |c, args| file::read_files::<encrypt::EncryptArgs>(c, args).map(Action::Encrypt),
    },
    Subcommand {
        name: "decrypt",
        about: "Decrypts files and folders",
        group: Group::Files,
        describe: decrypt::command,
        parse: |c, args| file::read_files::<decrypt::DecryptArgs>(c, args).map(Action::Decrypt),
    },
    Subcommand {
        name: "inspect",
        about: "Shows the recipient types and the sizes of an encrypted file",
        group: Group::Files,
        describe: inspect_command,
        parse: |c, args| parse_with(c, args, Action::Inspect),
    },
    Subcommand {
        name: "rekey",
        about: "Changes the recipients of a file, without encrypting it again",
        group: Group::Files,
        describe: rekey::command,
        parse: |c, args| rekey::parse(c, args).map(Action::Rekey),
    },
    Subcommand {
        name: "contribute",
        about: "Gives your part of a file's key to the person who opens the file",
        group: Group::Files,
        describe: contribute::command,
        parse: |c, args| contribute::parse(c, args).map(Action::Contribute),
    },
    Subcommand {
        name: "keygen",
        about: "Makes a key pair, or prints the recipients of an identity file",
        group: Group::Keys,
        describe: keygen::command,
        parse: keygen::parse,
    },
    Subcommand {
        name: "split",
        about: "Splits a secret into N shares; any K restore it",
        group: Group::Keys,
        describe: shares::split_command,
        parse: |c, args| parse_with(c, args, Action::Split),
    },
    Subcommand {
        name: "combine",
        about: "Restores a secret from shares",
        group: Group::Keys,
        describe: shares::combine_command,
        parse: |c, args| parse_with(c, args, Action::Combine),
    },
    Subcommand {
        name: "share",
        about: "Shows, renews or replaces shares, without forming the secret",
        group: Group::Keys,
        describe: shares::share_command,
        parse: |c, args| parse_with(c, args, Action::Share),
    },
    Subcommand {
        name: "cpu",
        about: "Shows the features of the CPU, and the code that is used on it",
        group: Group::Machine,
        describe: cpu_command,
        parse: |c, args| parse_with(c, args, Action::Cpu),
    },
    Subcommand {
        name: "bench",
        about: "Measures each primitive on each backend of this CPU, at each size",
        group: Group::Machine,
        describe: bench::command,
        parse: |c, args| parse_with(c, args, Action::Bench),
    },
    Subcommand {
        name: "completions",
        about: "Prints a completion script for a shell",
        group: Group::Help,
        describe: completions_command,
        parse: |c, args| parse_with(c, args, Action::Completions),
    },
    Subcommand {
        name: "man",
        about: "Prints the manual page, or writes all pages",
        group: Group::Help,
        describe: man_command,
        parse: |c, args| parse_with(c, args, Action::Man),
    },
    Subcommand {
        name: "help",
        about: "Explains a command",
        group: Group::Help,
        describe: help_command,
        parse: help::parse,
    },
];

/// The arguments of `sealane inspect`.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// The encrypted file (default: standard input, also "-")
    #[arg(value_name = "INPUT")]
    pub(crate) input: Option<PathBuf>,
}

/// The arguments of `sealane cpu`.
#[derive(Args, Debug)]
pub(crate) struct CpuArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The arguments of `sealane completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// The arguments of `sealane man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write a page for each command into the folder DIR, which is made if it is missing
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

/// The arguments of `sealane help`.
#[derive(Args, Debug)]
struct HelpArgs {
    /// The command to explain
    #[arg(value_name = "COMMAND")]
    names: Vec<String>,
}

/// Returns `sealane` without a subcommand.
fn top_command() -> Command {
    let command = file::AgeArgs::augment_args(base("sealane")).mut_args(|arg| arg.hide_short_help(true));
    help::describe(command)
}

/// Returns all commands as a tree, for what is generated from them.
pub(crate) fn whole_command() -> Command {
    top_command().subcommands(SUBCOMMANDS.iter().map(Subcommand::command))
}

/// Returns the same tree for completions: without INPUT, after which shells would expect no
/// subcommand. They complete file names by themselves.
pub(crate) fn completion_command() -> Command {
    let flags: Vec<_> = top_command().get_arguments().filter(|arg| !arg.is_positional()).cloned().collect();
    base("sealane").args(flags).subcommands(SUBCOMMANDS.iter().map(Subcommand::command))
}

fn base(name: &'static str) -> Command {
    Command::new(name).version(env!("CARGO_PKG_VERSION")).disable_help_subcommand(true).arg_required_else_help(false)
}

fn inspect_command(base: Command) -> Command {
    InspectArgs::augment_args(base).after_help("No key is needed.\n\nExample:\n  sealane inspect photos.tar.age")
}

fn cpu_command(base: Command) -> Command {
    CpuArgs::augment_args(base)
}

fn completions_command(base: Command) -> Command {
    CompletionsArgs::augment_args(base).after_help(
        "Examples:\n  \
             sealane completions bash > ~/.local/share/bash-completion/completions/sealane\n  \
             sealane completions zsh > \"${fpath[1]}/_sealane\"\n  \
             sealane completions fish > ~/.config/fish/completions/sealane.fish",
    )
}

fn man_command(base: Command) -> Command {
    ManArgs::augment_args(base).after_help("Example:\n  sealane man -o ~/.local/share/man/man1")
}

fn help_command(base: Command) -> Command {
    HelpArgs::augment_args(base)
}

/// Reads the command line, without the program's name.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Action> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let Some(first) = args.first().cloned() else {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            return Ok(Action::Print(top_command().render_help().to_string()));
        }
        return Err(Error::usage("nothing to do: no command, recipient, passphrase or identity")
            .hint("sealane -r RECIPIENT FILE encrypts, sealane -d -i KEYFILE FILE decrypts; see sealane -h"));
    };
    let subcommand = first.to_str().and_then(find);
    let action = match subcommand {
        Some(subcommand) => {
            args.remove(0);
            (subcommand.parse)(subcommand.command(), args)
        }
        None => file::read_files::<file::AgeArgs>(top_command(), args)
            .map(|args| if args.decrypt { Action::Decrypt(args) } else { Action::Encrypt(args) }),
    };
    if let (None, Ok(Action::Encrypt(args) | Action::Decrypt(args))) = (subcommand, &action) {
        check::refuse_unknown_command(&first, args)?;
    }
    match action {
        Ok(Action::Encrypt(args)) => args.checked().map(Action::Encrypt),
        Ok(Action::Decrypt(args)) => args.checked().map(Action::Decrypt),
        Ok(Action::Contribute(args)) => args.checked().map(Action::Contribute),
        Ok(Action::Rekey(args)) => args.checked().map(Action::Rekey),
        Ok(action) => Ok(action),
        Err(error) if !error.use_stderr() => Ok(Action::Print(error.render().to_string())),
        Err(error) => Err(usage_error(&error, &first, subcommand)),
    }
}

fn find(name: &str) -> Option<&'static Subcommand> {
    SUBCOMMANDS.iter().find(|subcommand| subcommand.name == name)
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

/// Returns clap's error in our form: one line for the error, one for the hint.
fn usage_error(error: &clap::Error, first: &OsString, subcommand: Option<&Subcommand>) -> Error {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let line = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = line(paragraphs.next().unwrap_or_default());
    let tip = paragraphs.map(line).find_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned));
    // A flag is hardly ever meant as a value.
    let tip = tip.filter(|tip| !tip.starts_with("to pass ")).or_else(|| owners(error));
    // A flag of a subcommand after a name that is mistyped.
    let meant = first.to_str().filter(|_| subcommand.is_none()).and_then(suggest::suggestion);
    let help = match (subcommand, meant) {
        (Some(subcommand), _) => format!("see sealane {} --help", subcommand.name),
        (None, Some(name)) => format!("did you mean sealane {name}? see sealane -h"),
        (None, None) => "see sealane --help".to_owned(),
    };
    let hint = tip.map_or(help.clone(), |tip| format!("{tip}; {help}"));
    Error::usage(message.strip_prefix("error: ").unwrap_or(&message)).hint(hint)
}

/// Names the subcommands that have the unknown flag of `error`.
fn owners(error: &clap::Error) -> Option<String> {
    let ContextValue::String(flag) = error.get(ContextKind::InvalidArg)? else { return None };
    let is_it = |arg: &clap::Arg| {
        arg.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long))
            || arg.get_short().is_some_and(|short| *flag == format!("-{short}"))
    };
    let has_it = |subcommand: &&Subcommand| subcommand.command().get_arguments().any(is_it);
    let owners: Vec<_> =
        SUBCOMMANDS.iter().filter(has_it).map(|subcommand| format!("sealane {}", subcommand.name)).collect();
    (!owners.is_empty()).then(|| format!("it is a flag of {}", owners.join(", ")))
}

#[cfg(test)]
mod tests;

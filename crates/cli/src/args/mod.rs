//! The command line: age's own grammar, and subcommands such as `encrypt`, `keygen` and `split`.
//!
//! A subcommand counts only as the very first argument, so every command line of age keeps its
//! meaning: `sealane -d encrypt` decrypts a file of that name. The one exception is a file with the
//! name of a subcommand as the first argument: it must be written as `./encrypt`.

mod action;
mod age;
mod bench;
mod check;
mod compat;
mod contribute;
mod decrypt;
mod encrypt;
mod groups;
mod help;
mod identity;
mod inspect;
mod keygen;
mod matches;
mod range;
mod rekey;
mod shares;
mod small;
mod subcommand;
mod suggest;
mod tables;
mod units;
mod verify;

pub(crate) use compat::tail;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args as _, Command, FromArgMatches as _};

use crate::error::{Error, Result};
pub(crate) use action::Action;
pub(crate) use age::AgeArgs;
pub(crate) use bench::BenchArgs;
pub(crate) use contribute::ContributeArgs;
pub(crate) use decrypt::DecryptArgs;
pub(crate) use encrypt::EncryptArgs;
pub(crate) use groups::{ArmorArgs, FolderArgs, KeyArgs, OpeningArgs, OutputArgs, RecipientArgs, SealingArgs};
pub(crate) use help::NOTES;
pub(crate) use identity::{IdentityArgs, IdentitySource};
pub(crate) use inspect::InspectArgs;
pub(crate) use keygen::KeygenArgs;
pub(crate) use range::PlaintextRange;
pub(crate) use rekey::RekeyArgs;
pub(crate) use shares::{CombineArgs, FormArgs, RefreshArgs, ReissueArgs, ShareAction, ShareInspectArgs, SplitArgs};
pub(crate) use small::{CompletionsArgs, CpuArgs, ManArgs};
pub(crate) use subcommand::VERSION;
use subcommand::{Group, Parsed, Subcommand, base, parse_as_age, parse_with};
pub(crate) use tables::{ENVIRONMENT, EXIT_STATUS, FILES};
pub(crate) use verify::VerifyArgs;

const SUBCOMMANDS: &[Subcommand] = &[
    Subcommand {
        name: "encrypt",
        about: "Encrypts files and folders to recipients, or with a passphrase",
        group: Group::Files,
        describe: encrypt::command,
        parse: |c, args| parse_as_age(c, args, EncryptArgs::checked, Action::Encrypt),
    },
    Subcommand {
        name: "decrypt",
        about: "Decrypts files and folders",
        group: Group::Files,
        describe: decrypt::command,
        parse: |c, args| parse_as_age(c, args, DecryptArgs::checked, Action::Decrypt),
    },
    Subcommand {
        name: "inspect",
        about: "Shows the recipient types and the sizes of encrypted files",
        group: Group::Files,
        describe: inspect::command,
        parse: |c, args| parse_as_age(c, args, InspectArgs::checked, Action::Inspect),
    },
    Subcommand {
        name: "verify",
        about: "Checks that files are intact and complete; writes nothing",
        group: Group::Files,
        describe: verify::command,
        parse: |c, args| parse_as_age(c, args, VerifyArgs::checked, Action::Verify),
    },
    Subcommand {
        name: "rekey",
        about: "Changes the recipients of files, without encrypting them again",
        group: Group::Files,
        describe: rekey::command,
        parse: |c, args| parse_as_age(c, args, RekeyArgs::checked, Action::Rekey),
    },
    Subcommand {
        name: "contribute",
        about: "Contributes your part of a file key to the person opening it",
        group: Group::Files,
        describe: contribute::command,
        parse: |c, args| parse_as_age(c, args, ContributeArgs::checked, Action::Contribute),
    },
    Subcommand {
        name: "keygen",
        about: "Makes a key pair, or prints the recipients of an identity file",
        group: Group::Keys,
        describe: keygen::command,
        parse: |c, args| parse_as_age(c, args, Ok, Action::Keygen),
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
        about: "Shows, refreshes or reissues shares, without computing the secret",
        group: Group::Keys,
        describe: shares::share_command,
        parse: |c, args| parse_with(c, args, Action::Share),
    },
    Subcommand {
        name: "cpu",
        about: "Shows the features of the CPU, and the backend of each primitive",
        group: Group::Machine,
        describe: small::cpu_command,
        parse: |c, args| parse_with(c, args, Action::Cpu),
    },
    Subcommand {
        name: "bench",
        about: "Measures each primitive on each backend of this CPU",
        group: Group::Machine,
        describe: bench::command,
        parse: |c, args| parse_with(c, args, Action::Bench),
    },
    Subcommand {
        name: "completions",
        about: "Prints a completion script for a shell",
        group: Group::Help,
        describe: small::completions_command,
        parse: |c, args| parse_with(c, args, Action::Completions),
    },
    Subcommand {
        name: "man",
        about: "Prints the manual page, or writes all pages",
        group: Group::Help,
        describe: small::man_command,
        parse: |c, args| parse_with(c, args, Action::Man),
    },
    Subcommand {
        name: "help",
        about: "Explains a command",
        group: Group::Help,
        describe: help::command,
        parse: parse_help,
    },
];

/// Returns the definition of `sealane` without a subcommand.
fn top_command() -> Command {
    // The short help lists commands in place of age's flags.
    let command = AgeArgs::augment_args(base("sealane")).mut_args(|arg| arg.hide_short_help(true));
    help::describe(command, SUBCOMMANDS)
}

/// Reads the arguments of `sealane help`, which name a command.
fn parse_help(command: Command, args: Vec<OsString>) -> Parsed {
    help::text(command, args, SUBCOMMANDS, &top_command()).map(|text| Ok(Action::Print(text)))
}

/// Returns all commands as a tree, for the manual.
pub(crate) fn whole_command() -> Command {
    // The manual has no text for flags that the short help hides.
    let command = top_command().mut_args(|arg| arg.hide_short_help(false));
    command.subcommands(SUBCOMMANDS.iter().map(Subcommand::command))
}

/// Returns the tree of commands for completions. It lacks INPUT, because after INPUT shells would
/// complete no subcommands. Shells complete file names by themselves.
pub(crate) fn completion_command() -> Command {
    let flags: Vec<_> = top_command().get_arguments().filter(|arg| !arg.is_positional()).cloned().collect();
    let names = SUBCOMMANDS.iter().map(|subcommand| subcommand.name);
    let command = base("sealane").args(flags).subcommands(SUBCOMMANDS.iter().map(Subcommand::command));
    // Only a suggestion: `sealane help` explains unknown names itself.
    command
        .mut_subcommand("help", |help| help.mut_arg("names", |arg| arg.value_parser(PossibleValuesParser::new(names))))
}

/// Reads the command line, without the program's name.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Action> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let Some(first) = args.first().cloned() else {
        if io::stdin().is_terminal() && io::stdout().is_terminal() {
            return Ok(Action::Print(top_command().render_help().to_string()));
        }
        return Err(Error::usage("no command, recipient, passphrase or identity given")
            .hint("sealane -r RECIPIENT FILE encrypts, sealane -d -i KEYFILE FILE decrypts; see sealane -h"));
    };
    let subcommand = first.to_str().and_then(find);
    let mut path = String::new();
    let parsed = match subcommand {
        Some(subcommand) => {
            args.remove(0);
            path = subcommand.path(args.first());
            (subcommand.parse)(subcommand.command(), args)
        }
        None => {
            matches::read_as_age(top_command(), args).and_then(|found| AgeArgs::from_arg_matches(&found)).map(|args| {
                args.refuse_unknown_command(&first, first.to_str().and_then(suggestion))?;
                args.checked_action()
            })
        }
    };
    match parsed {
        Ok(action) => action,
        Err(error) if error.kind() == ErrorKind::DisplayVersion => Ok(Action::Print(format!("sealane {VERSION}\n"))),
        Err(error) if !error.use_stderr() => Ok(Action::Print(error.render().to_string())),
        Err(error) => Err(usage_error(&error, &first, subcommand.map(|_| path.as_str()))),
    }
}

fn find(name: &str) -> Option<&'static Subcommand> {
    subcommand::find(SUBCOMMANDS, name)
}

/// Returns the name of the command that is most similar to `typed`, if one is similar enough.
fn suggestion(typed: &str) -> Option<&'static str> {
    suggest::nearest(typed, SUBCOMMANDS)
}

/// Converts clap's error to our form: one line for the error, one for the hint. `subcommand` is the
/// path of the subcommand.
fn usage_error(error: &clap::Error, first: &OsString, subcommand: Option<&str>) -> Error {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let line = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = line(paragraphs.next().unwrap_or_default());
    let tip = paragraphs.map(line).find_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned));
    // Drops clap's tip on how to pass a flag as a value, because this is rarely meant.
    let tip = tip.filter(|tip| !tip.starts_with("to pass ")).or_else(|| owners(error));
    // If the name of the subcommand is mistyped, its flags are unknown too.
    let suggested = first.to_str().filter(|_| subcommand.is_none()).and_then(suggestion);
    let help = match (subcommand, suggested) {
        (Some(path), _) => format!("see sealane {path} --help"),
        (None, Some(name)) => format!("did you mean sealane {name}? see sealane -h"),
        (None, None) => "see sealane --help".to_owned(),
    };
    let hint = tip.map_or(help.clone(), |tip| format!("{tip}; {help}"));
    Error::usage(message.strip_prefix("error: ").unwrap_or(&message)).hint(hint)
}

/// Names the subcommands that have the unknown flag of `error`.
fn owners(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
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

//! The definitions of subcommands, and the functions that read their arguments.

use std::ffi::OsString;

use clap::{Command, FromArgMatches};

use super::action::Action;
use super::matches;
use crate::error::Result;

/// A subcommand.
pub(super) struct Subcommand {
    pub(super) name: &'static str,
    /// Its line of help.
    pub(super) about: &'static str,
    pub(super) group: Group,
    /// Adds its arguments and its notes.
    pub(super) describe: fn(Command) -> Command,
    pub(super) parse: fn(Command, Vec<OsString>) -> Parsed,
}

/// The result of parsing. The outer error is clap's: the arguments cannot be parsed, or ask for
/// help. The inner error says why the arguments cannot be combined.
pub(super) type Parsed = Result<Result<Action>, clap::Error>;

impl Subcommand {
    /// Returns its definition for clap.
    pub(super) fn command(&self) -> Command {
        (self.describe)(base(self.name).bin_name(format!("sealane {}", self.name))).about(self.about)
    }

    /// Returns its name, and `next` if this is the name of one of its own subcommands.
    pub(super) fn path(&self, next: Option<&OsString>) -> String {
        let next = next.and_then(|next| next.to_str());
        match next.filter(|next| self.command().find_subcommand(next).is_some()) {
            Some(next) => format!("{} {next}", self.name),
            None => self.name.to_owned(),
        }
    }
}

/// A group of subcommands in help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Files,
    Keys,
    Machine,
    Help,
}

impl Group {
    pub(super) const ALL: [Self; 4] = [Self::Files, Self::Keys, Self::Machine, Self::Help];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Files => "Files",
            Self::Keys => "Keys and shares",
            Self::Machine => "This computer",
            Self::Help => "Help",
        }
    }
}

/// The version of the command.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns a command without arguments.
pub(super) fn base(name: &'static str) -> Command {
    Command::new(name).version(VERSION).disable_help_subcommand(true).arg_required_else_help(false)
}

/// Parses the arguments of a subcommand into `A`, and returns its action.
pub(super) fn parse_with<A: FromArgMatches>(command: Command, args: Vec<OsString>, action: fn(A) -> Action) -> Parsed {
    A::from_arg_matches(&matches::read(command, args)?).map(|args| Ok(action(args)))
}

/// Like [`parse_with`], for arguments in age's grammar. `check` checks which of them go together.
pub(super) fn parse_as_age<A: FromArgMatches>(
    command: Command,
    args: Vec<OsString>,
    check: fn(A) -> Result<A>,
    action: fn(A) -> Action,
) -> Parsed {
    A::from_arg_matches(&matches::read_as_age(command, args)?).map(|args| check(args).map(action))
}

/// Returns the subcommand of that name.
pub(super) fn find<'t>(subcommands: &'t [Subcommand], name: &str) -> Option<&'t Subcommand> {
    subcommands.iter().find(|subcommand| subcommand.name == name)
}

//! Parses arguments according to clap's definitions.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Command};

use super::compat;

/// Parses `args` according to the definition `command`.
pub(super) fn read(command: Command, args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    command.no_binary_name(true).try_get_matches_from(args)
}

/// Parses `args`, which are in age's grammar, according to the definition `command`.
pub(super) fn read_as_age(command: Command, args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    let flags = compat::flags_of(&command);
    let args = compat::normalise(args, &flags);
    // The last of a repeated flag counts, as in Go.
    read(command.args_override_self(true), args.clone()).map_err(|error| with_letter(error, &args))
}

/// Adds a tip to the error of an invalid value that is the rest of a cluster of short flags, such
/// as `-this`: the user may have meant one long flag.
fn with_letter(mut error: clap::Error, args: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue) else { return error };
    let is_cluster = |arg: &&str| !arg.starts_with("--") && !arg.contains('=') && arg.len() > value.len() + 1;
    let mut args = args.iter().filter_map(|arg| arg.to_str()).filter(is_cluster);
    let Some(arg) = args.find(|arg| !value.is_empty() && arg.starts_with('-') && arg.ends_with(value.as_str())) else {
        return error;
    };
    let letter = arg[..arg.len() - value.len()].chars().next_back().unwrap_or_default();
    let tip = format!("in {arg:?}, -{letter} takes the rest as its value");
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

//! Parses arguments according to clap's definitions.

use std::ffi::OsString;

use clap::{ArgMatches, Command};

use super::compat;

/// Parses `args` according to the definition `command`.
pub(super) fn read(command: Command, args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    command.no_binary_name(true).try_get_matches_from(args)
}

/// Parses `args`, which are in age's grammar, according to the definition `command`.
pub(super) fn read_as_age(command: Command, args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    let flags = compat::flags_of(&command);
    // The last of a repeated flag counts, as in Go.
    read(command.args_override_self(true), compat::normalise(args, &flags))
}

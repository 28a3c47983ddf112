//! Reads arguments by clap's definitions.

use std::ffi::OsString;

use clap::{ArgMatches, Command};

/// Reads `args` by the definition `command`.
pub(super) fn read(command: Command, args: Vec<OsString>) -> Result<ArgMatches, clap::Error> {
    command.no_binary_name(true).try_get_matches_from(args)
}

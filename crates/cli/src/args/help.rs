//! The texts of `sealane -h`, `--help` and `sealane help`.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::error::ErrorKind;
use clap::{Args, Command, FromArgMatches as _};

use super::matches;
use super::subcommand::{self, Group, Subcommand};
use super::suggest;
use super::tables::{ENVIRONMENT, EXIT_STATUS, table};

const SHORT_EXAMPLES: &str = "\
Examples:
  sealane keygen -o key.txt
  sealane encrypt -r age1… -o photos.tar.age photos.tar
  sealane decrypt -i key.txt -o photos.tar photos.tar.age
  sealane split -k 3 -n 5 -o shares key.txt

sealane COMMAND --help explains a command.
sealane --help also explains environment variables and exit statuses.";

/// Examples and rules for the command line of `sealane`.
pub(crate) const NOTES: &str = "\
Examples:
  sealane keygen -o key.txt
  sealane encrypt -r age1… -o photos.tar.age photos.tar
  sealane decrypt -i key.txt -o photos.tar photos.tar.age
  sealane encrypt -p notes.txt > notes.txt.age
  sealane split -k 3 -n 5 -o shares key.txt
  sealane combine -o restored.txt shares/*

sealane takes every command line of age. The name of a command, such as encrypt or keygen, counts
only as the first argument. For a file with that name, write ./encrypt.

INPUT defaults to standard input, and OUTPUT to standard output. \"-\" names both too.";

/// Adds the texts of `sealane -h` and `--help`, which list `subcommands`.
pub(super) fn describe(command: Command, subcommands: &[Subcommand]) -> Command {
    let mut commands = String::new();
    for group in Group::ALL {
        // Writing to a string does not fail.
        let _ = writeln!(commands, "{}:", group.title());
        for subcommand in subcommands.iter().filter(|subcommand| subcommand.group == group) {
            let _ = writeln!(commands, "  {:<12} {}", subcommand.name, subcommand.about);
        }
        commands.push('\n');
    }
    let (environment, status) = (table("Environment", ENVIRONMENT), table("Exit status", EXIT_STATUS));
    command
        .about("Encrypts and decrypts files in the age format, and splits keys into shares")
        .override_usage("sealane COMMAND …\n       sealane [-d] [OPTIONS] [INPUT]...")
        .after_help(format!("{commands}{SHORT_EXAMPLES}"))
        .after_long_help(format!("{commands}{NOTES}\n\n{environment}\n{status}"))
}

/// The arguments of `sealane help`.
#[derive(Args, Debug)]
struct HelpArgs {
    /// The command to explain
    #[arg(value_name = "COMMAND")]
    names: Vec<String>,
}

pub(super) fn command(base: Command) -> Command {
    HelpArgs::augment_args(base)
}

/// Reads the arguments of `sealane help`, and returns the help of the command that they name, or of
/// `top` if they name none.
pub(super) fn text(
    command: Command,
    args: Vec<OsString>,
    subcommands: &[Subcommand],
    top: &Command,
) -> Result<String, clap::Error> {
    let HelpArgs { names } = HelpArgs::from_arg_matches(&matches::read(command, args)?)?;
    let Some((first, rest)) = names.split_first() else {
        return Ok(top.clone().render_long_help().to_string());
    };
    let unknown = |name: &str| {
        let suggestion = suggest::nearest(name, subcommands);
        let suggestion = suggestion.map_or(String::new(), |suggestion| format!(", did you mean {suggestion:?}?"));
        clap::Error::raw(ErrorKind::InvalidSubcommand, format!("unknown command {name:?}{suggestion}\n"))
    };
    let mut command = subcommand::find(subcommands, first).ok_or_else(|| unknown(first))?.command();
    command.build();
    for name in rest {
        command = command.find_subcommand(name).cloned().ok_or_else(|| unknown(name))?;
    }
    Ok(command.render_help().to_string())
}

//! Acts as other programs: a link or copy with the name `age`, `age-keygen`, `age-inspect`,
//! `age-plugin-sealane` or `age-plugin-pq` has that program's command line, output and exit status.

mod age;
mod flags;
mod inspect;
mod keygen;
mod plugin;
mod plugin_pq;
mod plugin_sealane;
mod pq_keys;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use self::flags::{Fault, Flags};
use crate::args;
use crate::commands;
use crate::error::{Error, Result};
use crate::io::output;
use crate::keys::holders;
use crate::program::Program;

/// The version that age's programs print under this command: the version of age whose behaviour
/// they have, and the version of Sealane.
const VERSION: &str = concat!("v1.3.2+sealane.", env!("CARGO_PKG_VERSION"));

impl Program {
    /// Runs the program with `args`.
    pub(crate) fn run(self, args: Vec<OsString>) -> Result<ExitCode> {
        let act = match self {
            Self::Sealane => {
                match args.first().and_then(|first| first.to_str()).and_then(holders::state_machine) {
                    // rage resolves links to a plugin, and starts it under the name of the link's
                    // target.
                    Some(state_machine) => plugin::run(state_machine)?,
                    None => args::parse(args).and_then(commands::run)?,
                }
                return Ok(ExitCode::SUCCESS);
            }
            Self::Age => age::run,
            Self::AgeKeygen => keygen::run,
            Self::AgeInspect => inspect::run,
            Self::PluginSealane => plugin_sealane::run,
            Self::PluginPq => plugin_pq::run,
        };
        match act(args) {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(Stop::Print(text)) => output::print(text.as_bytes()).map(|()| ExitCode::SUCCESS),
            Err(Stop::Usage { fault, usage, status }) => {
                let mut stderr = io::stderr().lock();
                if let Some(fault) = fault {
                    let _ = writeln!(stderr, "{}", crate::error::shown(&fault));
                }
                let _ = stderr.write_all(usage.as_bytes());
                Ok(ExitCode::from(status))
            }
            Err(Stop::Failed(error)) => Err(error),
        }
    }
}

/// The reason why a program ends early.
enum Stop {
    /// Print this text.
    Print(String),
    /// Print `fault`, if there is one, and the usage to standard error, and exit with `status`.
    Usage {
        fault: Option<String>,
        usage: &'static str,
        status: u8,
    },
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Parses `args` with the flags in `names`. `usage` explains them.
fn parse(args: Vec<OsString>, names: &[flags::Flag], usage: &'static str) -> Result<Flags, Stop> {
    let found = flags::parse(args, names).map_err(|fault| match fault {
        Fault::Help => Stop::Usage { fault: None, usage, status: 0 },
        Fault::Malformed(text) => Stop::Usage { fault: Some(text), usage, status: 2 },
    })?;
    if found.is_set("version") {
        return Err(Stop::Print(format!("{VERSION}\n")));
    }
    Ok(found)
}

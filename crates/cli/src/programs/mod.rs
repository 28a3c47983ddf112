//! Stands in for other programs: a link or copy with the name `age`, `age-keygen`, `age-inspect`,
//! `age-plugin-sealane` or `age-plugin-pq` has that program's command line, output and exit status.

mod age;
mod flags;
mod inspect;
mod keygen;
mod plugin;
mod plugin_pq;
mod plugin_sealane;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use self::flags::{Fault, Flags};
use crate::args;
use crate::error::{Error, Result};
use crate::io::output;
use crate::keys::holders;

/// The version that the programs of age print: the version of age whose behaviour they have, and
/// our own.
const VERSION: &str = concat!("v1.3.2+sealane.", env!("CARGO_PKG_VERSION"));

/// A program that this one can stand in for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Sealane,
    Age,
    AgeKeygen,
    AgeInspect,
    PluginSealane,
    PluginPq,
}

/// The program of this process.
static PROGRAM: OnceLock<Program> = OnceLock::new();

impl Program {
    const ALL: [Self; 6] =
        [Self::Sealane, Self::Age, Self::AgeKeygen, Self::AgeInspect, Self::PluginSealane, Self::PluginPq];

    /// Returns the program of this process; `sealane` before [`Program::set`].
    pub(crate) fn current() -> Self {
        PROGRAM.get().copied().unwrap_or(Self::Sealane)
    }

    /// Sets the program by the name under which the process was started.
    pub(crate) fn set(name: Option<&OsStr>) -> Self {
        *PROGRAM.get_or_init(|| name.map_or(Self::Sealane, Self::named))
    }

    /// Returns the program that the path `started` names. Unknown names mean `sealane`.
    fn named(started: &OsStr) -> Self {
        let name = Path::new(started).file_name().and_then(OsStr::to_str).unwrap_or_default();
        let name = if cfg!(windows) { name.to_ascii_lowercase() } else { name.to_owned() };
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        Self::ALL.into_iter().find(|program| program.name() == name).unwrap_or(Self::Sealane)
    }

    /// Returns the name, with which messages begin.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sealane => "sealane",
            Self::Age => "age",
            Self::AgeKeygen => "age-keygen",
            Self::AgeInspect => "age-inspect",
            Self::PluginSealane => "age-plugin-sealane",
            Self::PluginPq => "age-plugin-pq",
        }
    }

    /// Returns the exit status for a well-formed command line with arguments that do not go
    /// together.
    pub(crate) fn usage_status(self) -> u8 {
        if self == Self::Sealane { 2 } else { 1 }
    }

    /// Runs the program with `args`.
    pub(crate) fn run(self, args: Vec<OsString>) -> Result<ExitCode> {
        let act = match self {
            Self::Sealane => {
                match args.first().and_then(|first| first.to_str()).and_then(holders::state_machine) {
                    // rage and this program resolve links to a plugin, and start it by the name of
                    // the target.
                    Some(state_machine) => plugin::run(state_machine)?,
                    None => args::parse(args).and_then(crate::run)?,
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
                    let _ = writeln!(stderr, "{}", crate::error::printable(&fault));
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
    /// Print this error and the usage to standard error.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (path, program) in [
            ("age", Program::Age),
            ("/usr/bin/age-keygen", Program::AgeKeygen),
            ("./age-inspect", Program::AgeInspect),
            ("age-plugin-sealane.exe", Program::PluginSealane),
            ("x/age-plugin-pq", Program::PluginPq),
            ("sealane", Program::Sealane),
            ("age/sealane", Program::Sealane),
            ("age2", Program::Sealane),
            ("", Program::Sealane),
        ] {
            assert_eq!(Program::named(OsStr::new(path)), program, "{path}");
        }
    }
}

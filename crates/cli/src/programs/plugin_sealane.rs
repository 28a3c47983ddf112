//! `age-plugin-sealane` opens files for several holders in `age` and `rage`.

use std::ffi::OsString;

use super::flags::{Flag, switch, value};
use super::{Stop, parse, plugin};

const USAGE: &str = "\
Usage:
    age-plugin-sealane --age-plugin=identity-v1
    age-plugin-sealane --version

age and rage start this plugin by themselves, from PATH, to open files that take several holders together.
Its identities are made from those of the holders: sealane keygen --plugin -o together.txt FILE...
";

const FLAGS: &[Flag] = &[switch(&["version"]), value(&["age-plugin"])];

/// Runs `age-plugin-sealane`.
pub(super) fn run(args: Vec<OsString>) -> Result<(), Stop> {
    let flags = parse(args, FLAGS, USAGE)?;
    match flags.last("age-plugin") {
        Some(state_machine) => Ok(plugin::run(&state_machine.to_string_lossy())?),
        None => Err(Stop::Usage { fault: None, usage: USAGE, status: 1 }),
    }
}

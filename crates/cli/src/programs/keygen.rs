//! The program `age-keygen`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::flags::{Flag, switch, value};
use super::{Stop, parse};
use crate::args::{Action, KeygenArgs};
use crate::error::Error;

const USAGE: &str = "\
Usage:
    age-keygen [-pq] [-o OUTPUT]
    age-keygen -y [-o OUTPUT] [INPUT]

Options:
    -pq                  Make a post-quantum key (ML-KEM-768 with X25519).
    -o, --output OUTPUT  Write to the file OUTPUT, which must not exist.
    -y                   Print the recipients of the identity file INPUT instead of generating a key.
    --version            Print the version.

INPUT is standard input and OUTPUT standard output if they are left out.
This is sealane under the name of age-keygen; sealane keygen does more: sealane keygen --help.
";

const FLAGS: &[Flag] = &[switch(&["version"]), switch(&["pq"]), switch(&["y"]), value(&["o", "output"])];

/// Runs `age-keygen`.
pub(super) fn run(args: Vec<OsString>) -> Result<(), Stop> {
    let flags = parse(args, FLAGS, USAGE)?;
    // age-keygen takes "-" as the name of a file.
    let output = flags.last("o").map(|path| if path == "-" { PathBuf::from("./-") } else { PathBuf::from(path) });
    if !flags.rest.is_empty() && !flags.is_set("y") {
        return Err(Error::usage("INPUT is only for -y").hint("-o OUTPUT names the file for the new key").into());
    }
    let inputs = flags.rest.iter().map(|input| if input.is_empty() { "-".into() } else { PathBuf::from(input) });
    Ok(crate::commands::run(Action::Keygen(KeygenArgs {
        output,
        convert: flags.is_set("y"),
        pq: flags.is_set("pq"),
        inputs: inputs.collect(),
        ..KeygenArgs::default()
    }))?)
}

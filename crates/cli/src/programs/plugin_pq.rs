//! `age-plugin-pq` lets programs without post-quantum keys use those of age 1.3
//! (<https://c2sp.org/age-plugin>).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bech32::Hrp;
use zeroize::Zeroizing;

use super::flags::{Flag, switch, value};
use super::{Stop, parse, plugin};
use crate::error::{Error, Result};
use crate::io::secret_file;
use crate::io::stdin::StdinUse;
use crate::keys::identities::{ParsedIdentity, PlainIdentity, load_file};
use crate::keys::passphrase::Passphrases;
use crate::keys::plugin::identity_line;

const USAGE: &str = "\
Usage:
    age-plugin-pq -identity [-o OUTPUT] [INPUT]

Options:
    -identity            Convert the post-quantum identities in the file INPUT to identities of this plugin.
    -o, --output OUTPUT  Write to the file OUTPUT, which must not exist.
    --version            Print the version.

INPUT is standard input and OUTPUT standard output if they are left out.
age before 1.3 and rage start this plugin by themselves, from PATH, for post-quantum recipients (age1pq1...).
To decrypt they need identities of this plugin, which -identity makes.
";

const FLAGS: &[Flag] = &[switch(&["version"]), switch(&["identity"]), value(&["o", "output"]), value(&["age-plugin"])];

const IDENTITY_PREFIX: Hrp = Hrp::parse_unchecked("AGE-PLUGIN-PQ-");

/// The exit status if the state machine is missing or unknown.
const NO_STATE_MACHINE: u8 = 4;

/// Runs `age-plugin-pq`.
pub(super) fn run(args: Vec<OsString>) -> Result<(), Stop> {
    let flags = parse(args, FLAGS, USAGE)?;
    if flags.is_set("identity") {
        if flags.rest.len() > 1 {
            return Err(Error::usage("too many arguments").hint("-identity takes one INPUT").into());
        }
        crate::os::memory::protect();
        let input = flags.rest.first().filter(|input| !input.is_empty()).map(Path::new);
        let converted = convert(input.unwrap_or(Path::new("-")))?;
        let output = flags.last("o").map(PathBuf::from);
        return Ok(secret_file::write_secret(output.as_deref(), converted.as_bytes())?);
    }
    match flags.last("age-plugin").and_then(|name| name.to_str()) {
        Some(name @ ("recipient-v1" | "identity-v1")) => Ok(plugin::run(name)?),
        other => {
            let fault = format!("unknown state machine {:?}", other.unwrap_or_default());
            Err(Stop::Usage { fault: Some(fault), usage: USAGE, status: NO_STATE_MACHINE })
        }
    }
}

/// Converts the identities in the file `input` to identities of the plugin, one per line.
fn convert(input: &Path) -> Result<Zeroizing<String>> {
    let stdin = StdinUse::default();
    let identities = load_file(input, &stdin, &Passphrases::new(&stdin))?;
    // A seed has 32 bytes, so its line has fewer than 128.
    let mut lines = Zeroizing::new(String::with_capacity(identities.len() * 128));
    for (index, identity) in identities.iter().enumerate() {
        let ParsedIdentity::Plain(PlainIdentity::PostQuantum(identity)) = identity else {
            return Err(Error::new(format!("identity #{} is not a post-quantum identity", index + 1))
                .hint("those begin with AGE-SECRET-KEY-PQ-1; other identities need no plugin"));
        };
        lines.push_str(&identity_line(IDENTITY_PREFIX, identity.expose_secret()));
    }
    Ok(lines)
}

//! `age-plugin-pq`: gives programs that have no post-quantum keys of their own those of age 1.3 (<https://c2sp.org/age-plugin>).

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use age::{Identity as _, Recipient as _};
use age_core::format::{FileKey, Stanza};
use age_core::primitives::bech32_encode;
use age_plugin::identity::{Error as IdentityError, IdentityPluginV1};
use age_plugin::recipient::{Error as RecipientError, RecipientPluginV1};
use age_plugin::{Callbacks, PluginHandler, run_state_machine};
use bech32::Hrp;
use sealane_age::mlkem768x25519::{Identity, Recipient};
use zeroize::Zeroizing;

use super::flags::{Flag, switch, value};
use super::{Stop, parse, serve_as_plugin};
use crate::commands::keygen;
use crate::error::{Error, Result};
use crate::identities::{ParsedIdentity, load_file};
use crate::passphrase::Passphrases;
use crate::stdin::StdinUse;

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

const NAME: &str = "pq";
const IDENTITY_PREFIX: Hrp = Hrp::parse_unchecked("AGE-PLUGIN-PQ-");

/// What age-plugin-pq ends with if nobody says what it is to do.
const NO_STATE_MACHINE: u8 = 4;

/// Does what `age-plugin-pq` does.
pub(super) fn run(args: Vec<OsString>) -> Result<(), Stop> {
    let flags = parse(args, FLAGS, USAGE)?;
    if flags.is_set("identity") {
        if flags.rest.len() > 1 {
            return Err(Error::usage("too many arguments").hint("-identity takes one INPUT").into());
        }
        crate::memory::protect();
        let input = flags.rest.first().filter(|input| !input.is_empty()).map(Path::new);
        let converted = convert(input.unwrap_or(Path::new("-")))?;
        let output = flags.last("o").map(PathBuf::from);
        return Ok(keygen::write_secret(output.as_deref(), converted.as_bytes())?);
    }
    match flags.last("age-plugin").and_then(|name| name.to_str()) {
        Some(name @ ("recipient-v1" | "identity-v1")) => Ok(serve_as_plugin(name, |name| {
            run_state_machine(name, Handler).map_err(|error| Error::io("as a plugin", &error))
        })?),
        other => {
            let fault = format!("unknown state machine {:?}", other.unwrap_or_default());
            Err(Stop::Usage { fault: Some(fault), usage: USAGE, status: NO_STATE_MACHINE })
        }
    }
}

/// The identities in the file `input`, one a line, as identities of the plugin.
fn convert(input: &Path) -> Result<Zeroizing<String>> {
    let stdin = StdinUse::default();
    let identities = load_file(input, &stdin, &Passphrases::new(&stdin))?;
    // The seed is 32 bytes.
    let mut lines = Zeroizing::new(String::with_capacity(identities.len() * 128));
    for (index, identity) in identities.iter().enumerate() {
        let ParsedIdentity::PostQuantum(identity) = identity else {
            return Err(Error::new(format!("identity #{} is not a post-quantum identity", index + 1))
                .hint("those begin with AGE-SECRET-KEY-PQ-1; other identities need no plugin"));
        };
        let mut text = Zeroizing::new(bech32_encode(IDENTITY_PREFIX, identity.seed()));
        text.make_ascii_uppercase();
        lines.push_str(&text);
        lines.push('\n');
    }
    Ok(lines)
}

struct Handler;

impl PluginHandler for Handler {
    type RecipientV1 = Keys;
    type IdentityV1 = Keys;

    fn recipient_v1(self) -> io::Result<Keys> {
        Ok(Keys::default())
    }

    fn identity_v1(self) -> io::Result<Keys> {
        Ok(Keys::default())
    }
}

/// What the client has named.
#[derive(Default)]
struct Keys {
    recipients: Vec<Recipient>,
    identities: Vec<Identity>,
}

const MALFORMED_RECIPIENT: &str = "malformed post-quantum recipient";
const MALFORMED_IDENTITY: &str = "malformed post-quantum identity";

fn identity(plugin_name: &str, bytes: &[u8]) -> Option<Identity> {
    (plugin_name == NAME).then(|| Identity::from_seed(bytes).ok()).flatten()
}

impl RecipientPluginV1 for Keys {
    fn add_recipient(&mut self, index: usize, plugin_name: &str, bytes: &[u8]) -> Result<(), RecipientError> {
        let recipient = (plugin_name == NAME).then(|| Recipient::from_bytes(bytes).ok()).flatten();
        let failed = || RecipientError::Recipient { index, message: MALFORMED_RECIPIENT.to_owned() };
        self.recipients.push(recipient.ok_or_else(failed)?);
        Ok(())
    }

    fn add_identity(&mut self, index: usize, plugin_name: &str, bytes: &[u8]) -> Result<(), RecipientError> {
        let failed = || RecipientError::Identity { index, message: MALFORMED_IDENTITY.to_owned() };
        self.recipients.push(identity(plugin_name, bytes).ok_or_else(failed)?.to_public());
        Ok(())
    }

    fn labels(&mut self) -> HashSet<String> {
        HashSet::from(["postquantum".to_owned()])
    }

    fn wrap_file_keys(
        &mut self,
        file_keys: Vec<FileKey>,
        _: impl Callbacks<RecipientError>,
    ) -> io::Result<Result<Vec<Vec<Stanza>>, Vec<RecipientError>>> {
        let wrap = |file_key: &FileKey| {
            let mut all = Vec::with_capacity(self.recipients.len());
            for recipient in &self.recipients {
                all.extend(recipient.wrap_file_key(file_key)?.0);
            }
            Ok(all)
        };
        let wrapped: Result<Vec<_>, age::EncryptError> = file_keys.iter().map(wrap).collect();
        Ok(wrapped.map_err(|error| vec![RecipientError::Internal { message: error.to_string() }]))
    }
}

impl IdentityPluginV1 for Keys {
    fn add_identity(&mut self, index: usize, plugin_name: &str, bytes: &[u8]) -> Result<(), IdentityError> {
        let failed = || IdentityError::Identity { index, message: MALFORMED_IDENTITY.to_owned() };
        self.identities.push(identity(plugin_name, bytes).ok_or_else(failed)?);
        Ok(())
    }

    fn unwrap_file_keys(
        &mut self,
        files: Vec<Vec<Stanza>>,
        _: impl Callbacks<IdentityError>,
    ) -> io::Result<HashMap<usize, Result<FileKey, Vec<IdentityError>>>> {
        let opened = files.iter().enumerate().filter_map(|(file_index, stanzas)| {
            let (stanza_index, found) = stanzas.iter().enumerate().find_map(|(at, stanza)| {
                Some((at, self.identities.iter().find_map(|identity| identity.unwrap_stanza(stanza))?))
            })?;
            let failed = |error: age::DecryptError| {
                vec![IdentityError::Stanza { file_index, stanza_index, message: error.to_string() }]
            };
            Some((file_index, found.map_err(failed)))
        });
        Ok(opened.collect())
    }
}

//! `age-plugin-sealane` opens files for several holders in `age` and `rage`, which start it and
//! speak <https://c2sp.org/age-plugin>.
//!
//! The programs start the plugin once for each of its identities, so one identity contains the keys
//! and parts of all holders. Its Bech32 data consists of their identity files and their files with
//! parts, each after its length in four bytes (big-endian).

use std::collections::HashMap;
use std::io;

use age_core::format::{FileKey, Stanza};
use age_plugin::Callbacks;
use age_plugin::identity::{Error as PluginError, IdentityPluginV1};
use bech32::Hrp;
use sealane_age::threshold::{Part, ThresholdIdentity};
use sealane_age::{Identity, UnwrapError};
use zeroize::Zeroizing;

use super::contributed_parts::read_part_lines;
use crate::error::{Error, Result};
use crate::io::stdin::StdinUse;
use crate::keys::identities::{ParsedIdentity, SharedIdentity, read_stream};
use crate::keys::passphrase::Passphrases;
use crate::keys::plugin;

const PREFIX: Hrp = Hrp::parse_unchecked("AGE-PLUGIN-SEALANE-");

/// Returns the name of the state machine if `argument` is `--age-plugin=NAME`.
pub(crate) fn state_machine(argument: &str) -> Option<&str> {
    argument.strip_prefix("--age-plugin=")
}

/// The longest file in an identity, in bytes.
pub(crate) const FILE_LIMIT: usize = 64 << 10;

/// Returns the line of the plugin identity with the contents of these files. Messages call each by
/// its name.
pub(crate) fn identity_line(files: &[(String, Zeroizing<Vec<u8>>)]) -> Result<Zeroizing<String>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(files.iter().map(|(_, file)| LEN + file.len()).sum()));
    for (name, file) in files {
        Contents::parse(file, name).map_err(|error| error.in_context(&format!("{name:?}")))?;
        let len = u32::try_from(file.len()).map_err(|_| Error::new("the file is too long"))?;
        bytes.extend_from_slice(&len.to_be_bytes());
        bytes.extend_from_slice(file);
    }
    Ok(plugin::identity_line(PREFIX, &bytes))
}

/// The number of bytes before each file.
const LEN: usize = 4;

/// Splits an identity into its files. `None` if it is malformed.
fn files(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut files = Vec::new();
    while !bytes.is_empty() {
        let (len, rest) = bytes.split_first_chunk::<LEN>()?;
        let (file, rest) = rest.split_at_checked(usize::try_from(u32::from_be_bytes(*len)).ok()?)?;
        files.push(file);
        bytes = rest;
    }
    Some(files)
}

/// The contents of a file in an identity.
enum Contents {
    Identities(Vec<ParsedIdentity>),
    Parts(Vec<Part>),
}

impl Contents {
    /// Parses the contents of a file, which messages call `name`.
    fn parse(contents: &[u8], name: &str) -> Result<Self> {
        if let Some(parts) = read_part_lines(contents)? {
            return Ok(Self::Parts(parts));
        }
        let passphrases = Passphrases::new(&StdinUse::default());
        let identities = read_stream(contents, name, &passphrases)?;
        if identities
            .iter()
            .any(|identity| matches!(identity, ParsedIdentity::Encrypted(file) if !file.has_passphrase()))
        {
            return Err(Error::new("a file is encrypted, but not with a passphrase")
                .hint("if it is an encrypted part, decrypt it first: age-plugin-sealane needs the part in the clear"));
        }
        Ok(Self::Identities(identities))
    }
}

/// The keys and parts of the holders who are present.
#[derive(Default)]
pub(crate) struct Holders {
    /// Keys of age's own types.
    native: Vec<SharedIdentity>,
    /// Identities that ask the user or use other programs. They come last.
    other: Vec<SharedIdentity>,
    parts: Vec<Part>,
}

impl IdentityPluginV1 for Holders {
    fn add_identity(&mut self, index: usize, _: &str, bytes: &[u8]) -> Result<(), PluginError> {
        let failed = |message: String| PluginError::Identity { index, message };
        for file in files(bytes).ok_or_else(|| failed("the identity is malformed".to_owned()))? {
            match Contents::parse(file, "an identity of age-plugin-sealane")
                .map_err(|error| failed(error.to_string()))?
            {
                Contents::Parts(parts) => self.parts.extend(parts),
                Contents::Identities(identities) => {
                    for identity in identities {
                        let list = if identity.is_native() { &mut self.native } else { &mut self.other };
                        list.push(identity.into_identity());
                    }
                }
            }
        }
        Ok(())
    }

    fn unwrap_file_keys(
        &mut self,
        files: Vec<Vec<Stanza>>,
        _: impl Callbacks<PluginError>,
    ) -> io::Result<HashMap<usize, Result<FileKey, Vec<PluginError>>>> {
        let identities = self.native.iter().chain(&self.other).map(|identity| &**identity as &dyn Identity);
        let together = ThresholdIdentity::new(identities, &self.parts);
        let opened = files.iter().enumerate().filter_map(|(file, stanzas)| {
            let stanzas: Vec<_> = stanzas.iter().map(sealane_age::Stanza::from).collect();
            // Skip files that have no stanza for holders.
            let result = together.unwrap_file_key(&stanzas).transpose()?;
            let failed = |error: UnwrapError| vec![PluginError::Internal { message: error.to_string() }];
            Some((file, result.map(|key| FileKey::from(&key)).map_err(failed)))
        });
        Ok(opened.collect())
    }
}

//! The plugins `age-plugin-sealane` and `age-plugin-pq` (<https://c2sp.org/age-plugin>). One
//! program implements both. It distinguishes them by the recipients and identities, because the
//! process may have another name.

use std::collections::{HashMap, HashSet};
use std::io;

use age_core::format::{FileKey, Stanza};
use age_plugin::identity::{Error as IdentityError, IdentityPluginV1};
use age_plugin::recipient::{Error as RecipientError, RecipientPluginV1};
use age_plugin::{Callbacks, PluginHandler, run_state_machine};

use super::pq_keys::Keys;
use crate::error::{Error, Result};
use crate::keys::holders::Holders;
use crate::os::memory;

/// The plugin's name in post-quantum recipients and identities.
const PQ: &str = "pq";

/// Talks to the client on standard input and output.
pub(super) fn run(state_machine: &str) -> Result<()> {
    memory::protect();
    run_state_machine(state_machine, Handler)
        .map_err(|error| Error::io("cannot talk to the client of the plugin", &error))
}

struct Handler;

impl PluginHandler for Handler {
    type RecipientV1 = Keys;
    type IdentityV1 = Identities;

    fn recipient_v1(self) -> io::Result<Keys> {
        Ok(Keys::default())
    }

    fn identity_v1(self) -> io::Result<Identities> {
        Ok(Identities::default())
    }
}

impl RecipientPluginV1 for Keys {
    fn add_recipient(&mut self, index: usize, plugin_name: &str, bytes: &[u8]) -> Result<(), RecipientError> {
        if plugin_name == PQ {
            return self.add_recipient(index, bytes);
        }
        let message = format!("age-plugin-{plugin_name} has no recipients");
        Err(RecipientError::Recipient { index, message })
    }

    fn add_identity(&mut self, index: usize, plugin_name: &str, bytes: &[u8]) -> Result<(), RecipientError> {
        if plugin_name == PQ {
            return self.add_recipient_of(index, bytes);
        }
        let message = format!(
            "nothing is encrypted to identities of age-plugin-{plugin_name}: sealane -k makes files for holders"
        );
        Err(RecipientError::Identity { index, message })
    }

    fn labels(&mut self) -> HashSet<String> {
        if self.has_recipients() { HashSet::from(["postquantum".to_owned()]) } else { HashSet::new() }
    }

    fn wrap_file_keys(
        &mut self,
        file_keys: Vec<FileKey>,
        _: impl Callbacks<RecipientError>,
    ) -> io::Result<Result<Vec<Vec<Stanza>>, Vec<RecipientError>>> {
        Ok(self.wrap(&file_keys))
    }
}

/// The identities of both plugins.
#[derive(Default)]
struct Identities {
    holders: Holders,
    keys: Keys,
}

impl IdentityPluginV1 for Identities {
    fn add_identity(&mut self, index: usize, plugin_name: &str, bytes: &[u8]) -> Result<(), IdentityError> {
        if plugin_name == PQ {
            self.keys.add_identity(index, bytes)
        } else {
            self.holders.add_identity(index, plugin_name, bytes)
        }
    }

    fn unwrap_file_keys(
        &mut self,
        files: Vec<Vec<Stanza>>,
        callbacks: impl Callbacks<IdentityError>,
    ) -> io::Result<HashMap<usize, Result<FileKey, Vec<IdentityError>>>> {
        let by_keys =
            files.iter().enumerate().filter_map(|(file, stanzas)| Some((file, self.keys.unwrap(file, stanzas)?)));
        let mut opened: HashMap<_, _> = by_keys.collect();
        for (file, by_holders) in self.holders.unwrap_file_keys(files, callbacks)? {
            opened.entry(file).or_insert(by_holders);
        }
        Ok(opened)
    }
}

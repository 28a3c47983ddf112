//! Finds a plugin, and lets it wrap and unwrap file keys.

use std::fmt;
use std::path::PathBuf;

use super::callbacks::Callbacks;
use super::conversation::{Conversation, converse};
use super::failure::{Failure, PluginError};
use super::{Identity, Recipient, is_name};
use crate::file_key::FileKey;
use crate::identity::UnwrapError;
use crate::recipient::{WrapError, Wrapped};
use crate::stanza::Stanza;

/// A plugin with recipients and identities, for which it wraps and unwraps file keys (feature
/// `plugin`).
///
/// Each call starts the plugin and waits until it has ended. It gets no `AGE_PASSPHRASE` and no
/// `AGE_PASSPHRASE_FD` from the environment, unless it is `age-plugin-batchpass`, whose purpose
/// they are. What it sends is limited: a line to 64 KiB, a body to 1 MiB, and all to 32 MiB. If the
/// environment variable `AGEDEBUG` is `plugin`, the conversation is written to standard error, with
/// its secrets.
#[derive(Clone)]
pub struct Client<C> {
    name: String,
    path: PathBuf,
    recipients: Vec<Recipient>,
    identities: Vec<Identity>,
    callbacks: C,
}

impl<C: Callbacks> Client<C> {
    /// Finds the program `age-plugin-NAME` in PATH.
    ///
    /// ```
    /// use sealane_age::plugin::{Client, FindError, NoCallbacks};
    ///
    /// let missing = Client::find("no-such-plugin", NoCallbacks);
    /// assert_eq!(missing.err(), Some(FindError::Missing("age-plugin-no-such-plugin".into())));
    /// ```
    ///
    /// # Errors
    /// [`FindError`].
    pub fn find(name: &str, callbacks: C) -> Result<Self, FindError> {
        let name = name.to_ascii_lowercase();
        let path = find(&name)?;
        Ok(Self::at(path, &name, callbacks))
    }

    /// Takes the program at `path` as the plugin `name`. The path must be absolute, because a
    /// plugin runs in a directory of its own.
    pub fn at(path: impl Into<PathBuf>, name: &str, callbacks: C) -> Self {
        let (name, path) = (name.to_ascii_lowercase(), path.into());
        Self { name, path, recipients: Vec::new(), identities: Vec::new(), callbacks }
    }

    /// Adds recipients. Those of other plugins are left out.
    #[must_use]
    pub fn with_recipients(mut self, recipients: impl IntoIterator<Item = Recipient>) -> Self {
        self.recipients.extend(recipients.into_iter().filter(|recipient| recipient.plugin() == self.name));
        self
    }

    /// Adds identities, which unwrap file keys, and for which file keys are wrapped too. Those of
    /// other plugins are left out.
    #[must_use]
    pub fn with_identities(mut self, identities: impl IntoIterator<Item = Identity>) -> Self {
        self.identities.extend(identities.into_iter().filter(|identity| identity.plugin() == self.name));
        self
    }

    /// Lets the plugin wrap `file_key` for its recipients, and for the recipients of its
    /// identities.
    ///
    /// # Errors
    /// [`PluginError`].
    pub fn wrap(&self, file_key: &FileKey) -> Result<Wrapped, PluginError> {
        self.converse("recipient-v1", |plugin| plugin.wrap(&self.recipients, &self.identities, file_key))
    }

    /// Lets the plugin unwrap a file key with its identities. Returns `None` if no stanza is for
    /// them.
    ///
    /// # Errors
    /// [`PluginError`].
    pub fn unwrap(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, PluginError> {
        self.converse("identity-v1", |plugin| plugin.unwrap(&self.identities, stanzas))
    }

    fn converse<T>(
        &self,
        state_machine: &str,
        with: impl FnOnce(&mut Conversation<'_, C>) -> Result<T, Failure>,
    ) -> Result<T, PluginError> {
        converse(&self.name, &self.path, state_machine, &self.callbacks, with)
            .map_err(|failure| PluginError { plugin: self.name.clone(), failure })
    }
}

impl<C: Callbacks> crate::Recipient for Client<C> {
    fn wrap_file_key(&self, file_key: &FileKey) -> Result<Wrapped, WrapError> {
        self.wrap(file_key).map_err(WrapError::other)
    }
}

impl<C: Callbacks> crate::Identity for Client<C> {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        self.unwrap(stanzas).map_err(UnwrapError::other)
    }
}

impl<C> fmt::Debug for Client<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, path, recipients, identities, .. } = self;
        let mut fields = f.debug_struct("Client");
        fields.field("name", name).field("path", path).field("recipients", recipients).field("identities", identities);
        fields.finish_non_exhaustive()
    }
}

/// A plugin cannot be started, because its program is not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// No plugin can have this name.
    #[error("not a plugin's name: {0:?}")]
    Name(String),
    /// No directory in PATH has the program of this name.
    #[error("plugin {0} not found in PATH")]
    Missing(String),
    /// The first directory in PATH that has the program of this name is relative to the working
    /// directory. The program is not run: an archive that was unpacked there could contain it.
    #[error("{0} is in PATH only relative to the current directory, and is not run")]
    Relative(String),
}

/// Finds the program of the plugin `name` in PATH.
fn find(name: &str) -> Result<PathBuf, FindError> {
    if !is_name(name) {
        return Err(FindError::Name(name.to_owned()));
    }
    let binary = format!("age-plugin-{name}");
    let path = std::env::var_os("PATH");
    // The Windows Subsystem for Linux can run Windows programs too.
    for binary in [Some(binary.clone()), is_wsl().then(|| format!("{binary}.exe"))].into_iter().flatten() {
        let first = which::which_in_global(&binary, path.as_ref()).ok().and_then(|mut found| found.next());
        match first {
            Some(found) if found.is_absolute() => return Ok(found),
            Some(_) => return Err(FindError::Relative(binary)),
            None => {}
        }
    }
    Err(FindError::Missing(binary))
}

fn is_wsl() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default().to_ascii_lowercase();
    cfg!(target_os = "linux") && (release.contains("microsoft") || release.contains("wsl"))
}

//! The post-quantum keys that a client of `age-plugin-pq` names.

use age_core::format::{FileKey, Stanza};
use age_plugin::identity::Error as IdentityError;
use age_plugin::recipient::Error as RecipientError;
use sealane_age::mlkem768x25519::{Identity, Recipient};
use sealane_age::{Identity as _, Recipient as _, UnwrapError, WrapError};

/// The recipients and identities that the client has named.
#[derive(Default)]
pub(super) struct Keys {
    recipients: Vec<Recipient>,
    identities: Vec<Identity>,
}

const MALFORMED_RECIPIENT: &str = "malformed post-quantum recipient";
const MALFORMED_IDENTITY: &str = "malformed post-quantum identity";

impl Keys {
    /// Returns whether there are recipients.
    pub(super) fn has_recipients(&self) -> bool {
        !self.recipients.is_empty()
    }

    /// Adds a recipient.
    pub(super) fn add_recipient(&mut self, index: usize, bytes: &[u8]) -> Result<(), RecipientError> {
        let failed = |_| RecipientError::Recipient { index, message: MALFORMED_RECIPIENT.to_owned() };
        self.recipients.push(Recipient::from_bytes(bytes).map_err(failed)?);
        Ok(())
    }

    /// Adds the recipient of an identity.
    pub(super) fn add_recipient_of(&mut self, index: usize, seed: &[u8]) -> Result<(), RecipientError> {
        let failed = |_| RecipientError::Identity { index, message: MALFORMED_IDENTITY.to_owned() };
        self.recipients.push(Identity::from_seed(seed).map_err(failed)?.to_public());
        Ok(())
    }

    /// Adds an identity.
    pub(super) fn add_identity(&mut self, index: usize, seed: &[u8]) -> Result<(), IdentityError> {
        let failed = |_| IdentityError::Identity { index, message: MALFORMED_IDENTITY.to_owned() };
        self.identities.push(Identity::from_seed(seed).map_err(failed)?);
        Ok(())
    }

    /// Wraps each file key for all recipients.
    pub(super) fn wrap(&self, file_keys: &[FileKey]) -> Result<Vec<Vec<Stanza>>, Vec<RecipientError>> {
        let wrap = |file_key: &FileKey| {
            let file_key = file_key.into();
            let mut all = Vec::with_capacity(self.recipients.len());
            for recipient in &self.recipients {
                all.extend(recipient.wrap_file_key(&file_key)?.stanzas.into_iter().map(Stanza::from));
            }
            Ok(all)
        };
        let wrapped: Result<Vec<_>, WrapError> = file_keys.iter().map(wrap).collect();
        wrapped.map_err(|error| vec![RecipientError::Internal { message: error.to_string() }])
    }

    /// Unwraps the key of the file with these stanzas, if one of them is for an identity.
    pub(super) fn unwrap(&self, file_index: usize, stanzas: &[Stanza]) -> Option<Result<FileKey, Vec<IdentityError>>> {
        let (stanza_index, found) = stanzas.iter().enumerate().find_map(|(at, stanza)| {
            let stanza = [stanza.into()];
            let unwrap = |identity: &Identity| identity.unwrap_file_key(&stanza).transpose();
            Some((at, self.identities.iter().find_map(unwrap)?))
        })?;
        let failed =
            |error: UnwrapError| vec![IdentityError::Stanza { file_index, stanza_index, message: error.to_string() }];
        Some(found.map(|key| FileKey::from(&key)).map_err(failed))
    }
}

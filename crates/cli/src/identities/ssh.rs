//! ssh private keys, with the question for their passphrase put off until a file needs it.

use age::ssh;
use age::{DecryptError, Identity};
use age_core::format::{FileKey, Stanza};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use sha2::{Digest as _, Sha256};

use super::as_decrypt_error;
use crate::error::{Error, Result};
use crate::once::Once;
use crate::passphrase::{Given, Passphrases};

/// An ssh private key, perhaps encrypted.
///
/// `age`'s own wrapper asks for the passphrase once for every stanza of any type. This one asks once, and only when a
/// stanza names this key.
pub(crate) struct SshKey {
    name: String,
    key: ssh::Identity,
    recipient: ssh::Recipient,
    passphrases: Passphrases,
    opened: Once<ssh::Identity>,
}

impl SshKey {
    /// Reads a key in OpenSSH's form, or an RSA key in PKCS #1.
    pub(super) fn parse(contents: &[u8], name: &str, passphrases: Passphrases) -> Result<Self> {
        let convert = "ssh-keygen -p -f KEY writes it anew in OpenSSH's form";
        let key = ssh::Identity::from_buffer(contents, Some(name.to_owned())).map_err(|_| {
            Error::new(format!("{name:?} is not a private key that can be read here"))
                .hint(format!("ssh-ed25519 and ssh-rsa keys in OpenSSH's form are; {convert}"))
        })?;
        if let ssh::Identity::Unsupported(why) = &key {
            return Err(unsupported(name, why, convert));
        }
        let recipient = ssh::Recipient::try_from(key.clone()).map_err(|error| {
            Error::new(format!("ssh key {name:?} cannot be used: {}", describe_recipient_fault(&error)))
                .hint("ssh-ed25519 keys and ssh-rsa keys of 2048 to 4096 bits can be used")
        })?;
        Ok(Self { name: name.to_owned(), key, recipient, passphrases, opened: Once::default() })
    }

    /// The public half.
    pub(crate) fn to_recipient(&self) -> ssh::Recipient {
        self.recipient.clone()
    }

    /// Whether `stanza` says that it is for this key: its type, and the first four bytes of SHA-256 of the public key.
    fn is_for_me(&self, stanza: &Stanza) -> bool {
        let public = self.recipient.to_string();
        let Some((kind, key)) = public.split_once(' ') else { return false };
        let Ok(key) = BASE64_STANDARD.decode(key) else { return false };
        let tag = BASE64_STANDARD_NO_PAD.encode(&Sha256::digest(key)[..4]);
        stanza.tag == kind && stanza.args.first() == Some(&tag)
    }

    fn open(&self, encrypted: &ssh::EncryptedKey) -> Result<ssh::Identity> {
        let given = self.passphrases.to_open(&format!("ssh key {:?}", self.name))?;
        let from = if matches!(given, Given::Environment(_)) { " from the environment" } else { "" };
        let key = encrypted
            .decrypt(given.secret())
            .map_err(|_| Error::new(format!("the passphrase{from} does not open ssh key {:?}", self.name)))?;
        Ok(key.into())
    }
}

impl Identity for SshKey {
    fn unwrap_stanza(&self, stanza: &Stanza) -> Option<Result<FileKey, DecryptError>> {
        if !self.is_for_me(stanza) {
            return None;
        }
        let ssh::Identity::Encrypted(encrypted) = &self.key else { return self.key.unwrap_stanza(stanza) };
        match self.opened.get(|| self.open(encrypted)) {
            Ok(key) => key.unwrap_stanza(stanza),
            Err(error) => Some(Err(as_decrypt_error(error))),
        }
    }
}

fn unsupported(name: &str, why: &ssh::UnsupportedKey, convert: &str) -> Error {
    use ssh::UnsupportedKey;
    match why {
        UnsupportedKey::EncryptedPem => {
            Error::new(format!("ssh key {name:?} is encrypted in the old PEM form")).hint(convert)
        }
        UnsupportedKey::EncryptedSsh(cipher) => {
            Error::new(format!("ssh key {name:?} is encrypted with {cipher}, which is not built in"))
                .hint("ssh-keygen -p -Z aes256-ctr -f KEY encrypts it with another cipher")
        }
        UnsupportedKey::Hardware(kind) => {
            Error::new(format!("ssh key {name:?} lives in a security key ({kind}) and cannot decrypt files"))
                .hint("there are plugins for security keys: https://age-encryption.org/awesome#plugins")
        }
        UnsupportedKey::Type(kind) => Error::new(format!("ssh key {name:?} is of type {kind}, which cannot be used"))
            .hint("ssh-ed25519 keys and ssh-rsa keys of 2048 to 4096 bits can be used"),
    }
}

/// What is wrong with an ssh public key.
pub(crate) fn describe_recipient_fault(error: &ssh::ParseRecipientKeyError) -> String {
    use ssh::ParseRecipientKeyError as E;
    match error {
        E::RsaModulusTooLarge => "an RSA key of more than 4096 bits".into(),
        E::RsaModulusTooSmall => "an RSA key of less than 2048 bits is too weak".into(),
        E::Unsupported(kind) => format!("keys of type {kind} are not built in"),
        E::Ignore => "its type is not built in".into(),
        _ => "malformed ssh public key".into(),
    }
}

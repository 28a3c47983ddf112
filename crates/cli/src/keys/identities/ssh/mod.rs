//! ssh private keys. They prompt for a passphrase only when a file needs the key.
//!
//! The crate `age` reads OpenSSH's form, and unencrypted RSA keys in PKCS #1. Other forms are
//! converted.

mod legacy;
mod pem;
mod pkcs8;

use std::path::{Path, PathBuf};

use age::ssh;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use sealane_age::key_file::{AnyRecipient, SshIdentityFault as Fault, parse_ssh_identity, read_ssh_identity};
use sealane_age::secrecy::{ExposeSecret as _, SecretString};
use sealane_age::{FileKey, Identity, Stanza, UnwrapError};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use self::pem::Pem;
use crate::error::{Error, Result, describe, quoted};
use crate::keys::cached::Once;
use crate::keys::passphrase::{Given, Passphrases};

const CONVERT: &str = "ssh-keygen -p -f KEY converts it to OpenSSH's form";
const USABLE: &str = "ssh-ed25519 keys and ssh-rsa keys of 2048 to 4096 bits can be used";

/// An ssh private key, which may be encrypted.
///
/// The wrapper in the crate `age` asks for the passphrase for every stanza of any type. This type
/// asks once, and only when a stanza names this key.
pub(crate) struct SshKey {
    name: String,
    private: Private,
    recipient: ssh::Recipient,
    passphrases: Passphrases,
    opened: Once<ssh::Identity>,
}

/// The private half.
enum Private {
    Open(ssh::Identity),
    /// OpenSSH's form in PEM, which contains the public key.
    Encrypted(String),
    /// An encrypted RSA key in PKCS #1, whose public key is in another file.
    Legacy(legacy::Encrypted),
}

impl SshKey {
    /// Reads a key in OpenSSH's form or in PKCS #1, which may be encrypted, or an unencrypted key
    /// in PKCS #8. `path` is the file of the key, if there is one: the public key of an encrypted
    /// PKCS #1 key is in another file beside it.
    pub(super) fn parse(contents: &[u8], name: &str, path: Option<&Path>, passphrases: Passphrases) -> Result<Self> {
        let pem = Pem::parse(contents.trim_ascii_start()).ok_or_else(|| unreadable(name))?;
        let (private, recipient) = match pem.label.as_str() {
            "RSA PRIVATE KEY" if pem.is_encrypted() => {
                let encrypted = legacy::Encrypted::new(pem).map_err(|cipher| unknown_cipher(name, &cipher))?;
                (Private::Legacy(encrypted), read_public(name, path)?)
            }
            "RSA PRIVATE KEY" => open(name, &pkcs8::rsa(&pem.body))?,
            "PRIVATE KEY" => {
                let converted = pkcs8::convert(&pem.body).map_err(|fault| match fault {
                    pkcs8::Fault::Malformed => unreadable(name),
                    pkcs8::Fault::Type(kind) => wrong_type(name, &kind),
                })?;
                open(name, &converted)?
            }
            "OPENSSH PRIVATE KEY" => open(name, &pem::encode(&pem.label, &pem.body))?,
            "ENCRYPTED PRIVATE KEY" => {
                return Err(Error::new(format!("ssh key {name:?} is encrypted in PKCS #8, which is not supported"))
                    .hint(CONVERT));
            }
            "EC PRIVATE KEY" => return Err(wrong_type(name, "ecdsa")),
            "DSA PRIVATE KEY" => return Err(wrong_type(name, "ssh-dss")),
            _ => return Err(unreadable(name)),
        };
        Ok(Self { name: name.to_owned(), private, recipient, passphrases, opened: Once::default() })
    }

    /// Returns the public key, if files may be encrypted to it. A private key that is too weak for
    /// that may still open old files.
    pub(crate) fn to_recipient(&self) -> Result<ssh::Recipient> {
        match self.recipient.to_string().parse() {
            Ok(AnyRecipient::Ssh(recipient)) => Ok(recipient),
            Ok(_) => Err(unreadable(&self.name)),
            Err(fault) => Err(Error::new(format!("ssh key {:?} cannot be used: {fault}", self.name)).hint(USABLE)),
        }
    }

    /// Returns whether `stanza` names this key: by its type, and the first four bytes of SHA-256 of
    /// the public key.
    fn is_for_me(&self, stanza: &Stanza) -> bool {
        let public = self.recipient.to_string();
        let Some((kind, key)) = public.split_once(' ') else { return false };
        let Ok(key) = BASE64_STANDARD.decode(key) else { return false };
        let tag = BASE64_STANDARD_NO_PAD.encode(&Sha256::digest(key)[..4]);
        stanza.tag == kind && stanza.args.first() == Some(&tag)
    }

    /// Asks for the passphrase and decrypts the key with `decrypt`.
    fn unlock(&self, decrypt: impl FnOnce(SecretString) -> Result<ssh::Identity, Fault>) -> Result<ssh::Identity> {
        let passphrase = self.passphrases.to_open(&format!("ssh key {:?}", self.name))?;
        let from = if matches!(passphrase, Given::Environment(_)) { " from the environment" } else { "" };
        decrypt(passphrase.secret()).map_err(|fault| match fault {
            Fault::WrongPassphrase => Error::new(format!("the passphrase{from} does not open ssh key {:?}", self.name)),
            fault => faulty(&self.name, fault),
        })
    }

    fn unlock_legacy(&self, encrypted: &legacy::Encrypted) -> Result<ssh::Identity> {
        let key = self.unlock(|passphrase| {
            let der = encrypted.decrypt(passphrase.expose_secret().as_bytes()).ok_or(Fault::WrongPassphrase)?;
            match read_ssh_identity(pkcs8::rsa(&der).as_bytes()) {
                Ok(key @ ssh::Identity::Unencrypted(_)) => Ok(key),
                _ => Err(Fault::WrongPassphrase),
            }
        })?;
        // Without this check, files could be encrypted to one key and opened with another.
        let public = ssh::Recipient::try_from(key.clone()).ok();
        if public.is_some_and(|public| public.to_string() == self.recipient.to_string()) {
            return Ok(key);
        }
        Err(Error::new(format!("ssh key {:?} and the public key beside it do not belong together", self.name))
            .hint("ssh-keygen -y -f KEY > KEY.pub writes the public key"))
    }
}

impl Identity for SshKey {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        let stanzas: Vec<_> = stanzas.iter().filter(|stanza| self.is_for_me(stanza)).cloned().collect();
        if stanzas.is_empty() {
            return Ok(None);
        }
        let opened = match &self.private {
            Private::Open(key) => return key.unwrap_file_key(&stanzas),
            Private::Encrypted(encrypted) => {
                self.opened.get(|| self.unlock(|passphrase| parse_ssh_identity(encrypted.as_bytes(), Some(passphrase))))
            }
            Private::Legacy(encrypted) => self.opened.get(|| self.unlock_legacy(encrypted)),
        };
        opened.map_err(UnwrapError::other)?.unwrap_file_key(&stanzas)
    }
}

/// Parses a key in one of the forms that `age` reads, and returns its public key too.
fn open(name: &str, text: &Zeroizing<String>) -> Result<(Private, ssh::Recipient)> {
    let key = read_ssh_identity(text.as_bytes()).map_err(|fault| faulty(name, fault))?;
    if let ssh::Identity::Unsupported(why) = &key {
        return Err(unsupported(name, why));
    }
    let recipient = ssh::Recipient::try_from(key.clone()).map_err(|error| {
        Error::new(format!("ssh key {name:?} cannot be used: {}", describe_recipient_fault(&error))).hint(USABLE)
    })?;
    let private = match key {
        ssh::Identity::Encrypted(_) => Private::Encrypted(text.to_string()),
        key => Private::Open(key),
    };
    Ok((private, recipient))
}

/// Reads the public key from the file beside `path`, where ssh-keygen writes it.
fn read_public(name: &str, path: Option<&Path>) -> Result<ssh::Recipient> {
    let no_public_key = |what: String| {
        Error::new(format!("ssh key {name:?} is encrypted in the old PEM form, and its public key is needed: {what}"))
            .hint(format!("ssh-keygen -y -f KEY > KEY.pub writes it; {CONVERT}"))
    };
    let path = path.ok_or_else(|| no_public_key("give the key as a file with the public key in KEY.pub".to_owned()))?;
    let mut public = path.as_os_str().to_owned();
    public.push(".pub");
    let public = PathBuf::from(public);
    let shown = quoted(&public);
    let text = std::fs::read_to_string(&public)
        .map_err(|error| no_public_key(format!("cannot read {shown}: {}", describe(&error))))?;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or_default();
    match line.parse() {
        Ok(AnyRecipient::Ssh(recipient)) => Ok(recipient),
        Ok(_) => Err(no_public_key(format!("{shown}: not an ssh public key"))),
        Err(fault) => Err(no_public_key(format!("{shown}: {fault}"))),
    }
}

/// Returns the error of a private key that cannot be used.
fn faulty(name: &str, fault: Fault) -> Error {
    match fault {
        Fault::Malformed => unreadable(name),
        Fault::Unsupported => Error::new(format!("ssh key {name:?} cannot be used: {fault}")).hint(USABLE),
        fault => Error::new(format!("ssh key {name:?}: {fault}")),
    }
}

fn unreadable(name: &str) -> Error {
    Error::new(format!("{name:?} is not a private key in a supported form"))
        .hint(format!("ssh-ed25519 and ssh-rsa keys in OpenSSH's form or in PEM are supported; {CONVERT}"))
}

fn wrong_type(name: &str, kind: &str) -> Error {
    Error::new(format!("ssh key {name:?} is of type {kind}, which cannot be used")).hint(USABLE)
}

fn unknown_cipher(name: &str, cipher: &str) -> Error {
    Error::new(format!("ssh key {name:?} is encrypted with {cipher:?}, which is not supported"))
        .hint("ssh-keygen -p -Z aes256-ctr -f KEY encrypts it with another cipher")
}

fn unsupported(name: &str, why: &ssh::UnsupportedKey) -> Error {
    use ssh::UnsupportedKey;
    match why {
        UnsupportedKey::EncryptedPem => {
            Error::new(format!("ssh key {name:?} is encrypted in the old PEM form")).hint(CONVERT)
        }
        UnsupportedKey::EncryptedSsh(cipher) => unknown_cipher(name, cipher),
        UnsupportedKey::Hardware(kind) => {
            Error::new(format!("ssh key {name:?} is in a security key ({kind}) and cannot decrypt files"))
                .hint("there are plugins for security keys: https://age-encryption.org/awesome#plugins")
        }
        UnsupportedKey::Type(kind) => wrong_type(name, kind),
    }
}

/// Explains what is wrong with the public half of an ssh private key.
fn describe_recipient_fault(error: &ssh::ParseRecipientKeyError) -> String {
    use ssh::ParseRecipientKeyError as E;
    match error {
        E::RsaModulusTooLarge => "an RSA key of more than 4096 bits".into(),
        E::Unsupported(kind) => format!("keys of type {kind} are not supported"),
        _ => "malformed ssh public key".into(),
    }
}

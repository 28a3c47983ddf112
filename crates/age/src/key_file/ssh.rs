//! ssh private keys (feature `ssh`).

use age::ssh::{EncryptedKey, Identity, ParseRecipientKeyError, Recipient};
use secrecy::SecretString;

use crate::ssh::{SshIdentityFault, check_halves, check_private_key};

/// The longest file of an ssh private key, in bytes.
pub const MAX_SSH_IDENTITY_BYTES: usize = 16 << 10;

/// Parses the file of an ssh private key, of type `ssh-ed25519` or `ssh-rsa`, and decrypts it with
/// the passphrase if it is encrypted.
///
/// ```
/// use sealane_age::key_file::{SshIdentityFault, parse_ssh_identity};
/// use sealane_age::{Identity, Recipient, adapter, decrypt, encrypt};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = b"-----BEGIN OPENSSH PRIVATE KEY-----
/// b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
/// QyNTUxOQAAACAdvS6H+Dd9wSWwGBzAwPbgT3vUdSw8C4czCGhzlL/aswAAAJBBcuPNQXLj
/// zQAAAAtzc2gtZWQyNTUxOQAAACAdvS6H+Dd9wSWwGBzAwPbgT3vUdSw8C4czCGhzlL/asw
/// AAAEB+TUGS8gUk9Qia97Mo2QCM13odoYFXAWSN/YmWxFsGxh29Lof4N33BJbAYHMDA9uBP
/// e9R1LDwLhzMIaHOUv9qzAAAADHNlYWxhbmUtdGVzdAE=
/// -----END OPENSSH PRIVATE KEY-----
/// ";
/// let identity = parse_ssh_identity(file, None)?;
/// let recipient = adapter::age::ssh::Recipient::try_from(identity.clone()).unwrap();
/// let sealed = encrypt([&recipient as &dyn Recipient], b"attack at dawn")?;
/// assert_eq!(decrypt([&identity as &dyn Identity], &sealed)?, b"attack at dawn");
/// assert_eq!(parse_ssh_identity(b"AGE-SECRET-KEY-1", None).err(), Some(SshIdentityFault::Malformed));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`SshIdentityFault`].
pub fn parse_ssh_identity(file: &[u8], passphrase: Option<SecretString>) -> Result<Identity, SshIdentityFault> {
    match read_ssh_identity(file)? {
        Identity::Encrypted(key) => {
            // Here too, because a key of another type is never opened by the right passphrase.
            Recipient::try_from(Identity::Encrypted(key.clone())).map_err(|error| match error {
                ParseRecipientKeyError::Invalid(_) => SshIdentityFault::Malformed,
                _ => SshIdentityFault::Unsupported,
            })?;
            decrypt_ssh_identity(&key, passphrase.ok_or(SshIdentityFault::PassphraseNeeded)?)
        }
        Identity::Unsupported(_) => Err(SshIdentityFault::Unsupported),
        key => Ok(key),
    }
}

/// Does the same as [`parse_ssh_identity`], but leaves an encrypted key encrypted, and returns a
/// key of an unsupported type as such.
///
/// # Errors
/// [`SshIdentityFault::Malformed`], [`SshIdentityFault::Unsupported`] or
/// [`SshIdentityFault::Mismatch`].
pub fn read_ssh_identity(file: &[u8]) -> Result<Identity, SshIdentityFault> {
    let file = super::without_mark(file).trim_ascii_start();
    let text = core::str::from_utf8(file).map_err(|_| SshIdentityFault::Malformed)?;
    if text.len() > MAX_SSH_IDENTITY_BYTES {
        return Err(SshIdentityFault::Malformed);
    }
    check_private_key(text)?;
    let identity = Identity::from_buffer(file, None).map_err(|_| SshIdentityFault::Malformed)?;
    if let Identity::Unencrypted(_) = &identity {
        check_halves(&identity, true)?;
    }
    Ok(identity)
}

/// Decrypts the key of an [`Identity::Encrypted`].
///
/// # Errors
/// [`SshIdentityFault::WrongPassphrase`] or [`SshIdentityFault::Mismatch`].
pub fn decrypt_ssh_identity(key: &EncryptedKey, passphrase: SecretString) -> Result<Identity, SshIdentityFault> {
    let key = key.decrypt(passphrase).map_err(|_| SshIdentityFault::WrongPassphrase)?;
    let identity = Identity::Unencrypted(key);
    check_halves(&identity, false)?;
    Ok(identity)
}

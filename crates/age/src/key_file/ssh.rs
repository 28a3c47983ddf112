//! ssh private keys (feature `ssh`).

use age::ssh::{Identity, ParseRecipientKeyError, Recipient};
use secrecy::SecretString;

use crate::ssh::{SshIdentityFault, check_halves, check_private_key, decrypt_private_key};

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
    let text = text_of(file)?;
    match read(text)? {
        encrypted @ Identity::Encrypted(_) => {
            // Here too, because a key of another type is never opened by the right passphrase.
            Recipient::try_from(encrypted).map_err(|error| match error {
                ParseRecipientKeyError::Invalid(_) => SshIdentityFault::Malformed,
                _ => SshIdentityFault::Unsupported,
            })?;
            let passphrase = passphrase.ok_or(SshIdentityFault::PassphraseNeeded)?;
            // The crate `age` could decrypt the key itself, but it panics if a number is zero.
            match read(&decrypt_private_key(text, &passphrase)?)? {
                key @ Identity::Unencrypted(_) => Ok(key),
                _ => Err(SshIdentityFault::Unsupported),
            }
        }
        Identity::Unsupported(_) => Err(SshIdentityFault::Unsupported),
        key => Ok(key),
    }
}

/// Does the same as [`parse_ssh_identity`], but leaves an encrypted key encrypted, and returns a
/// key of an unsupported type as such.
///
/// To decrypt a key, call [`parse_ssh_identity`]. The crate `age` can decrypt it too, but panics if
/// its file has been changed in some ways.
///
/// # Errors
/// [`SshIdentityFault::Malformed`], [`SshIdentityFault::Unsupported`] or
/// [`SshIdentityFault::Mismatch`].
pub fn read_ssh_identity(file: &[u8]) -> Result<Identity, SshIdentityFault> {
    read(text_of(file)?)
}

/// Returns the text of a file that is not too long.
fn text_of(file: &[u8]) -> Result<&str, SshIdentityFault> {
    let text = core::str::from_utf8(super::without_mark(file).trim_ascii_start());
    text.ok().filter(|text| text.len() <= MAX_SSH_IDENTITY_BYTES).ok_or(SshIdentityFault::Malformed)
}

fn read(text: &str) -> Result<Identity, SshIdentityFault> {
    check_private_key(text)?;
    let identity = Identity::from_buffer(text.as_bytes(), None).map_err(|_| SshIdentityFault::Malformed)?;
    if let Identity::Unencrypted(_) = &identity {
        check_halves(&identity)?;
    }
    Ok(identity)
}

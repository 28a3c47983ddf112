//! ssh private keys (feature `ssh`).

use age::ssh::Identity;
use secrecy::SecretString;

/// The reason why a text is not an ssh private key that opens files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SshIdentityFault {
    /// It is neither a private key in OpenSSH's format nor an RSA private key in PEM.
    #[error("not an ssh private key")]
    Malformed,
    /// Its type, length or encryption is not supported.
    #[error("ssh keys of this type are not supported")]
    Unsupported,
    /// It is encrypted, and there is no passphrase.
    #[error("the ssh key is encrypted: its passphrase is needed")]
    PassphraseNeeded,
    /// The passphrase does not decrypt it.
    #[error("the passphrase does not open the ssh key")]
    WrongPassphrase,
}

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
    match Identity::from_buffer(super::without_mark(file), None).map_err(|_| SshIdentityFault::Malformed)? {
        Identity::Encrypted(key) => {
            let passphrase = passphrase.ok_or(SshIdentityFault::PassphraseNeeded)?;
            let key = key.decrypt(passphrase).map_err(|_| SshIdentityFault::WrongPassphrase)?;
            Ok(Identity::Unencrypted(key))
        }
        Identity::Unsupported(_) => Err(SshIdentityFault::Unsupported),
        key => Ok(key),
    }
}

//! The reasons why an ssh private key is refused.

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
    /// Files that are encrypted to its public half are not opened by its private half.
    #[error("the public half and the private half of the ssh key do not belong together")]
    Mismatch,
}

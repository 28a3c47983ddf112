//! Whether a context encrypts or decrypts.

/// The operation of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

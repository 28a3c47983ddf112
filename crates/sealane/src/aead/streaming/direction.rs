//! The operation on a piece of a message.

/// The operation on the data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

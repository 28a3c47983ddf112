//! Forms of shares.

/// The form of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Sealane's binary form.
    Binary,
    /// Sealane's text form.
    Text,
}

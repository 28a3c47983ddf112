//! Forms of shares in Sealane's own format.

/// The form of a share in Sealane's own format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Sealane's binary form.
    Binary,
    /// Sealane's text form.
    Text,
}

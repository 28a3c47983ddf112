//! The sizes in listings.

/// The size of an object that a listing reports.
///
/// `get` and `head` always report the length of the plaintext.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListedSize {
    /// The length of the plaintext, if the header has the length of this store's headers: see
    /// [`Keys::with_header_len`](crate::Keys::with_header_len). Nothing is read. Objects that were
    /// sealed with another length have another size.
    #[default]
    FixedHeader,
    /// The length of the plaintext. Headers that are not known yet are read, ten at a time. For
    /// an object that is not sealed, the size in the store.
    Exact,
    /// The size that the object has in the store. Nothing is read.
    Stored,
}

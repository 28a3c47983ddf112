//! The sizes in listings.

/// Chooses the size that listings report for each object.
///
/// `get` and `head` report the length of the plaintext, as it follows from the size that the inner
/// store reports.
///
/// A size of 0 is authentic, because engines skip empty objects without reading them: an object
/// that seems empty is read in each listing, unless the size is [`Stored`](Self::Stored). If it is
/// damaged, it keeps the size that it has in the inner store.
///
/// ```
/// # #[cfg(feature = "object_store_014")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
///
/// use sealane_object_store::object_store_014::SealedStore;
/// use sealane_object_store::object_store_014::object_store::memory::InMemory;
/// use sealane_object_store::sealane_age::x25519::Identity;
/// use sealane_object_store::{Keys, ListedSize};
///
/// let identity = Identity::generate()?;
/// let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
/// // Other programs seal objects here too, with headers of any length.
/// let store = SealedStore::new(Arc::new(InMemory::new()), keys)?;
/// let store = store.with_listed_size(ListedSize::Exact);
/// # drop(store);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "object_store_014"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListedSize {
    /// The length of the plaintext, if the header has the length of this store's headers: see
    /// [`Keys::with_header_len`](crate::Keys::with_header_len). Nothing is read, except objects
    /// that seem empty. For objects that were sealed with another header length, the size is wrong
    /// until their headers are read.
    #[default]
    FixedHeader,
    /// The length of the plaintext. Headers that are not cached yet are read, ten at a time. An
    /// object that may not be read or cannot be opened has its size in the inner store.
    Exact,
    /// The size that the object has in the inner store. Nothing is read.
    Stored,
}

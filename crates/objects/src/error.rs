//! Errors.

use std::error::Error;

use sealane_age::{DecryptError, EncryptError, RekeyError, StreamError};

/// An object cannot be sealed, opened or given other recipients. The `object_store` errors of
/// `SealedStore` wrap this error: [`SealedError::of`] finds it there.
///
/// ```
/// # #[cfg(feature = "object_store_014")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
///
/// use sealane_object_store::object_store_014::SealedStore;
/// use sealane_object_store::object_store_014::object_store::memory::InMemory;
/// use sealane_object_store::object_store_014::object_store::path::Path;
/// use sealane_object_store::object_store_014::object_store::ObjectStoreExt as _;
/// use sealane_object_store::sealane_age::{DecryptError, x25519::Identity};
/// use sealane_object_store::{Keys, SealedError};
///
/// let (ours, theirs) = (Identity::generate()?, Identity::generate()?);
/// let inner = Arc::new(InMemory::new());
/// let store = SealedStore::new(inner.clone(), Keys::new().with_recipient(ours.to_public()))?;
/// let stranger = SealedStore::new(inner, Keys::new().with_identity(theirs))?;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let path = Path::from("plans/monday");
/// store.put(&path, "attack at dawn".into()).await?;
/// let error = stranger.get(&path).await.unwrap_err();
/// assert!(matches!(SealedError::of(&error), Some(SealedError::Open(DecryptError::NoMatch))));
/// # Ok(())
/// # })
/// # }
/// # #[cfg(not(feature = "object_store_014"))]
/// # fn main() {}
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealedError {
    /// The header cannot be read or unlocked: the object is damaged, not sealed, or not sealed for
    /// these identities.
    #[error("cannot open the object: {0}")]
    Open(#[from] DecryptError),
    /// The payload is damaged, cut off or too long. During a write, the error means that the object
    /// would have too many chunks.
    #[error("the object is damaged: {0}")]
    Payload(#[from] StreamError),
    /// The object cannot be sealed for these recipients.
    #[error("cannot seal the object: {0}")]
    Encrypt(#[from] EncryptError),
    /// The object cannot be given other recipients.
    #[error("cannot give the object other recipients: {0}")]
    Rekey(#[from] RekeyError),
    /// The header for the new recipients cannot have the length of the old header. The field is
    /// that length in bytes.
    #[error("the header for the new recipients does not fit the {0} bytes of the old one")]
    HeaderLen(usize),
    /// The object cannot be given other recipients, because each of its 10,000 parts would be
    /// longer than 1 GiB. The field is the size that the inner store reports, in bytes.
    #[error("cannot give an object of {0} bytes other recipients: the limit is 10,000 parts of 1 GiB")]
    TooLong(u64),
    /// No header can have the length that the keys ask for.
    #[error("a header cannot have {0} bytes: the limit is 2 MiB")]
    LongHeader(usize),
    /// The object was replaced while it was read or given other recipients, or the inner store
    /// returned too few or too many bytes of it.
    #[error("the object was changed while it was read")]
    Changed,
    /// A part of an upload was not written, or may not have been, or was added after the last chunk
    /// was sealed. The upload can only be aborted, unless the future of a part is still pending.
    #[error("a part of the upload was not written, so the upload can only be aborted")]
    PartFailed,
}

impl SealedError {
    /// Returns the `SealedError` in the source chain of `error`, if there is one.
    pub fn of<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a Self> {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            next = error.source();
        }
        None
    }
}

//! The store for version 0.14 of the crate `object_store`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use sealane_object_store::object_store_014::SealedStore;
//! use sealane_object_store::object_store_014::object_store::ObjectStore;
//! use sealane_object_store::object_store_014::object_store::memory::InMemory;
//! use sealane_object_store::{Keys, sealane_age::x25519::Identity};
//!
//! let identity = Identity::generate()?;
//! let keys = Keys::new().with_recipient(identity.to_public()).with_identity(identity);
//! // Engines use it like any other store.
//! let store: Arc<dyn ObjectStore> = Arc::new(SealedStore::new(Arc::new(InMemory::new()), keys)?);
//! # drop(store);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[path = "../store/mod.rs"]
mod store;

pub use ::object_store_014 as object_store;

pub use self::store::SealedStore;

/// Code that differs between the versions of `object_store`.
mod compat {
    use super::object_store::{GetResult, GetResultPayload, PutResult};

    /// Returns a copy of `result` with another payload.
    pub(super) fn with_payload(result: &GetResult, payload: GetResultPayload) -> GetResult {
        GetResult {
            payload,
            meta: result.meta.clone(),
            range: result.range.clone(),
            attributes: result.attributes.clone(),
            extensions: result.extensions.clone(),
        }
    }

    /// Returns the result of writing this version of an object.
    pub(super) fn put_result(e_tag: Option<String>, version: Option<String>) -> PutResult {
        PutResult { e_tag, version, extensions: Default::default() }
    }
}

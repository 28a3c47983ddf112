//! The store for version 0.13 of the crate `object_store`.

#[path = "../store/mod.rs"]
mod store;

pub use ::object_store_013 as object_store;

pub use self::store::SealedStore;

/// Code that differs between the versions of `object_store`.
mod compat {
    use super::object_store::{GetResult, GetResultPayload};

    /// Returns a copy of `result` with another payload.
    pub(super) fn with_payload(result: &GetResult, payload: GetResultPayload) -> GetResult {
        GetResult {
            payload,
            meta: result.meta.clone(),
            range: result.range.clone(),
            attributes: result.attributes.clone(),
        }
    }
}

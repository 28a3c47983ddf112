//! The test cases. They are compiled once for each version of the crate `object_store`.

mod counted;
mod damage;
mod faults;
mod faulty;
mod integration;
mod limits;
mod listing;
mod ranges;
mod rekey;
pub(super) mod s3;
mod truncated;
mod upload;

use std::sync::Arc;

use bytes::Bytes;
use sealane_object_store::Keys;
use sealane_object_store::sealane_age::x25519::Identity;

use self::counted::Counted;
use super::SealedStore;
use super::object_store::memory::InMemory;
use super::object_store::path::Path;
use super::object_store::{ObjectStore, ObjectStoreExt as _};

/// The length of a chunk, in bytes.
const CHUNK: usize = 64 << 10;

/// A sealed store over a store in memory that records its requests.
struct Place {
    identity: Identity,
    below: Arc<Counted<InMemory>>,
    store: SealedStore,
}

impl Place {
    fn new() -> Self {
        Self::with_below(InMemory::new())
    }

    fn with_below(below: InMemory) -> Self {
        let identity = Identity::generate().unwrap();
        let below = Arc::new(Counted::new(below));
        let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
        Self { identity, below, store }
    }

    /// Returns a store over the same objects whose cache is empty.
    fn cold(&self) -> SealedStore {
        SealedStore::new(self.below.clone(), keys(&self.identity)).unwrap()
    }

    /// Returns the sealed bytes of an object.
    async fn sealed(&self, path: &Path) -> Vec<u8> {
        self.below.get(path).await.unwrap().bytes().await.unwrap().to_vec()
    }
}

fn keys(identity: &Identity) -> Keys {
    Keys::new().with_recipient(identity.to_public()).with_identity(identity.clone())
}

/// Returns plaintext in which each position can be recognized.
fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + i / 251 * 13 + i / CHUNK * 3) as u8).collect()
}

async fn whole(store: &dyn ObjectStore, path: &Path) -> super::object_store::Result<Bytes> {
    store.get(path).await?.bytes().await
}

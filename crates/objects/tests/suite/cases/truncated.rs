//! Local files that are cut while they are read.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{Existing, Recipient};
use sealane_object_store::{DEFAULT_HEADER_BYTES, SealedError};
use tempfile::TempDir;

use super::super::SealedStore;
use super::super::object_store::limit::LimitStore;
use super::super::object_store::local::LocalFileSystem;
use super::super::object_store::path::Path;
use super::super::object_store::{Error, ObjectStore, ObjectStoreExt as _, Result};
use super::counted::Counted;
use super::{CHUNK, keys, text, whole};

/// The position of the first chunk.
const START: u64 = DEFAULT_HEADER_BYTES as u64 + 16;

/// An object in a local file.
struct Local {
    folder: TempDir,
    identity: Identity,
    below: Arc<Counted<LocalFileSystem>>,
}

impl Local {
    async fn new(text: Vec<u8>) -> Self {
        let (folder, identity) = (tempfile::tempdir().unwrap(), Identity::generate().unwrap());
        let below = Arc::new(Counted::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap()));
        let local = Self { folder, identity, below };
        local.store().put(&Path::from("a"), text.into()).await.unwrap();
        local
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("a")
    }

    fn store(&self) -> SealedStore {
        SealedStore::new(self.below.clone(), keys(&self.identity)).unwrap()
    }

    /// Returns a store that passes the content of local files on as streams.
    fn streaming(&self) -> SealedStore {
        let below: Arc<dyn ObjectStore> = Arc::new(LimitStore::new(self.below.clone(), 3));
        SealedStore::new(below, keys(&self.identity)).unwrap()
    }
}

/// Waits for the result of an operation, which may wait for ever.
async fn error_of<T>(operation: impl Future<Output = Result<T>>) -> Error {
    let ended = tokio::time::timeout(Duration::from_secs(60), operation).await;
    ended.expect("it does not end").err().expect("no error")
}

#[track_caller]
fn assert_changed(error: &Error) {
    assert!(matches!(SealedError::of(error), Some(SealedError::Changed)), "{error:?}");
}

/// The file is cut within the header, and in a chunk.
#[tokio::test]
async fn an_object_that_is_cut_while_it_is_read_is_an_error() {
    let path = Path::from("a");
    for len in [100, START + CHUNK as u64 + 100] {
        for is_streaming in [false, true] {
            let local = Local::new(text(3 * CHUNK)).await;
            let store = if is_streaming { local.streaming() } else { local.store() };
            local.below.cut_next(local.file(), len);
            assert_changed(&error_of(whole(&store, &path)).await);
        }
    }
}

#[tokio::test]
async fn a_header_that_is_cut_while_it_is_read_is_an_error() {
    let path = Path::from("a");
    for is_streaming in [false, true] {
        let local = Local::new(text(3 * CHUNK)).await;
        let store = if is_streaming { local.streaming() } else { local.store() };
        local.below.cut_next(local.file(), 100);
        assert_changed(&error_of(store.head(&path)).await);
    }
}

/// The header is known, so the cut file is read again.
#[tokio::test]
async fn a_range_that_is_cut_while_it_is_read_is_an_error() {
    let path = Path::from("a");
    let end = 3 * CHUNK as u64;
    for is_streaming in [false, true] {
        let local = Local::new(text(3 * CHUNK)).await;
        let store = if is_streaming { local.streaming() } else { local.store() };
        store.head(&path).await.unwrap();
        local.below.cut_next(local.file(), START + CHUNK as u64 + 100);
        error_of(store.get_range(&path, 0..end)).await;
        let local = Local::new(text(3 * CHUNK)).await;
        let store = if is_streaming { local.streaming() } else { local.store() };
        store.head(&path).await.unwrap();
        local.below.cut_next(local.file(), START + CHUNK as u64 + 100);
        error_of(store.get_ranges(&path, &[0..end])).await;
    }
}

/// The second object is uploaded in parts.
#[tokio::test]
async fn other_recipients_for_an_object_that_is_cut_change_nothing() {
    let path = Path::from("a");
    for len in [3 * CHUNK, 9 << 20] {
        for cut in [100, START + CHUNK as u64 + 100] {
            let local = Local::new(text(len)).await;
            let recipient = local.identity.to_public();
            let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
            local.below.cut_next(local.file(), cut);
            let store = local.store();
            assert_changed(&error_of(store.rekey(&path, &recipients, Existing::Drop)).await);
            assert_eq!(local.file().metadata().unwrap().len(), cut);
            // No part of an upload is left.
            assert_eq!(local.folder.path().read_dir().unwrap().count(), 1);
        }
    }
}

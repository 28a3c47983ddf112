//! The tests that the crate `object_store` has for any store. Those for `MultipartStore` and
//! `PaginatedListStore`, which a sealed store does not implement, are left out.

use std::sync::Arc;

use sealane_object_store::ListedSize;
use sealane_object_store::sealane_age::x25519::Identity;

use super::super::SealedStore;
use super::super::object_store::integration as tests;
use super::super::object_store::local::LocalFileSystem;
use super::super::object_store::{DynObjectStore, Error, ObjectStore};
use super::{Place, keys};

pub(crate) async fn every_store(store: &DynObjectStore) {
    tests::put_get_delete_list(store).await;
    tests::list_with_offset_exclusivity(store).await;
    tests::get_opts(store).await;
    tests::list_uses_directories_correctly(store).await;
    tests::list_with_delimiter(store).await;
    tests::rename_and_copy(store).await;
    tests::copy_if_not_exists(store).await;
    tests::copy_rename_nonexistent_object(store).await;
    tests::stream_get(store).await;
    let missing = tests::get_nonexistent_object(store, None).await;
    assert!(matches!(missing, Err(Error::NotFound { .. })), "{missing:?}");
}

#[tokio::test]
async fn in_memory() {
    every_store(&Place::new().store).await;
    every_store(&Place::new().store.with_listed_size(ListedSize::Exact)).await;
    let place = Place::new();
    tests::put_get_attributes(&place.store).await;
    tests::put_opts(&place.store, true).await;
    tests::multipart_race_condition(&Place::new().store, true).await;
    tests::multipart_out_of_order(&Place::new().store).await;
}

#[tokio::test]
async fn on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let below: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    let store = SealedStore::new(below, keys(&Identity::generate().unwrap())).unwrap();
    every_store(&store).await;
    tests::put_get_attributes(&store).await;
    // The store on disk has no conditional update.
    tests::put_opts(&store, false).await;
    tests::multipart_race_condition(&store, true).await;
    tests::multipart_out_of_order(&store).await;
}

//! What somebody who controls the store can do without an error. docs/objects.md says so.

use futures_util::TryStreamExt as _;
use sealane_object_store::SealedError;
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{Existing, Recipient, encrypt};

use super::super::SealedStore;
use super::super::object_store::path::Path;
use super::super::object_store::{ObjectStore as _, ObjectStoreExt as _};
use super::{CHUNK, Place, keys, text, whole};

/// The length of the header of an object of this store.
const HEADER: usize = 4096 - 16;

#[tokio::test]
async fn an_older_version_and_another_object_are_read() {
    let (place, path, other) = (Place::new(), Path::from("a"), Path::from("b"));
    place.store.put(&path, "old".into()).await.unwrap();
    let old = place.sealed(&path).await;
    place.store.put(&path, "new".into()).await.unwrap();
    place.store.put(&other, "another object".into()).await.unwrap();
    place.below.put(&path, old.into()).await.unwrap();
    assert_eq!(whole(&place.store, &path).await.unwrap(), "old");
    place.below.copy(&other, &path).await.unwrap();
    assert_eq!(whole(&place.store, &path).await.unwrap(), "another object");
    // An object that is missing is not listed.
    place.below.delete(&path).await.unwrap();
    assert_eq!(place.store.list(None).try_collect::<Vec<_>>().await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_object_by_anyone_who_knows_the_recipient_is_read() {
    let (place, path) = (Place::new(), Path::from("a"));
    let recipient = place.identity.to_public();
    let forged = encrypt([&recipient as &dyn Recipient], b"forged").unwrap();
    place.below.put(&path, forged.into()).await.unwrap();
    assert_eq!(whole(&place.store, &path).await.unwrap(), "forged");
}

/// An engine that reads up to the listed size does not reach the end, which alone is marked.
#[tokio::test]
async fn a_listing_that_lies_about_the_size() {
    let (place, path) = (Place::new(), Path::from("a"));
    let text = text(3 * CHUNK);
    place.store.put(&path, text.clone().into()).await.unwrap();
    let sealed = place.sealed(&path).await;
    // While it is listed, the object is shorter.
    place.below.put(&path, sealed[..sealed.len() - CHUNK - 16].to_vec().into()).await.unwrap();
    let listed: Vec<_> = place.cold().list(None).try_collect().await.unwrap();
    assert!(whole(&place.cold(), &path).await.is_err());
    place.below.put(&path, sealed.into()).await.unwrap();
    assert_eq!(listed[0].size, 2 * CHUNK as u64);
    assert_eq!(place.cold().get_range(&path, 0..listed[0].size).await.unwrap(), text[..2 * CHUNK]);
}

#[tokio::test]
async fn other_recipients_get_whatever_is_there() {
    let (place, path, private) = (Place::new(), Path::from("shared"), Path::from("private"));
    let new = Identity::generate().unwrap();
    let holder = SealedStore::new(place.below.clone(), keys(&new)).unwrap();
    place.store.put(&path, "shared".into()).await.unwrap();
    place.store.put(&private, "private".into()).await.unwrap();
    place.below.copy(&private, &path).await.unwrap();
    place.store.rekey(&path, &[&new.to_public() as &(dyn Recipient + Send + Sync)], Existing::Keep).await.unwrap();
    assert_eq!(whole(&holder, &path).await.unwrap(), "private");
}

/// The chunks are neither opened nor sealed again, and the file key stays.
#[tokio::test]
async fn other_recipients_for_chunks_that_are_damaged_or_known() {
    let (place, path) = (Place::new(), Path::from("a"));
    let new = Identity::generate().unwrap();
    let recipient = new.to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    let holder = SealedStore::new(place.below.clone(), keys(&new)).unwrap();
    place.store.put(&path, text(1000).into()).await.unwrap();
    let mut sealed = place.sealed(&path).await;

    place.store.rekey(&path, &recipients, Existing::Drop).await.unwrap();
    let mut moved = place.sealed(&path).await;
    moved[..HEADER].copy_from_slice(&sealed[..HEADER]);
    place.below.put(&path, moved.into()).await.unwrap();
    assert_eq!(whole(&place.cold(), &path).await.unwrap(), text(1000));

    *sealed.last_mut().unwrap() ^= 1;
    place.below.put(&path, sealed.into()).await.unwrap();
    place.store.rekey(&path, &recipients, Existing::Drop).await.unwrap();
    let error = whole(&holder, &path).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::Payload(_))), "{error:?}");
}

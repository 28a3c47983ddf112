//! Gives objects other recipients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{
    self, DecryptError, Encryptor, Existing, FileKey, Recipient, Stanza, UnwrapError, mlkem768x25519,
};
use sealane_object_store::{DEFAULT_HEADER_BYTES, Keys, SealedError};

use super::super::SealedStore;
use super::super::object_store::limit::LimitStore;
use super::super::object_store::local::LocalFileSystem;
use super::super::object_store::memory::InMemory;
use super::super::object_store::path::Path;
use super::super::object_store::{Attribute, Attributes, Error, ObjectStore as _, ObjectStoreExt as _};
use super::counted::Counted;
use super::{CHUNK, Place, keys, text, whole};

#[tokio::test]
async fn the_chunks_are_moved_as_they_are() {
    let (place, path) = (Place::new(), Path::from("a"));
    let new = Identity::generate().unwrap();
    let holder = SealedStore::new(place.below.clone(), keys(&new)).unwrap();
    for len in [0, 1000, 3 * CHUNK, (20 << 20) + 5] {
        let text = text(len);
        let attributes = Attributes::from_iter([(Attribute::ContentType, "text/plain")]);
        place.store.put_opts(&path, text.clone().into(), attributes.clone().into()).await.unwrap();
        let before = place.sealed(&path).await;
        assert!(holder.get(&path).await.is_err());

        place.store.rekey(&path, &[&new.to_public() as &(dyn Recipient + Send + Sync)], Existing::Keep).await.unwrap();
        assert_eq!(whole(&place.store, &path).await.unwrap(), text);
        assert_eq!(whole(&holder, &path).await.unwrap(), text);
        let after = place.sealed(&path).await;
        assert_eq!(after[DEFAULT_HEADER_BYTES..], before[DEFAULT_HEADER_BYTES..]);
        assert_ne!(after[..DEFAULT_HEADER_BYTES], before[..DEFAULT_HEADER_BYTES]);

        holder.rekey(&path, &[&new.to_public() as &(dyn Recipient + Send + Sync)], Existing::Drop).await.unwrap();
        assert_eq!(whole(&holder, &path).await.unwrap(), text);
        assert_eq!(holder.get(&path).await.unwrap().attributes, attributes);
        let error = whole(&place.store, &path).await.unwrap_err();
        assert!(matches!(SealedError::of(&error), Some(SealedError::Open(DecryptError::NoMatch))));
    }
}

/// An identity that counts how often it is asked.
struct Asked(Identity, Arc<AtomicUsize>);

impl sealane_age::Identity for Asked {
    fn unwrap_file_key(&self, stanzas: &[Stanza]) -> Result<Option<FileKey>, UnwrapError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.unwrap_file_key(stanzas)
    }
}

/// A hardware key asks for a touch each time.
#[tokio::test]
async fn the_file_key_is_unwrapped_once() {
    let (place, path, asked) = (Place::new(), Path::from("a"), Arc::new(AtomicUsize::new(0)));
    place.store.put(&path, text(1000).into()).await.unwrap();
    let recipient = place.identity.to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    let cold = |identity: &Identity| {
        let keys = Keys::new().with_identity(Asked(identity.clone(), asked.clone()));
        SealedStore::new(place.below.clone(), keys).unwrap()
    };
    cold(&place.identity).rekey(&path, &recipients, Existing::Drop).await.unwrap();
    assert_eq!(asked.swap(0, Ordering::Relaxed), 1);

    let stranger = cold(&Identity::generate().unwrap());
    let error = stranger.rekey(&path, &recipients, Existing::Drop).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::Open(DecryptError::NoMatch))), "{error:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);

    // An object that is too short for its header is refused without a question.
    let sealed = place.sealed(&path).await;
    place.below.put(&path, sealed[..DEFAULT_HEADER_BYTES + 16 + 15].to_vec().into()).await.unwrap();
    let error = cold(&place.identity).rekey(&path, &recipients, Existing::Drop).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::Payload(_))), "{error:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

/// A store does not say which storage class an object has.
#[tokio::test]
async fn attributes_are_kept_and_set() {
    let (place, path) = (Place::new(), Path::from("a"));
    let recipient = Identity::generate().unwrap().to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    for len in [1000, 9 << 20] {
        let old = [(Attribute::ContentType, "text/plain"), (Attribute::CacheControl, "no-cache")];
        place.store.put_opts(&path, text(len).into(), Attributes::from_iter(old.clone()).into()).await.unwrap();
        let set = [(Attribute::CacheControl, "no-store"), (Attribute::StorageClass, "STANDARD_IA")];
        let attributes = Attributes::from_iter(set.clone());
        place.store.rekey_with_attributes(&path, &recipients, Existing::Keep, attributes).await.unwrap();
        let expected = Attributes::from_iter([old[0].clone(), set[0].clone(), set[1].clone()]);
        assert_eq!(place.below.get(&path).await.unwrap().attributes, expected);
        assert_eq!(whole(&place.store, &path).await.unwrap(), text(len));
    }
}

#[tokio::test]
async fn a_header_that_does_not_fit_changes_nothing() {
    let (place, path) = (Place::new(), Path::from("some/object"));
    place.store.put(&path, text(1000).into()).await.unwrap();
    let before = place.sealed(&path).await;
    let recipient = mlkem768x25519::Identity::generate().unwrap().to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync); 4];
    let error = place.store.rekey(&path, &recipients, Existing::Drop).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::HeaderLen(DEFAULT_HEADER_BYTES))), "{error:?}");
    assert!(error.to_string().contains(" some/object: "), "no path: {error}");
    let mixed = place.store.rekey(&path, &recipients[..1], Existing::Keep).await.unwrap_err();
    assert!(matches!(SealedError::of(&mixed), Some(SealedError::Rekey(_))));
    assert_eq!(place.sealed(&path).await, before);
    let missing = place.store.rekey(&Path::from("missing"), &recipients, Existing::Drop).await;
    assert!(matches!(missing, Err(Error::NotFound { .. })));
}

/// A store without conditional writes.
#[tokio::test]
async fn on_disk() {
    let (folder, path) = (tempfile::tempdir().unwrap(), Path::from("a"));
    let below = Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    let (old, new) = (Identity::generate().unwrap(), Identity::generate().unwrap());
    let store = SealedStore::new(below.clone(), keys(&old)).unwrap();
    let holder = SealedStore::new(below, keys(&new)).unwrap();
    for len in [1000, 9 << 20] {
        store.put(&path, text(len).into()).await.unwrap();
        store.rekey(&path, &[&new.to_public() as &(dyn Recipient + Send + Sync)], Existing::Drop).await.unwrap();
        assert_eq!(whole(&holder, &path).await.unwrap(), text(len));
        assert!(whole(&store, &path).await.is_err());
    }
}

/// A condition with a weak tag would never hold.
#[tokio::test]
async fn in_stores_with_weak_and_strong_tags() {
    for below in [Counted::with_weak_tags(InMemory::new()), Counted::new(InMemory::new())] {
        let (identity, path, below) = (Identity::generate().unwrap(), Path::from("a"), Arc::new(below));
        let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
        store.put(&path, text(1000).into()).await.unwrap();
        let recipient = identity.to_public();
        let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
        store.rekey(&path, &recipients, Existing::Drop).await.unwrap();
        assert_eq!(whole(&store, &path).await.unwrap(), text(1000));
        // Somebody else replaces the object meanwhile, with as many bytes.
        let sealed = whole(&*below, &path).await.unwrap().to_vec();
        below.replace_next(sealed.clone());
        let refused = store.rekey(&path, &recipients, Existing::Drop).await;
        assert!(matches!(refused, Err(Error::Precondition { .. })), "{refused:?}");
        assert_eq!(whole(&*below, &path).await.unwrap(), sealed);
    }
}

/// In a store without entity tags, an object of the same length and with a longer header may
/// replace the one that is read.
#[tokio::test]
async fn the_header_is_that_of_the_chunks() {
    let (identity, path) = (Identity::generate().unwrap(), Path::from("a"));
    let recipient = identity.to_public();
    let encryptor = || Encryptor::with_recipients([&recipient as &dyn Recipient]).unwrap();
    let longer = encryptor().with_header_len(DEFAULT_HEADER_BYTES).unwrap().encrypt_to_vec(&[2; 1000]).unwrap();
    let len = longer.len() - encryptor().encrypt_to_vec(&[]).unwrap().len();
    let sealed = encryptor().encrypt_to_vec(&text(len)).unwrap();
    assert_eq!(sealed.len(), longer.len());

    let below = Arc::new(Counted::without_tags(InMemory::new()));
    let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
    below.put(&path, sealed.into()).await.unwrap();
    below.replace_next(longer);
    store.rekey(&path, &[&recipient as &(dyn Recipient + Send + Sync)], Existing::Drop).await.unwrap();
    // Nothing shows that the object was replaced, so the replacement is lost.
    assert_eq!(whole(&store, &path).await.unwrap(), text(len));
}

/// The body of an object counts as a request until it is dropped.
#[test]
fn a_store_of_one_request_at_once() {
    let (identity, path) = (Identity::generate().unwrap(), Path::from("a"));
    let below = Arc::new(LimitStore::new(InMemory::new(), 1));
    let store = SealedStore::new(below, keys(&identity)).unwrap();
    store.put(&path, text(1000).into()).now_or_never().unwrap().unwrap();
    let recipient = identity.to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    store.rekey(&path, &recipients, Existing::Keep).now_or_never().expect("it waits for itself").unwrap();
}

/// Each part is in memory, and its length follows from the size.
#[tokio::test]
async fn an_object_of_an_absurd_size_gets_no_other_recipients() {
    let (place, path) = (Place::new(), Path::from("a"));
    place.store.put(&path, text(9 << 20).into()).await.unwrap();
    let recipient = place.identity.to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    for size in [(10_000 << 30) + 1, 1 << 53] {
        place.below.lie(size);
        let error = place.store.rekey(&path, &recipients, Existing::Drop).await.unwrap_err();
        assert!(matches!(SealedError::of(&error), Some(SealedError::TooLong(len)) if *len == size), "{error:?}");
        assert!(error.to_string().contains(" a: "), "no path: {error}");
        assert_eq!(place.below.uploads(), 0);
    }
}

//! Damaged and foreign objects give an error, and never wrong plaintext.

use std::sync::Arc;

use sealane_object_store::sealane_age::header::MAX_HEADER_BYTES;
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{DecryptError, EncryptError, StreamError, mlkem768x25519};
use sealane_object_store::{DEFAULT_HEADER_LEN, Keys, SealedError};

use super::super::SealedStore;
use super::super::object_store::memory::InMemory;
use super::super::object_store::path::Path;
use super::super::object_store::{Error, ObjectStore as _, ObjectStoreExt as _};
use super::{CHUNK, Place, keys, text, whole};

const START: usize = DEFAULT_HEADER_LEN + 16;
const SEALED: usize = CHUNK + 16;

/// Writes sealed bytes to the inner store, reads the object in every way, and returns the errors.
async fn errors(place: &Place, sealed: Vec<u8>) -> Vec<Error> {
    let path = Path::from("changed");
    place.below.put(&path, sealed.into()).await.unwrap();
    let store = place.cold();
    let last = 2 * CHUNK as u64;
    vec![
        whole(&store, &path).await.unwrap_err(),
        place.cold().get_range(&path, last..last + 1).await.unwrap_err(),
        place.cold().get_ranges(&path, &[0..1, last..last + 1]).await.unwrap_err(),
        // With a cached header, if it could be read.
        store.get_range(&path, last..last + 1).await.unwrap_err(),
        store.get_ranges(&path, &[last..last + 1]).await.unwrap_err(),
    ]
}

#[tokio::test]
async fn a_changed_object_is_an_error() {
    let (place, path) = (Place::new(), Path::from("a"));
    let text = text(2 * CHUNK + 1000);
    place.store.put(&path, text.clone().into()).await.unwrap();
    let sealed = place.sealed(&path).await;
    assert_eq!(sealed.len(), START + 2 * SEALED + 1016);
    // The first recipient, the MAC of the header, the nonce, and the last chunk.
    for at in [30, START - 20, START - 1, START + 2 * SEALED, sealed.len() - 1] {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        for error in errors(&place, changed).await {
            assert!(SealedError::of(&error).is_some(), "{at}: {error:?}");
            assert!(error.to_string().contains(" changed: "), "no path: {error}");
        }
    }
    // Cut off: within the header and the nonce, at and in the first chunk, between chunks, and in
    // the last chunk.
    for len in [0, 10, START - 1, START, START + 10, START + SEALED, START + 2 * SEALED, sealed.len() - 1] {
        let found = errors(&place, sealed[..len].to_vec()).await;
        assert_eq!(found.len(), 5, "{len}");
    }
    // One more byte, and a chunk twice.
    let mut more = sealed.clone();
    more.push(0);
    errors(&place, more).await;
    let mut twice = sealed.clone();
    let chunk = twice[START..START + SEALED].to_vec();
    twice.splice(START..START, chunk);
    errors(&place, twice).await;
}

/// Only reads of the damaged chunk fail. The other chunks can be read.
#[tokio::test]
async fn chunks_before_the_damage_can_be_read() {
    let (place, path) = (Place::new(), Path::from("a"));
    let text = text(2 * CHUNK + 1000);
    place.store.put(&path, text.clone().into()).await.unwrap();
    let mut sealed = place.sealed(&path).await;
    sealed[START + SEALED + 5] ^= 1;
    place.below.put(&path, sealed.into()).await.unwrap();
    let store = place.cold();
    assert_eq!(store.get_range(&path, 0..CHUNK as u64).await.unwrap(), text[..CHUNK]);
    let end = store.get_range(&path, 2 * CHUNK as u64..text.len() as u64).await.unwrap();
    assert_eq!(end, text[2 * CHUNK..]);
    for range in [CHUNK as u64..CHUNK as u64 + 1, 0..CHUNK as u64 + 1] {
        let error = store.get_range(&path, range).await.unwrap_err();
        let Some(SealedError::Payload(StreamError::CorruptChunk { number: 1 })) = SealedError::of(&error) else {
            panic!("{error:?}")
        };
    }
}

/// Memory for a range is not allocated before its bytes arrive.
#[tokio::test]
async fn a_store_that_lies_about_the_size() {
    let (place, path) = (Place::new(), Path::from("a"));
    place.store.put(&path, text(2 * CHUNK + 1000).into()).await.unwrap();
    for size in [1 << 45, 1 << 53] {
        place.below.lie(size);
        let len = place.cold().head(&path).await.unwrap().size;
        assert!(len > size / 2);
        let error = place.cold().get_ranges(&path, &[0..len]).await.unwrap_err();
        assert!(matches!(SealedError::of(&error), Some(SealedError::Payload(_))), "{error:?}");
        let error = place.cold().get_range(&path, 0..len).await.unwrap_err();
        assert!(matches!(SealedError::of(&error), Some(SealedError::Payload(_))), "{error:?}");
    }
}

#[tokio::test]
async fn other_keys_and_foreign_objects() {
    let (place, path) = (Place::new(), Path::from("a"));
    place.store.put(&path, text(1000).into()).await.unwrap();
    let stranger = SealedStore::new(place.below.clone(), keys(&Identity::generate().unwrap())).unwrap();
    for error in [
        whole(&stranger, &path).await.unwrap_err(),
        stranger.get_range(&path, 0..1).await.unwrap_err(),
        stranger.get_ranges(&path, &[0..1]).await.unwrap_err(),
        stranger.head(&path).await.unwrap_err(),
    ] {
        assert!(matches!(SealedError::of(&error), Some(SealedError::Open(DecryptError::NoMatch))), "{error:?}");
    }
    for content in ["", "a text that is no age file", "age-encryption.org/v1\n"] {
        place.below.put(&path, content.into()).await.unwrap();
        assert!(whole(&place.store, &path).await.is_err());
        assert!(place.store.get_range(&path, 0..1).await.is_err());
    }
    let missing = place.store.get_range(&Path::from("missing"), 0..1).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }));
}

#[test]
fn keys_are_checked_at_once() {
    let below = Arc::new(InMemory::new());
    let (one, other) = (Identity::generate().unwrap(), mlkem768x25519::Identity::generate().unwrap());
    let mixed = keys(&one).with_recipient(other.to_public());
    let error = SealedStore::new(below.clone(), mixed).unwrap_err();
    assert!(matches!(error, SealedError::Encrypt(EncryptError::IncompatibleRecipients(..))));
    let short = SealedStore::new(below.clone(), keys(&one).with_header_len(100)).unwrap_err();
    assert!(matches!(short, SealedError::Encrypt(EncryptError::HeaderLen { len: 100, .. })));
    // A reader asks for this many bytes first.
    let reader = |len| SealedStore::new(below.clone(), Keys::new().with_identity(one.clone()).with_header_len(len));
    assert!(reader(MAX_HEADER_BYTES).is_ok());
    for len in [MAX_HEADER_BYTES + 1, usize::MAX] {
        let long = reader(len).unwrap_err();
        assert!(matches!(long, SealedError::Encrypt(EncryptError::HeaderLen { len: l, .. }) if l == len), "{long:?}");
    }
    // Two post-quantum recipients fit the default header length.
    let keys = Keys::new().with_recipient(other.to_public()).with_recipient(other.to_public());
    let store = SealedStore::new(below, keys.with_identity(one)).unwrap();
    let shown = format!("{store:?} {store}");
    assert!(!shown.contains("AGE-SECRET-KEY"), "{shown}");
}

#[tokio::test]
async fn without_recipients_nothing_is_written() {
    let store = SealedStore::new(Arc::new(InMemory::new()), Keys::new()).unwrap();
    let error = store.put(&Path::from("a"), "text".into()).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::Encrypt(EncryptError::NoRecipients))));
    assert!(store.put_multipart(&Path::from("a")).await.is_err());
    assert!(matches!(store.inner().get_opts(&Path::from("a"), Default::default()).await, Err(Error::NotFound { .. })));
}

//! Damaged and foreign objects give an error, and never wrong plaintext.

use std::sync::Arc;
use std::time::Instant;

use futures_util::{StreamExt as _, TryStreamExt as _};
use sealane_object_store::sealane_age::header::{MAX_ARGUMENTS, MAX_HEADER_BYTES};
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{DecryptError, EncryptError, Preamble, StreamError, mlkem768x25519};
use sealane_object_store::{DEFAULT_HEADER_BYTES, Keys, SealedError};

use super::super::SealedStore;
use super::super::object_store::chunked::ChunkedStore;
use super::super::object_store::memory::InMemory;
use super::super::object_store::path::Path;
use super::super::object_store::{Error, GetOptions, ObjectStore as _, ObjectStoreExt as _};
use super::{CHUNK, Place, keys, text, whole};

const START: usize = DEFAULT_HEADER_BYTES + 16;
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
    for len in [0, 10, START - 1, START, START + 10, START + 16, START + SEALED, START + 2 * SEALED, sealed.len() - 1] {
        let found = errors(&place, sealed[..len].to_vec()).await;
        // The ranges can begin after the end.
        assert!(SealedError::of(&found[0]).is_some(), "{len}: {:?}", found[0]);
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

/// The stream of a longer object releases what is there, and then gives an error. `bytes` would
/// allocate memory for the claimed size at the second piece.
#[tokio::test]
async fn a_stream_of_an_object_whose_size_is_a_lie() {
    let (place, path) = (Place::new(), Path::from("a"));
    let text = text(4 << 20);
    place.store.put(&path, text.clone().into()).await.unwrap();
    place.below.lie(1 << 45);
    let len = place.cold().head(&path).await.unwrap().size;
    for range in [None, Some((5..len).into())] {
        let start = if range.is_some() { 5 } else { 0 };
        let options = GetOptions { range, ..GetOptions::default() };
        let mut body = place.cold().get_opts(&path, options).await.unwrap().into_stream();
        let (mut found, mut pieces) = (Vec::new(), 0);
        let error = loop {
            match body.try_next().await {
                Ok(Some(piece)) => found.extend_from_slice(&piece),
                Ok(None) => panic!("no error"),
                Err(error) => break error,
            }
            pieces += 1;
        };
        assert!(matches!(SealedError::of(&error), Some(SealedError::Payload(StreamError::TrailingData))), "{error:?}");
        assert!(pieces > 1 && text[start..].starts_with(&found));
        assert!(body.next().await.is_none());
    }
    let error = place.cold().get_ranges(&path, &[0..len]).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::Payload(_))), "{error:?}");
}

/// The header is not parsed again for each piece of the body.
#[tokio::test]
async fn a_long_header_in_short_pieces() {
    let (place, path) = (Place::new(), Path::from("a"));
    let below = Arc::new(ChunkedStore::new(place.below.clone(), 1000));
    let store = SealedStore::new(below, keys(&place.identity)).unwrap();
    // The body ends before the header has twice the bytes of the attempt before.
    for len in [0, 1000, CHUNK] {
        store.put(&path, text(len).into()).await.unwrap();
        assert_eq!(whole(&store, &path).await.unwrap(), text(len));
    }
    let stanza = format!("->{}\n\n", " letters".repeat(MAX_ARGUMENTS));
    let mut header = format!("age-encryption.org/v1\n{}", stanza.repeat(1000)).into_bytes();
    header.truncate(MAX_HEADER_BYTES / 2);
    let parse_time = (0..3).map(|_| {
        let start = Instant::now();
        Preamble::parse(&header).unwrap();
        start.elapsed()
    });
    let parse_time = parse_time.max().unwrap();
    place.below.put(&path, header.into()).await.unwrap();
    let start = Instant::now();
    let error = whole(&store, &path).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::Open(DecryptError::Header(_)))), "{error:?}");
    // The lengths of all attempts together are about two headers. An attempt for each piece would
    // be 250 headers.
    assert!(start.elapsed() < 50 * parse_time, "{:?}, and {parse_time:?} for one", start.elapsed());
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
    for keys in [keys(&one), Keys::new().with_identity(one.clone())] {
        assert!(SealedStore::new(below.clone(), keys.clone().with_header_len(MAX_HEADER_BYTES)).is_ok());
        for len in [MAX_HEADER_BYTES + 1, usize::MAX] {
            let long = SealedStore::new(below.clone(), keys.clone().with_header_len(len)).unwrap_err();
            assert!(matches!(long, SealedError::LongHeader(l) if l == len), "{long:?}");
        }
    }
    // 40 X25519 recipients fit the default header length, or two post-quantum ones.
    let many = |count| (0..count).fold(Keys::new(), |keys, _| keys.with_recipient(one.to_public()));
    assert!(SealedStore::new(below.clone(), many(40)).is_ok());
    let error = SealedStore::new(below.clone(), many(41)).unwrap_err();
    assert!(matches!(error, SealedError::Encrypt(EncryptError::HeaderLen { .. })), "{error:?}");
    let keys = Keys::new().with_recipient(other.to_public()).with_recipient(other.to_public());
    let store = SealedStore::new(below, keys.with_identity(one)).unwrap();
    // What is printed has no keys.
    let keys = format!("Keys {{ recipients: 2, identities: 1, header_len: {DEFAULT_HEADER_BYTES}, .. }}");
    let shown = format!("{store:?}").replace(&format!("{:?}", store.inner()), "store");
    assert_eq!(shown, format!("SealedStore {{ inner: store, keys: {keys}, listed: FixedHeader, .. }}"));
    assert_eq!(store.to_string(), "SealedStore(InMemory)");
}

#[tokio::test]
async fn without_recipients_nothing_is_written() {
    let store = SealedStore::new(Arc::new(InMemory::new()), Keys::new()).unwrap();
    let error = store.put(&Path::from("a"), "text".into()).await.unwrap_err();
    assert!(matches!(SealedError::of(&error), Some(SealedError::Encrypt(EncryptError::NoRecipients))));
    assert!(store.put_multipart(&Path::from("a")).await.is_err());
    assert!(matches!(store.inner().get_opts(&Path::from("a"), Default::default()).await, Err(Error::NotFound { .. })));
}

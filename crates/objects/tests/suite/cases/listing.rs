//! The sizes in listings.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sealane_object_store::sealane_age::{Encryptor, Recipient};
use sealane_object_store::{Keys, ListedSize, SealedError};

use super::super::SealedStore;
use super::super::object_store::memory::InMemory;
use super::super::object_store::path::Path;
use super::super::object_store::{GetOptions, GetRange, ObjectStore as _, ObjectStoreExt as _};
use super::counted::Counted;
use super::{CHUNK, Place, keys, text, whole};

/// The position of the first chunk in an object of this store.
const START: usize = 4096;

async fn sizes(store: &SealedStore) -> Vec<(String, u64)> {
    let listed: Vec<_> = store.list(None).try_collect().await.unwrap();
    let mut sizes: Vec<_> = listed.into_iter().map(|meta| (meta.location.to_string(), meta.size)).collect();
    sizes.sort();
    let mut in_folder = store.list_with_delimiter(None).await.unwrap().objects;
    in_folder.sort_by(|one, other| one.location.cmp(&other.location));
    let in_folder: Vec<_> = in_folder.into_iter().map(|meta| (meta.location.to_string(), meta.size)).collect();
    assert_eq!(in_folder, sizes);
    sizes
}

#[tokio::test]
async fn fixed_headers_make_sizes_exact_without_reads() {
    let place = Place::new();
    let lengths = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 10 * CHUNK];
    for (i, len) in lengths.into_iter().enumerate() {
        place.store.put(&Path::from(format!("{i}")), text(len).into()).await.unwrap();
    }
    let expected: Vec<_> = lengths.iter().enumerate().map(|(i, len)| (i.to_string(), *len as u64)).collect();
    for store in [&place.store, &place.cold()] {
        assert_eq!(sizes(store).await, expected);
        // Both listings read the object that seems empty.
        assert_eq!(place.below.read().len(), 2);
    }
    let stored = sizes(&place.cold().with_listed_size(ListedSize::Stored)).await;
    assert_eq!(stored[1].1, 4096 + 1 + 16);
    assert!(place.below.read().is_empty());
}

/// Engines skip objects of size 0 without reading them, as DataFusion does.
#[tokio::test]
async fn an_object_that_is_cut_to_a_tag_does_not_seem_empty() {
    let (place, path) = (Place::new(), Path::from("a"));
    place.store.put(&path, text(2 * CHUNK).into()).await.unwrap();
    let sealed = place.sealed(&path).await;
    let random = [&sealed[..START], &[7; 16]].concat();
    for cut in [sealed[..START + 16].to_vec(), random, sealed[..START].to_vec(), sealed[..START + 10].to_vec()] {
        let stored = cut.len() as u64;
        place.below.put(&path, cut.into()).await.unwrap();
        for listed in [ListedSize::FixedHeader, ListedSize::Exact, ListedSize::Stored] {
            let store = place.cold().with_listed_size(listed);
            // With headers that are known, and not.
            for _ in 0..2 {
                assert_eq!(sizes(&store).await, [("a".to_owned(), stored)], "{listed:?}");
                let error = store.head(&path).await.unwrap_err();
                assert!(matches!(SealedError::of(&error), Some(SealedError::Payload(_))), "{error:?}");
                let options = GetOptions { range: Some(GetRange::Suffix(5)), ..GetOptions::default() };
                let last = match store.get_opts(&path, options).await {
                    Ok(result) => result.bytes().await,
                    Err(error) => Err(error),
                };
                assert!(last.is_err() && whole(&store, &path).await.is_err());
                // The footer of a file of this size.
                assert!(store.get_range(&path, stored - 8..stored).await.is_err());
            }
        }
    }
    // The store gives a false length.
    place.below.put(&path, sealed.into()).await.unwrap();
    place.below.lie(START as u64 + 16);
    for listed in [ListedSize::FixedHeader, ListedSize::Exact] {
        let store = place.cold().with_listed_size(listed);
        assert_ne!(sizes(&store).await[0].1, 0);
        assert!(store.head(&path).await.is_err());
    }
}

#[tokio::test]
async fn an_empty_object_is_empty() {
    let (place, path) = (Place::new(), Path::from("a"));
    place.store.put(&path, text(0).into()).await.unwrap();
    for listed in [ListedSize::FixedHeader, ListedSize::Exact] {
        let store = place.cold().with_listed_size(listed);
        assert_eq!(sizes(&store).await, [("a".to_owned(), 0)]);
        assert_eq!((store.head(&path).await.unwrap().size, whole(&store, &path).await.unwrap().len()), (0, 0));
    }
    // Nothing proves it to those who cannot open the object.
    let stranger = SealedStore::new(place.below.clone(), Keys::new()).unwrap();
    assert_eq!(sizes(&stranger).await, [("a".to_owned(), START as u64 + 16)]);
}

/// An object without bytes is like one that is missing: directory markers have none either.
#[tokio::test]
async fn an_object_without_bytes_is_listed_as_empty() {
    let (place, path) = (Place::new(), Path::from("a"));
    place.below.put(&path, "".into()).await.unwrap();
    for listed in [ListedSize::FixedHeader, ListedSize::Exact, ListedSize::Stored] {
        let store = place.cold().with_listed_size(listed);
        assert_eq!(sizes(&store).await, [("a".to_owned(), 0)]);
        assert!(store.head(&path).await.is_err() && whole(&store, &path).await.is_err());
    }
}

#[tokio::test]
async fn exact_sizes_read_the_headers_that_are_not_known() {
    let place = Place::new();
    place.store.put(&Path::from("a"), text(1000).into()).await.unwrap();
    let recipient = place.identity.to_public();
    let encryptor = Encryptor::with_recipients([&recipient as &dyn Recipient]).unwrap();
    let other = encryptor.encrypt_to_vec(&text(2000)).unwrap();
    let other_len = other.len() as u64;
    place.below.put(&Path::from("b"), other.into()).await.unwrap();
    place.below.put(&Path::from("c"), "not sealed".into()).await.unwrap();
    place.below.put(&Path::from("d"), "".into()).await.unwrap();

    let exact = place.cold().with_listed_size(ListedSize::Exact);
    let expected = [("a".to_owned(), 1000), ("b".to_owned(), 2000), ("c".to_owned(), 10), ("d".to_owned(), 0)];
    assert_eq!(sizes(&exact).await, expected);
    // The second listing uses the headers that the first one has cached. It reads only the object
    // that is not sealed again.
    assert_eq!(place.below.read().len(), 4);
    assert_eq!(exact.head(&Path::from("b")).await.unwrap().size, 2000);

    // A header of another length gives another size, until the object is read.
    let fixed = place.cold();
    assert_ne!(sizes(&fixed).await[1].1, 2000);
    assert_eq!(fixed.get(&Path::from("b")).await.unwrap().meta.size, 2000);
    assert_eq!(sizes(&fixed).await[1].1, 2000);

    // A store with that header length computes the right size without reading.
    let header_len = other_len - 16 - 2000 - 16;
    let keys = keys(&place.identity).with_header_len(usize::try_from(header_len).unwrap());
    let same = SealedStore::new(place.below.clone(), keys).unwrap();
    assert_eq!(sizes(&same).await[1].1, 2000);
}

/// Azure's listings have entity tags without quotes, and may have fractions of seconds.
#[tokio::test]
async fn headers_are_known_in_listings_with_other_tags_and_times() {
    let Place { identity, .. } = Place::new();
    let below = Arc::new(Counted::like_azure(InMemory::new()));
    let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
    let longer = SealedStore::new(below.clone(), keys(&identity).with_header_len(8192)).unwrap();
    store.put(&Path::from("a"), text(1000).into()).await.unwrap();
    longer.put(&Path::from("b"), text(2000).into()).await.unwrap();
    let expected = [("a".to_owned(), 1000), ("b".to_owned(), 2000)];

    let exact = SealedStore::new(below.clone(), keys(&identity)).unwrap().with_listed_size(ListedSize::Exact);
    assert_eq!(sizes(&exact).await, expected);
    assert!(!below.read().is_empty());
    assert_eq!(sizes(&exact).await, expected);
    assert!(below.read().is_empty());

    assert_ne!(sizes(&store).await, expected);
    store.head(&Path::from("b")).await.unwrap();
    assert_eq!(sizes(&store).await, expected);
    // A replaced object is noticed.
    longer.put(&Path::from("b"), text(2000).into()).await.unwrap();
    assert_ne!(sizes(&store).await, expected);
}

#[tokio::test]
async fn an_object_that_may_not_be_read_keeps_its_size() {
    let Place { identity, .. } = Place::new();
    for below in [Counted::new(InMemory::new()), Counted::like_azure(InMemory::new())] {
        let below = Arc::new(below);
        let store = || SealedStore::new(below.clone(), keys(&identity)).unwrap();
        for name in ["a", "b", "c"] {
            store().put(&Path::from(name), text(1000).into()).await.unwrap();
        }
        below.deny(&Path::from("b"));
        let expected = [("a".to_owned(), 1000), ("b".to_owned(), 4096 + 1016), ("c".to_owned(), 1000)];
        assert_eq!(sizes(&store().with_listed_size(ListedSize::Exact)).await, expected);
    }
}

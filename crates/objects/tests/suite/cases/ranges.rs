//! Ranges: their bytes, and what is fetched for them.

use std::ops::Range;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sealane_object_store::sealane_age::{Identity, StreamError, decrypt, x25519};
use sealane_object_store::{DEFAULT_HEADER_BYTES, ListedSize, SealedError};

use super::super::SealedStore;
use super::super::object_store::chunked::ChunkedStore;
use super::super::object_store::local::LocalFileSystem;
use super::super::object_store::memory::InMemory;
use super::super::object_store::path::Path;
use super::super::object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt as _};
use super::counted::{Counted, Mark};
use super::{CHUNK, Place, keys, text, whole};

const START: u64 = DEFAULT_HEADER_BYTES as u64 + 16;
const SEALED: u64 = CHUNK as u64 + 16;

fn fetched(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

#[tokio::test]
async fn a_small_range_fetches_two_chunks_at_most_and_the_header() {
    let (place, path) = (Place::new(), Path::from("a"));
    let text = text(20 * CHUNK + 77);
    place.store.put(&path, text.clone().into()).await.unwrap();
    let starts = [0, 1, CHUNK - 1000, CHUNK - 999, 3 * CHUNK - 1, 20 * CHUNK - 500, 20 * CHUNK + 70];
    for start in starts {
        let end = (start + 1000).min(text.len());
        let store = place.cold();
        place.below.read();
        let found = store.get_range(&path, start as u64..end as u64).await.unwrap();
        assert_eq!(found, text[start..end]);
        let cold = place.below.read();
        assert_eq!(cold.len(), 2, "{start}");
        assert_eq!(cold[0], 0..START);
        assert!(fetched(&cold[1..]) <= 2 * SEALED);
        // The header is cached now.
        assert_eq!(store.get_range(&path, start as u64..end as u64).await.unwrap(), found);
        assert_eq!(place.below.read(), cold[1..]);
    }
}

#[tokio::test]
async fn every_kind_of_range() {
    let (place, path) = (Place::new(), Path::from("a"));
    for len in [0, 1, 1000, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5] {
        let text = text(len);
        place.store.put(&path, text.clone().into()).await.unwrap();
        // The object is a plain age file.
        let sealed = place.sealed(&path).await;
        assert_eq!(decrypt([&place.identity as &dyn Identity], &sealed).unwrap(), text);
        let mut kinds =
            vec![None, Some(GetRange::Suffix(1)), Some(GetRange::Suffix(70_000)), Some(GetRange::Suffix(0))];
        for start in [0, 1, 999, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5] {
            kinds.push(Some(GetRange::Offset(start as u64)));
            kinds.extend([1, 1000, 2 * CHUNK].map(|more| Some(GetRange::Bounded(start as u64..(start + more) as u64))));
        }
        for range in kinds {
            let expected = match &range {
                None => Ok(0..len as u64),
                Some(range) => range.as_range(len as u64).map_err(drop),
            };
            for store in [place.store.clone(), place.cold()] {
                let options = GetOptions { range: range.clone(), ..GetOptions::default() };
                let result = store.get_opts(&path, options).await;
                let Ok(expected) = &expected else {
                    assert!(result.is_err(), "{range:?} of {len}");
                    continue;
                };
                let result = result.unwrap();
                assert_eq!((&result.range, result.meta.size), (expected, len as u64));
                let found = result.bytes().await.unwrap();
                assert_eq!(found, text[expected.start as usize..expected.end as usize], "{range:?} of {len}");
            }
        }
    }
}

#[tokio::test]
async fn a_whole_object_takes_one_request() {
    let (place, path) = (Place::new(), Path::from("a"));
    let text = text(5 * CHUNK);
    place.store.put(&path, text.clone().into()).await.unwrap();
    assert_eq!(whole(&place.cold(), &path).await.unwrap(), text);
    assert_eq!(place.below.read().len(), 1);
}

#[tokio::test]
async fn ranges_are_merged_by_chunk() {
    let (place, path) = (Place::new(), Path::from("a"));
    let text = text(20 * CHUNK);
    place.store.put(&path, text.clone().into()).await.unwrap();
    let chunk = CHUNK as u64;
    // The first three are in two chunks that touch, the fourth is alone, and the last two overlap.
    let ranges = [
        10..20,
        chunk + 5..chunk + 6,
        100..chunk,
        5 * chunk + 1..5 * chunk + 2,
        20 * chunk - 1000..20 * chunk,
        18 * chunk + 3..20 * chunk - 999,
    ];
    let cold = place.cold();
    for expected in [4, 3] {
        let found = cold.get_ranges(&path, &ranges).await.unwrap();
        for (range, found) in ranges.iter().zip(&found) {
            assert_eq!(*found, text[range.start as usize..range.end as usize]);
        }
        let read = place.below.read();
        assert_eq!(read.len(), expected);
        assert_eq!(fetched(&read[expected - 3..]), 5 * SEALED);
    }
    assert!(cold.get_ranges(&path, &[]).await.unwrap().is_empty());
    let beyond = cold.get_ranges(&path, &[0..1, 20 * chunk..20 * chunk + 1]).await.unwrap_err();
    assert!(beyond.to_string().contains(" a: "), "no path: {beyond}");
    // As in other stores, a range that extends beyond the object is cut at its end.
    assert_eq!(cold.get_ranges(&path, &[20 * chunk - 1..20 * chunk + 1]).await.unwrap()[0].len(), 1);
}

#[tokio::test]
async fn ranges_of_a_file_and_of_bodies_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let files: Arc<dyn ObjectStore> = Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    let pieces: Arc<dyn ObjectStore> = Arc::new(ChunkedStore::new(Arc::new(InMemory::new()), 10_007));
    let (text, path, chunk) = (text(9 * CHUNK + 100), Path::from("a"), CHUNK as u64);
    let len = text.len() as u64;
    for below in [files, pieces] {
        let store = SealedStore::new(below.clone(), keys(&x25519::Identity::generate().unwrap())).unwrap();
        store.put(&path, text.clone().into()).await.unwrap();
        // Ranges that touch, overlap, contain one another, are repeated, or reach the end.
        let edges = [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 7, 8 * chunk, len - 1, len];
        for from in edges {
            let mut ranges: Vec<_> = edges.into_iter().filter(|&to| from < to).map(|to| from..to).collect();
            ranges.extend([7 * chunk..7 * chunk + 1, 7 * chunk..7 * chunk + 1, 4 * chunk..6 * chunk]);
            let found = store.get_ranges(&path, &ranges).await.unwrap();
            for (range, found) in ranges.iter().zip(&found) {
                assert!(*found == text[range.start as usize..range.end as usize], "{range:?}");
            }
        }
        let intact = below.get(&path).await.unwrap().bytes().await.unwrap().to_vec();
        let mut changed = intact.clone();
        changed[(START + 4 * SEALED + 9) as usize] ^= 1;
        below.put(&path, changed.into()).await.unwrap();
        let found = store.get_ranges(&path, &[0..chunk, 5 * chunk..len]).await.unwrap();
        assert!(found[0] == text[..CHUNK] && found[1] == text[5 * CHUNK..]);
        let error = store.get_ranges(&path, &[0..chunk, 3 * chunk..6 * chunk]).await.unwrap_err();
        let Some(SealedError::Payload(StreamError::CorruptChunk { number: 4 })) = SealedError::of(&error) else {
            panic!("{error:?}")
        };
        below.put(&path, intact[..intact.len() - 1].to_vec().into()).await.unwrap();
        let error = store.get_ranges(&path, &[len - 10..len - 5]).await.unwrap_err();
        assert!(SealedError::of(&error).is_some(), "{error:?}");
    }
}

/// In a store without entity tags, an object of the same length may have the same time.
#[tokio::test]
async fn an_object_that_looks_like_the_replaced_one_is_read_again() {
    let identity = x25519::Identity::generate().unwrap();
    let below = Arc::new(Counted::without_tags(InMemory::new()));
    let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
    let path = Path::from("a");
    // The second header is longer than those of the store.
    for header_len in [DEFAULT_HEADER_BYTES, 8 * DEFAULT_HEADER_BYTES] {
        let writer = || SealedStore::new(below.clone(), keys(&identity).with_header_len(header_len)).unwrap();
        for i in 0..4 {
            let mut text = text(3 * CHUNK);
            text.iter_mut().for_each(|byte| *byte ^= i);
            writer().put(&path, text.clone().into()).await.unwrap();
            let range = CHUNK as u64 - 5..2 * CHUNK as u64 + 5;
            let expected = &text[range.start as usize..range.end as usize];
            match i {
                0 | 1 => assert_eq!(store.get_range(&path, range).await.unwrap(), expected),
                2 => assert_eq!(store.get_ranges(&path, &[range]).await.unwrap()[0], expected),
                _ => assert_eq!(whole(&store, &path).await.unwrap(), text),
            }
            assert_eq!(store.head(&path).await.unwrap().size, text.len() as u64);
            // The header is cached again.
            below.read();
            assert_eq!(store.get_range(&path, 0..10).await.unwrap(), text[..10]);
            assert_eq!(below.read().len(), 1);
        }
    }
}

/// A store that has cached an object's header notices that another writer has replaced the object.
#[tokio::test]
async fn a_replaced_object_is_read_again() {
    let (place, path) = (Place::new(), Path::from("a"));
    let lengths = [3 * CHUNK, 5 * CHUNK, 1000, 3 * CHUNK, CHUNK + 1];
    for (i, len) in lengths.into_iter().enumerate() {
        let mut text = text(len);
        text.iter_mut().for_each(|byte| *byte ^= i as u8);
        // Another `SealedStore` writes, so that the cache of this one keeps the old header.
        place.cold().put(&path, text.clone().into()).await.unwrap();
        let start = len as u64 - 900;
        assert_eq!(place.store.get_range(&path, start..start + 900).await.unwrap(), text[start as usize..]);
        place.cold().put(&path, text.clone().into()).await.unwrap();
        assert_eq!(place.store.get_ranges(&path, &[start..start + 900]).await.unwrap()[0], text[start as usize..]);
        place.cold().put(&path, text.clone().into()).await.unwrap();
        assert_eq!(whole(&place.store, &path).await.unwrap(), text);
        assert_eq!(place.store.head(&path).await.unwrap().size, len as u64);
    }
}

/// The header is read with two requests, and the object is replaced between them.
#[tokio::test]
async fn a_header_that_is_replaced_is_read_again() {
    let (place, path) = (Place::new(), Path::from("a"));
    let writer = |below, header_len| SealedStore::new(below, keys(&place.identity).with_header_len(header_len));
    let text = text(CHUNK + 5);
    let memory = Arc::new(InMemory::new());
    writer(memory.clone(), 4 * DEFAULT_HEADER_BYTES).unwrap().put(&path, text.clone().into()).await.unwrap();
    let longer = whole(&*memory, &path).await.unwrap().to_vec();
    let old = writer(place.below.clone(), 2 * DEFAULT_HEADER_BYTES).unwrap();
    let replace_next = async || {
        old.put(&path, "old".into()).await.unwrap();
        place.below.replace_next(longer.clone());
    };

    replace_next().await;
    assert_eq!(place.cold().head(&path).await.unwrap().size, text.len() as u64);
    replace_next().await;
    assert_eq!(place.cold().get_range(&path, 3..10).await.unwrap(), text[3..10]);
    replace_next().await;
    assert_eq!(place.cold().get_ranges(&path, &[3..10]).await.unwrap()[0], text[3..10]);
    replace_next().await;
    let exact = place.cold().with_listed_size(ListedSize::Exact);
    let listed: Vec<_> = exact.list(None).try_collect().await.unwrap();
    assert_eq!(listed[0].size, text.len() as u64);
}

/// The caller's extensions, such as a tracing span, are part of all requests of a `get`.
#[tokio::test]
async fn extensions_are_passed_on() {
    let (place, path) = (Place::new(), Path::from("a"));
    // The header is longer than the range of the first request.
    let keys = keys(&place.identity).with_header_len(8 * DEFAULT_HEADER_BYTES);
    let writer = SealedStore::new(place.below.clone(), keys).unwrap();
    writer.put(&path, text(3 * CHUNK).into()).await.unwrap();
    for range in [None, Some(GetRange::Suffix(10)), Some(GetRange::Suffix(10))] {
        let mut options = GetOptions { range, ..GetOptions::default() };
        options.extensions.insert(Mark);
        place.store.get_opts(&path, options).await.unwrap();
        assert!(!place.below.read().is_empty());
        assert_eq!(place.below.unmarked(), 0);
    }
    let mut options = GetOptions { range: Some((5..10).into()), ..GetOptions::default() };
    options.extensions.insert(Mark);
    place.cold().get_opts(&path, options).await.unwrap();
    assert_eq!((place.below.read().len(), place.below.unmarked()), (5, 0));
}

//! Faults of the inner store, and old versions of objects.

use std::sync::Arc;

use futures_util::TryStreamExt as _;
use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{Existing, Recipient};
use sealane_object_store::{DEFAULT_HEADER_BYTES, ListedSize, SealedError};

use super::super::SealedStore;
use super::super::object_store::path::Path;
use super::super::object_store::{Error, GetOptions, GetRange, ObjectStore as _, ObjectStoreExt as _};
use super::faulty::{Fault, Faulty};
use super::{CHUNK, keys, text, whole};

const PART: usize = 5 << 20;

fn sealed_store() -> (Identity, Arc<Faulty>, SealedStore) {
    let (identity, below) = (Identity::generate().unwrap(), Arc::new(Faulty::default()));
    let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
    (identity, below, store)
}

#[track_caller]
fn assert_part_failed(error: &Error) {
    assert!(matches!(SealedError::of(error), Some(SealedError::PartFailed)), "{error:?}");
    assert!(error.to_string().contains(" a: "), "no path: {error}");
}

#[tokio::test]
async fn an_upload_without_its_last_part_is_never_completed() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let mut upload = store.put_multipart(&path).await.unwrap();
    for _ in 0..2 {
        upload.put_part(vec![7; PART].into()).await.unwrap();
    }
    below.plan(Fault::Part);
    let first = upload.complete().await.unwrap_err();
    assert!(SealedError::of(&first).is_none() && below.planned() == 0, "the error of the store: {first:?}");
    for _ in 0..2 {
        assert_part_failed(&upload.complete().await.unwrap_err());
    }
    assert_part_failed(&upload.put_part("more".into()).await.unwrap_err());
    assert!(below.head(&path).await.is_err());
    upload.abort().await.unwrap();
    assert_eq!(below.aborted(), 1);
}

#[tokio::test]
async fn an_upload_with_a_failed_part_is_never_completed() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let mut upload = store.put_multipart(&path).await.unwrap();
    upload.put_part(vec![7; PART].into()).await.unwrap();
    below.plan(Fault::Part);
    upload.put_part(vec![7; PART].into()).await.unwrap_err();
    assert_eq!(below.planned(), 0);
    upload.put_part(vec![7; PART].into()).await.unwrap();
    for _ in 0..2 {
        assert_part_failed(&upload.complete().await.unwrap_err());
    }
    assert!(below.head(&path).await.is_err());
}

/// A part is not written if its future is dropped, or not polled to its end.
#[tokio::test]
async fn an_upload_with_a_dropped_part_is_never_completed() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let mut upload = store.put_multipart(&path).await.unwrap();
    upload.put_part(vec![7; PART].into()).await.unwrap();
    drop(upload.put_part(vec![7; PART].into()));
    upload.put_part(vec![7; PART].into()).await.unwrap();
    for _ in 0..2 {
        assert_part_failed(&upload.complete().await.unwrap_err());
    }
    assert!(below.head(&path).await.is_err());
}

#[tokio::test]
async fn completion_is_refused_until_all_parts_are_written() {
    let (_, _, store) = sealed_store();
    let path = Path::from("a");
    let mut upload = store.put_multipart(&path).await.unwrap();
    upload.put_part(text(PART).into()).await.unwrap();
    let pending = upload.put_part(text(PART).into());
    assert_part_failed(&upload.complete().await.unwrap_err());
    pending.await.unwrap();
    upload.complete().await.unwrap();
    assert_eq!(whole(&store, &path).await.unwrap(), [text(PART), text(PART)].concat());
}

#[tokio::test]
async fn completion_can_be_tried_again() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let text = text(2 * PART + 1000);
    let mut upload = store.put_multipart(&path).await.unwrap();
    for part in text.chunks(PART) {
        upload.put_part(part.to_vec().into()).await.unwrap();
    }
    below.plan(Fault::Complete);
    upload.complete().await.unwrap_err();
    assert!(below.head(&path).await.is_err());
    upload.complete().await.unwrap();
    assert_eq!(whole(&store, &path).await.unwrap(), text);
    // Nothing can follow the last chunk.
    assert_part_failed(&upload.put_part("more".into()).await.unwrap_err());
    assert_part_failed(&upload.complete().await.unwrap_err());
}

#[tokio::test]
async fn old_versions_are_read() {
    let (identity, below, warm) = sealed_store();
    let path = Path::from("a");
    // The second header is longer than the range of the first request.
    for header_len in [DEFAULT_HEADER_BYTES, 8 * DEFAULT_HEADER_BYTES] {
        let writer = SealedStore::new(below.clone(), keys(&identity).with_header_len(header_len)).unwrap();
        let old = text(3 * CHUNK + 5);
        let version = writer.put(&path, old.clone().into()).await.unwrap().version;
        assert!(version.is_some());
        let new: Vec<u8> = text(4 * CHUNK).iter().map(|byte| byte ^ 1).collect();
        writer.put(&path, new.clone().into()).await.unwrap();
        for range in [None, Some(GetRange::Bounded(2 * CHUNK as u64 - 5..3 * CHUNK as u64 + 1))] {
            let expected = range.as_ref().map_or(0..old.len() as u64, |r| r.as_range(old.len() as u64).unwrap());
            // Neither store has cached the old header: the cache of `cold` is empty, and that of
            // `warm` has the header of the new version.
            let cold = SealedStore::new(below.clone(), keys(&identity)).unwrap();
            assert_eq!(whole(&warm, &path).await.unwrap(), new);
            for store in [&cold, &warm] {
                let options = GetOptions { range: range.clone(), version: version.clone(), ..GetOptions::default() };
                let result = store.get_opts(&path, options).await.unwrap();
                assert_eq!(result.meta.size, old.len() as u64);
                let found = result.bytes().await.unwrap();
                assert_eq!(found, old[expected.start as usize..expected.end as usize]);
                // Requests without a version still read the current one.
                assert_eq!(store.get_range(&path, 5..CHUNK as u64).await.unwrap(), new[5..CHUNK]);
                assert_eq!(store.get_ranges(&path, &[5..9]).await.unwrap()[0], new[5..9]);
            }
        }
        let cold = SealedStore::new(below.clone(), keys(&identity)).unwrap();
        for store in [&cold, &warm] {
            let head = GetOptions { head: true, version: version.clone(), ..GetOptions::default() };
            assert_eq!(store.get_opts(&path, head).await.unwrap().meta.size, old.len() as u64);
        }
    }
}

/// A shorter object may have replaced one whose header is cached. The request then fails, and the
/// header is read again.
#[tokio::test]
async fn ranges_of_a_known_object_are_asked_for_again() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let text = text(3 * CHUNK);
    store.put(&path, text.clone().into()).await.unwrap();
    let range = CHUNK as u64 - 5..CHUNK as u64 + 5;
    // Caches the header.
    store.get_ranges(&path, std::slice::from_ref(&range)).await.unwrap();
    below.plan(Fault::Get);
    let found = store.get_ranges(&path, &[range]).await.unwrap();
    assert_eq!(found[0], text[CHUNK - 5..CHUNK + 5]);
    assert_eq!(below.planned(), 0);
}

#[tokio::test]
async fn other_recipients_for_an_object_that_ends_early_change_nothing() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let recipient = Identity::generate().unwrap().to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    // The second and the third object are uploaded in parts.
    for (len, fault, aborted) in
        [(1000, Fault::ShortBody, 0), (9 << 20, Fault::ShortBody, 1), (9 << 20, Fault::Complete, 1)]
    {
        let text = text(len);
        store.put(&path, text.clone().into()).await.unwrap();
        let before = whole(&*below, &path).await.unwrap();
        below.plan(fault);
        let error = store.rekey(&path, &recipients, Existing::Keep).await.unwrap_err();
        let is_changed = matches!(SealedError::of(&error), Some(SealedError::Changed));
        assert_eq!(is_changed, fault == Fault::ShortBody, "{error:?}");
        assert_eq!((below.planned(), below.aborted()), (0, aborted));
        assert!(whole(&*below, &path).await.unwrap() == before);
        assert_eq!(whole(&store, &path).await.unwrap(), text);
    }
}

/// A client of a store repeats a request whose answer was lost. The second request fails, because
/// the first one has replaced the object.
#[tokio::test]
async fn other_recipients_are_set_although_the_answer_is_lost() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let new = Identity::generate().unwrap();
    let successor = SealedStore::new(below.clone(), keys(&new)).unwrap();
    let recipient = new.to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    // The second object is uploaded in parts.
    for len in [1000, 9 << 20] {
        store.put(&path, text(len).into()).await.unwrap();
        below.plan(Fault::LostAnswer);
        let result = store.rekey(&path, &recipients, Existing::Drop).await.unwrap();
        assert_eq!((below.planned(), below.aborted()), (0, 0));
        assert_eq!(result.e_tag, below.head(&path).await.unwrap().e_tag);
        assert_eq!(whole(&successor, &path).await.unwrap(), text(len));
    }
}

#[tokio::test]
async fn other_recipients_for_an_object_that_does_not_end_change_nothing() {
    let (_, below, store) = sealed_store();
    let path = Path::from("a");
    let recipient = Identity::generate().unwrap().to_public();
    // The second object is uploaded in parts of 8 MiB.
    for (len, most) in [(1000, 1), (9 << 20, 16)] {
        store.put(&path, text(len).into()).await.unwrap();
        let before = whole(&*below, &path).await.unwrap();
        below.plan(Fault::LongBody);
        let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
        let error = store.rekey(&path, &recipients, Existing::Keep).await.unwrap_err();
        assert!(matches!(SealedError::of(&error), Some(SealedError::Changed)), "{error:?}");
        let surplus = below.surplus();
        assert!((1..=most).contains(&surplus), "{surplus} MiB");
        assert!(whole(&*below, &path).await.unwrap() == before);
    }
}

/// The response to the request for a header is not collected to its end.
#[tokio::test]
async fn a_header_that_does_not_end_is_an_error() {
    let (identity, below, writer) = sealed_store();
    let path = Path::from("a");
    writer.put(&path, text(1000).into()).await.unwrap();
    let cold = || SealedStore::new(below.clone(), keys(&identity)).unwrap();
    let assert_changed = |error: &Error| {
        assert!(matches!(SealedError::of(error), Some(SealedError::Changed)), "{error:?}");
        assert_eq!((below.planned(), below.surplus()), (0, 1));
    };
    below.plan(Fault::LongBody);
    assert_changed(&cold().head(&path).await.unwrap_err());
    below.plan(Fault::LongBody);
    assert_changed(&cold().get_range(&path, 0..1).await.unwrap_err());
    below.plan(Fault::LongBody);
    assert_changed(&cold().get_ranges(&path, &[0..1]).await.unwrap_err());
    // Listings report the stored length of an object that cannot be read, here of one of two: the
    // inner store also has the version.
    below.plan(Fault::LongBody);
    let exact = cold().with_listed_size(ListedSize::Exact);
    let mut sizes: Vec<_> = exact.list(None).map_ok(|meta| meta.size).try_collect().await.unwrap();
    sizes.sort_unstable();
    assert_eq!(sizes, [1000, 4096 + 1016]);
    assert_eq!((below.planned(), below.surplus()), (0, 1));
}

//! Uploads in parts.

use std::sync::Arc;

use bytes::Bytes;
use sealane_object_store::sealane_age::{Identity, decrypt, x25519};

use super::super::SealedStore;
use super::super::object_store::local::LocalFileSystem;
use super::super::object_store::path::Path;
use super::super::object_store::{ObjectStoreExt as _, PutPayload};
use super::{CHUNK, Place, keys, text, whole};

const MIN: usize = 5 << 20;

#[tokio::test]
async fn parts_of_any_length_become_one_file() {
    let (place, path) = (Place::new(), Path::from("a"));
    for lengths in [
        &[][..],
        &[0],
        &[1],
        &[CHUNK],
        &[CHUNK, CHUNK],
        &[CHUNK - 1, 1, 1],
        &[3 * CHUNK + 7, 0, 2 * CHUNK - 7, 1],
        &[MIN, MIN, 3],
        &[MIN + 10, MIN + 10, MIN + 10],
        &[MIN, 4 * MIN, MIN],
        &[10, 2 * MIN, 10],
    ] {
        let text = text(lengths.iter().sum());
        let mut upload = place.store.put_multipart(&path).await.unwrap();
        let mut rest = &text[..];
        let mut parts = Vec::new();
        for len in lengths {
            let (part, after) = rest.split_at(*len);
            // A payload can have several pieces of any length.
            let payload: PutPayload = part.chunks(100_000).map(Bytes::copy_from_slice).collect();
            parts.push(upload.put_part(payload));
            rest = after;
        }
        for part in parts {
            part.await.unwrap();
        }
        assert!(place.store.head(&path).await.is_err(), "the object appears at the end");
        upload.complete().await.unwrap();
        assert_eq!(whole(&place.store, &path).await.unwrap(), text);
        let sealed = place.sealed(&path).await;
        assert_eq!(decrypt([&place.identity as &dyn Identity], &sealed).unwrap(), text);
        // S3 requires that all parts but the last are not too short. R2 also requires that they
        // have equal lengths.
        let below = place.below.parts();
        let (last, others) = below.split_last().unwrap();
        assert!(others.iter().all(|len| *len >= MIN), "{below:?}");
        if lengths.windows(2).all(|pair| pair[0] >= pair[1]) {
            assert!(others.iter().all(|len| *len == others[0] && last <= len), "{below:?}");
        }
        assert!(below.len() <= lengths.len().max(1), "{below:?}");
        place.store.delete(&path).await.unwrap();
    }
}

/// Equal parts of plaintext become equally many sealed parts, so that the limit of 10,000 parts is
/// reached no earlier.
#[tokio::test]
async fn equal_parts_become_no_more_parts() {
    let (place, path) = (Place::new(), Path::from("a"));
    for len in [MIN, MIN + 1, MIN + CHUNK - 1] {
        let mut upload = place.store.put_multipart(&path).await.unwrap();
        for _ in 0..6 {
            upload.put_part(vec![7; len].into()).await.unwrap();
        }
        upload.complete().await.unwrap();
        assert_eq!(place.below.parts().len(), 6);
        assert_eq!(place.store.head(&path).await.unwrap().size, 6 * len as u64);
    }
}

/// Some writers make parts longer after every hundred, to write large objects with few parts.
#[tokio::test]
async fn longer_parts_become_longer_parts() {
    let (place, path) = (Place::new(), Path::from("a"));
    let lengths = [MIN, MIN, MIN + CHUNK, 2 * MIN, 2 * MIN, 3 * MIN + 5, 3 * MIN + 5];
    let mut upload = place.store.put_multipart(&path).await.unwrap();
    let (mut given, mut written, mut count) = (0, 0, 0);
    for len in lengths {
        upload.put_part(vec![7; len].into()).await.unwrap();
        let below = place.below.parts();
        assert!(below.iter().all(|len| *len >= MIN), "{below:?}");
        (given, written, count) = (given + len, written + below.iter().sum::<usize>(), count + below.len());
        // What is held back does not grow with the parts.
        assert!(written + MIN + 2 * CHUNK >= given, "{written} of {given}");
    }
    upload.complete().await.unwrap();
    assert!(count + place.below.parts().len() <= lengths.len());
    assert_eq!(place.store.head(&path).await.unwrap().size, given as u64);
}

#[tokio::test]
async fn an_aborted_upload_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let below = Arc::new(LocalFileSystem::new_with_prefix(folder.path()).unwrap());
    let store = SealedStore::new(below, keys(&x25519::Identity::generate().unwrap())).unwrap();
    let mut upload = store.put_multipart(&Path::from("a")).await.unwrap();
    upload.put_part(vec![7; 2 * MIN].into()).await.unwrap();
    let files = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files(), 1);
    upload.abort().await.unwrap();
    // `upload` still exists: dropping it would remove the file, too.
    assert_eq!(files(), 0);
    drop(upload);
}

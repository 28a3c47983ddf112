//! A sealed store over S3, on the server that `SEALANE_S3` names. `crates/objects/test` starts one.

use std::sync::Arc;

use sealane_object_store::sealane_age::x25519::Identity;
use sealane_object_store::sealane_age::{Existing, Recipient, decrypt};

use super::super::object_store::aws::{AmazonS3, S3CopyIfNotExists};
use super::super::object_store::path::Path;
use super::super::object_store::{
    Attribute, Attributes, Error, ObjectStore as _, ObjectStoreExt as _, integration as tests,
};
use super::super::{SealedStore, VERSION, s3_client};
use super::counted::Counted;
use super::integration::every_store;
use super::{keys, text, whole};

const MIN: usize = 5 << 20;

/// Returns the store of a bucket of the server. Each version of `object_store` has buckets of its
/// own.
fn bucket(name: &str) -> AmazonS3 {
    let address = std::env::var("SEALANE_S3").expect("crates/objects/test sets SEALANE_S3");
    s3_client()
        .with_endpoint(address)
        .with_bucket_name(format!("{name}-{VERSION}"))
        .with_allow_http(true)
        .with_copy_if_not_exists(S3CopyIfNotExists::Multipart)
        .build()
        .unwrap()
}

/// Returns a sealed store on a bucket of the server.
pub(crate) fn sealed(name: &str) -> SealedStore {
    SealedStore::new(Arc::new(bucket(name)), keys(&Identity::generate().unwrap())).unwrap()
}

#[tokio::test]
#[ignore = "needs an S3 server: crates/objects/test starts one"]
async fn behaves_like_any_store() {
    let store = sealed("any");
    // Without the test of attributes, whose names have underscores: moto's server drops them.
    every_store(&store).await;
    tests::put_opts(&store, true).await;
    tests::multipart_race_condition(&store, true).await;
    tests::multipart_out_of_order(&store).await;
}

#[tokio::test]
#[ignore = "needs an S3 server: crates/objects/test starts one"]
async fn parts_become_one_age_file() {
    let (identity, path, text) = (Identity::generate().unwrap(), Path::from("a/b.csv"), text(2 * MIN + 3));
    let below = Arc::new(Counted::new(bucket("parts")));
    let store = SealedStore::new(below.clone(), keys(&identity)).unwrap();
    let mut upload = store.put_multipart(&path).await.unwrap();
    for part in text.chunks(MIN) {
        upload.put_part(part.to_vec().into()).await.unwrap();
    }
    assert!(below.head(&path).await.is_err(), "the object appears at the end");
    upload.complete().await.unwrap();
    assert!(below.parts().len() > 1);
    let sealed = whole(&below, &path).await.unwrap();
    assert_eq!(decrypt([&identity as _], &sealed).unwrap(), text);
    let ranges = [100..200, MIN as u64 - 10..MIN as u64 + 10, 2 * MIN as u64..2 * MIN as u64 + 3];
    for (range, bytes) in ranges.iter().zip(store.get_ranges(&path, &ranges).await.unwrap()) {
        assert_eq!(bytes, text[range.start as usize..range.end as usize]);
    }
}

#[tokio::test]
#[ignore = "needs an S3 server: crates/objects/test starts one"]
async fn other_recipients() {
    let (old, new, path) = (Identity::generate().unwrap(), Identity::generate().unwrap(), Path::from("a"));
    let below = Arc::new(Counted::new(bucket("rekey")));
    let store = SealedStore::new(below.clone(), keys(&old)).unwrap();
    let successor = SealedStore::new(below.clone(), keys(&new)).unwrap();
    let recipient = new.to_public();
    let recipients = [&recipient as &(dyn Recipient + Send + Sync)];
    // One conditional write, and parts.
    for (len, parts) in [(1000, 0), (9 << 20, 2)] {
        let attributes = Attributes::from_iter([
            (Attribute::ContentType, "text/plain"),
            (Attribute::Metadata("team".into()), "blue"),
        ]);
        store.put_opts(&path, text(len).into(), attributes.clone().into()).await.unwrap();
        store.rekey(&path, &recipients, Existing::Drop).await.unwrap();
        assert_eq!(below.parts().len(), parts);
        assert_eq!(successor.get(&path).await.unwrap().attributes, attributes);
        assert_eq!(whole(&successor, &path).await.unwrap(), text(len));
        assert!(whole(&store, &path).await.is_err());

        // Somebody else replaces the object meanwhile.
        store.put(&path, text(len).into()).await.unwrap();
        let other = b"another object".to_vec();
        below.replace_next(other.clone());
        let refused = store.rekey(&path, &recipients, Existing::Drop).await;
        assert!(matches!(refused, Err(Error::Precondition { .. })), "{refused:?}");
        assert_eq!(whole(&below, &path).await.unwrap(), other);
        below.parts();
    }
}

//! The tests over version 0.13 of the crate `object_store`.

use sealane_object_store::object_store_013::{SealedStore, object_store};

use self::object_store::aws::AmazonS3Builder;
use self::object_store::integration::put_get_attributes;

#[path = "../cases/mod.rs"]
mod cases;

const VERSION: &str = "13";

/// Returns the S3 settings that all buckets share. Keys are in environment variables.
fn s3_client() -> AmazonS3Builder {
    AmazonS3Builder::from_env()
}

/// For version 0.13 only. The test needs versitygw, because moto's server drops some names. It
/// sends parts, which are not signed in the tests of version 0.14, and versitygw refuses such
/// parts.
#[tokio::test]
#[ignore = "needs versitygw: crates/objects/test-versitygw starts it"]
async fn s3_keeps_attributes() {
    put_get_attributes(&cases::s3::sealed("attributes")).await;
}

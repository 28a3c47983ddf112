//! The tests over version 0.13 of the crate `object_store`.

use sealane_object_store::object_store_013::{SealedStore, object_store};

use self::object_store::aws::AmazonS3Builder;
use self::object_store::integration::put_get_attributes;

#[path = "../cases/mod.rs"]
mod cases;

const VERSION: &str = "13";

/// Returns the settings that no bucket changes. Keys are in environment variables.
fn s3_client() -> AmazonS3Builder {
    AmazonS3Builder::from_env()
}

/// versitygw keeps the names of the attributes. It refuses parts that are not signed, as they are in
/// the tests of version 0.14.
#[tokio::test]
#[ignore = "needs versitygw: crates/objects/test-versitygw starts it"]
async fn s3_keeps_attributes() {
    put_get_attributes(&cases::s3::sealed("attributes")).await;
}

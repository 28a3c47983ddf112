//! The tests over version 0.14 of the crate `object_store`.

use sealane_object_store::object_store_014::{SealedStore, object_store};

use self::client::s3_client;

#[path = "../cases/mod.rs"]
mod cases;
mod client;

const VERSION: &str = "14";

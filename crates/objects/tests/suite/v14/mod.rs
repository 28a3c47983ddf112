//! The tests over version 0.14 of the crate `object_store`.

use sealane_object_store::object_store_014::{SealedStore, object_store};

#[path = "../cases/mod.rs"]
mod cases;
mod s3;

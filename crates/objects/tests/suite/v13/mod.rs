//! The tests over version 0.13 of the crate `object_store`.

use sealane_object_store::object_store_013::{SealedStore, object_store};

#[path = "../cases/mod.rs"]
mod cases;

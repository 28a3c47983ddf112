//! Sealed stores in memory and on disk, for each version of the crate `object_store`.
#![allow(clippy::duplicate_mod, reason = "the cases are compiled once for each version of object_store")]

mod v13;
mod v14;

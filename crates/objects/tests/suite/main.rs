//! Sealed stores in memory and on disk, for each version of the crate `object_store`.
#![allow(clippy::duplicate_mod, reason = "the cases are compiled once for each version of object_store")]
#![allow(clippy::single_range_in_vec_init, reason = "a list of ranges may have one")]

mod v13;
mod v14;

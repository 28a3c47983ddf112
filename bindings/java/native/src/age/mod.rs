//! The functions that `sealane.age.Native` calls by the Java Native Interface.
//!
//! # Safety
//! One set of rules holds for all functions. `Native` and its callers keep them: `env` and the
//! arrays are those that the virtual machine passes, offsets and lengths are within the arrays,
//! numbers of objects are those that these functions have returned, and an object is not used
//! after it has been freed, or by two threads at once if it is a decoder.
#![allow(clippy::missing_safety_doc, reason = "the rules are those above")]

mod armor;
mod failure;
mod keys;
mod machine;
mod parts;
mod payload;

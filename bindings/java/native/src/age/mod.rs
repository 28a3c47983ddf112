//! The functions that `sealane.age.Native` calls through the Java Native Interface.
//!
//! # Safety
//! One set of rules holds for all functions. `Native` and its callers keep them: `env` and the
//! arrays are those that the virtual machine passes, offsets and lengths are within the arrays,
//! object numbers are those that these functions have returned, no object is used after it has been
//! freed, and no decoder is used by two threads at once.
#![allow(clippy::missing_safety_doc, reason = "the rules are those above")]

mod armor;
mod failure;
mod keys;
mod machine;
mod parts;
mod payload;

//! The C interface of Sealane. `include/sealane.h` is generated from the documentation here, so it
//! is written for readers of C.
//!
//! Every function catches panics, so none crosses the boundary. `boundary` has the only code that
//! follows the caller's pointers, and `age::callbacks` the only code that calls the caller.
#![allow(non_camel_case_types, reason = "the names of C")]

mod aead;
mod age;
mod batch;
mod boundary;
mod chacha20;
mod opener;
mod poly1305;
mod random;
mod sealer;
mod shamir;
mod status;
mod version;

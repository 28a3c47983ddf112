//! The C interface of Sealane. `include/sealane.h` is generated from the doc comments of this
//! crate, so they are written for C programmers.
//!
//! Every function catches panics, so none crosses the boundary. Only `boundary` dereferences the
//! caller's pointers, and only `age::callbacks` calls the caller's functions.
#![allow(non_camel_case_types, reason = "the names of C")]

// For `buffers`, which other bindings compile too.
extern crate primitives;

mod aead;
mod age;
mod batch;
mod boundary;
#[path = "../../buffers.rs"]
mod buffers;
mod chacha20;
mod opener;
mod poly1305;
mod random;
mod sealer;
mod shamir;
mod status;
mod version;
#[path = "../../wiped.rs"]
mod wiped;

//! Test vectors.
#![forbid(unsafe_code)]

//! The age v1 file format.
#![forbid(unsafe_code)]

//! The `sealane` command.
#![forbid(unsafe_code)]
fn main() {}

//! Repository chores: `cargo xtask`.
#![forbid(unsafe_code)]
fn main() {}

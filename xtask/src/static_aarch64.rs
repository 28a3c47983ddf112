//! Static programs for AArch64. The same file runs on a phone, and in an emulator without a
//! system's folders.

use std::ffi::OsString;

use anyhow::Result;

use crate::places::List;
use crate::process::cargo_variable;
use crate::toolchain;

/// A target for which Rust brings linker and C library.
const MUSL: &str = "aarch64-unknown-linux-musl";
/// A target for which Debian has them.
const GNU: &str = "aarch64-unknown-linux-gnu";

/// A target of static programs, with the environment in which cargo builds for it.
pub(crate) struct StaticTarget {
    pub(crate) triple: &'static str,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

impl StaticTarget {
    /// musl's target, with the linker in tools/android-runner/config.toml. If Rust's libraries for
    /// it are out of reach, the target is GNU's, linked statically.
    pub(crate) fn new() -> Result<Self> {
        if toolchain::by_rustup(MUSL)? {
            return Ok(Self { triple: MUSL, environment: vec![(cargo_variable(MUSL, "LINKER"), "rust-lld".into())] });
        }
        println!("   rustup does not get {MUSL} here: {GNU} in its place, as static");
        let mut environment = toolchain::for_target(GNU, "std", false)?.variables();
        environment.extend(List::read()?.target(GNU)?.linker()?);
        environment.push((cargo_variable(GNU, "RUSTFLAGS"), "-C target-feature=+crt-static".into()));
        Ok(Self { triple: GNU, environment })
    }
}

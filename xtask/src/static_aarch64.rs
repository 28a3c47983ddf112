//! Static programs for AArch64. The same file runs on a phone, and in an emulator without a
//! system's folders.

use std::ffi::OsString;

use anyhow::Result;

use crate::process;
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
            let linker = (variable(MUSL, "LINKER"), "rust-lld".into());
            return Ok(Self { triple: MUSL, environment: vec![linker] });
        }
        println!("   rustup does not get {MUSL} here: {GNU} in its place, as static");
        let linker = process::tool("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross")?;
        let toolchain = toolchain::for_target(GNU, "std", false)?;
        let mut environment = toolchain.environment;
        environment.push((variable(GNU, "LINKER"), linker.into()));
        environment.push((variable(GNU, "RUSTFLAGS"), "-C target-feature=+crt-static".into()));
        // The setting as arguments. The README's commands do not need them.
        for argument in &toolchain.arguments {
            if let Some(crates) = argument.to_str().and_then(|argument| argument.strip_prefix("-Zbuild-std=")) {
                environment.push(("CARGO_UNSTABLE_BUILD_STD".into(), crates.into()));
            }
        }
        Ok(Self { triple: GNU, environment })
    }

    /// Returns the variable that passes a setting of this target to cargo.
    pub(crate) fn variable(&self, setting: &str) -> OsString {
        variable(self.triple, setting)
    }
}

fn variable(triple: &str, setting: &str) -> OsString {
    format!("CARGO_TARGET_{}_{setting}", triple.replace('-', "_").to_uppercase()).into()
}

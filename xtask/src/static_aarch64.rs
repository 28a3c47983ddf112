//! Static programs for AArch64: one file runs on a phone, and in an emulator without the folder of
//! a system.

use std::ffi::OsString;

use anyhow::Result;

use crate::process;
use crate::toolchain;

/// What Rust has linker and C library for.
const MUSL: &str = "aarch64-unknown-linux-musl";
/// What Debian has them for.
const GNU: &str = "aarch64-unknown-linux-gnu";

/// A target of static programs, with the environment in which cargo builds for it.
pub(crate) struct StaticTarget {
    pub(crate) triple: &'static str,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

impl StaticTarget {
    /// musl's, with the linker that tools/android-runner/config.toml names, or where Rust's
    /// libraries for that are out of reach, GNU's, linked as static.
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
        // The same as the arguments, which the README's commands have not.
        for argument in &toolchain.arguments {
            if let Some(crates) = argument.to_str().and_then(|argument| argument.strip_prefix("-Zbuild-std=")) {
                environment.push(("CARGO_UNSTABLE_BUILD_STD".into(), crates.into()));
            }
        }
        Ok(Self { triple: GNU, environment })
    }

    /// The variable by which cargo takes a setting of this target.
    pub(crate) fn variable(&self, setting: &str) -> OsString {
        variable(self.triple, setting)
    }
}

fn variable(triple: &str, setting: &str) -> OsString {
    format!("CARGO_TARGET_{}_{setting}", triple.replace('-', "_").to_uppercase()).into()
}

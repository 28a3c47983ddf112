//! Android's own targets without an NDK: type-checks everything for them, and checks the alignment
//! of shared objects.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::cargo;
use crate::process::{self, step};
use crate::toolchain;

/// Android's targets.
const TARGETS: &[&str] =
    &["aarch64-linux-android", "armv7-linux-androideabi", "i686-linux-android", "x86_64-linux-android"];

/// Targets for devices that may have pages of 16 KiB, each with a compiler that replaces the NDK's
/// linker.
const ALIGNED: &[(&str, &str, &str)] = &[
    ("aarch64-linux-android", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("x86_64-linux-android", "x86_64-linux-gnu-gcc", "gcc"),
];

/// Type-checks the command and all libraries.
pub(super) fn check() -> Result<()> {
    step("Android: cargo check");
    // One run for all targets builds the code for this machine only once.
    let mut command = cargo();
    command.args(["check", "--package", "sealane-cli"]);
    for target in TARGETS {
        toolchain::for_target(target, "std", false)?.apply(command.args(["--target", target]));
    }
    process::run(&mut command)
}

const MANIFEST: &str = "
    [package]
    name = 'probe'
    edition = '2024'
    [lib]
    crate-type = ['cdylib']
    path = 'lib.rs'
    [profile.dev]
    panic = 'abort'
    [workspace]
";

/// This crate needs no operating system, so it needs no library of the NDK.
const SOURCE: &str = "
    #![no_std]
    static mut COUNT: u32 = 1;
    #[unsafe(no_mangle)]
    pub extern \"C\" fn count() -> *mut u32 { &raw mut COUNT }
    #[panic_handler]
    fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }
";

/// Links shared objects with the settings that docs/phones.md tells users to copy. All segments
/// that are loaded must be aligned to 16 KiB.
pub(super) fn alignment() -> Result<()> {
    let readelf = process::tool("readelf", "binutils")?;
    let dir = process::empty_folder("phones/probe")?;
    process::write(dir.join("Cargo.toml"), MANIFEST)?;
    process::write(dir.join("lib.rs"), SOURCE)?;
    for &(target, linker, package) in ALIGNED {
        step(&format!("{target}: the alignment of shared objects"));
        process::tool(linker, package)?;
        let mut command = cargo();
        command
            .arg("--config")
            .arg(format!("target.{target}.linker = '{linker}'"))
            // These are added to the flags of the settings.
            .arg("--config")
            .arg(format!("target.{target}.rustflags = ['-C', 'link-arg=-nostdlib']"))
            .args(["build", "--target", target, "--target-dir", "target", "--offline"])
            .env_remove("RUSTFLAGS")
            .current_dir(&dir);
        process::run(toolchain::for_target(target, "core", false)?.apply(&mut command))?;
        let library = dir.join("target").join(target).join("debug/libprobe.so");
        let segments = loaded_segments(&readelf, &library)?;
        // One for code, and one for writable data.
        ensure!(segments.len() >= 2, "{} has {} segments to load", library.display(), segments.len());
        for alignment in &segments {
            ensure!(*alignment == 0x4000, "{} is aligned to {alignment:#x}, and not to 16 KiB", library.display());
        }
        println!("   {} segments, all aligned to 16 KiB", segments.len());
    }
    Ok(())
}

/// Returns the alignments of the segments that are loaded.
fn loaded_segments(readelf: &Path, library: &Path) -> Result<Vec<u64>> {
    let output = process::output(Command::new(readelf).args(["--segments", "--wide"]).arg(library))?;
    output.lines().filter(|line| line.trim_start().starts_with("LOAD ")).map(alignment_of).collect()
}

fn alignment_of(line: &str) -> Result<u64> {
    line.split_whitespace()
        .last()
        .and_then(|word| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok())
        .with_context(|| format!("readelf names no alignment: {line}"))
}

//! Compiles `operations` a second time, for recent CPUs, as `libsimd.a`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The features that the copy is compiled for. `src/lib.rs` checks for the same ones before it
/// calls the copy.
const FEATURES: [&str; 4] = ["avx2", "bmi2", "aes", "pclmulqdq"];
/// The feature `vaes` of this crate adds these.
const MORE_FEATURES: [&str; 2] = ["vaes", "vpclmulqdq"];

fn main() {
    let variable = |name: &str| env::var(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let target = variable("TARGET");
    assert_eq!(variable("CARGO_CFG_TARGET_ARCH"), "x86_64", "this example is written for x86-64");
    let manifest_dir = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let built = Path::new(&variable("OUT_DIR")).join("simd");
    let release = variable("PROFILE") == "release";

    let additional = if env::var_os("CARGO_FEATURE_VAES").is_some() { &MORE_FEATURES[..] } else { &[] };
    let features: Vec<_> = FEATURES.iter().chain(additional).map(|feature| format!("+{feature}")).collect();
    let features = format!("-Ctarget-feature={}", features.join(","));
    // Different metadata gives the functions of this copy other symbol names than those in the
    // first copy. With equal names, the linker would keep one function for the callers of both.
    let flags = [&features, "-Cmetadata=simd", "--cfg=copy=\"simd\""].join("\x1f");

    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .args(["rustc", "--quiet", "--lib", "--crate-type=staticlib", "--manifest-path"])
        .arg(manifest_dir.join("operations/Cargo.toml"))
        // Naming the target keeps the flags away from build scripts and macros, which run on this
        // machine while it compiles.
        .args(["--target", &target, "--target-dir"])
        .arg(&built)
        .args(release.then_some("--release"))
        .env("CARGO_ENCODED_RUSTFLAGS", flags)
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    let status = cargo.status().unwrap_or_else(|error| panic!("cannot start cargo: {error}"));
    assert!(status.success(), "cargo did not build the copy: {status}");

    let archive = built.join(target).join(if release { "release" } else { "debug" }).join("liboperations.a");
    let renamed = built.join("libsimd.a");
    std::fs::copy(&archive, &renamed).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    println!("cargo::rustc-link-search=native={}", built.display());
    // The archive is not packed into this crate. It contains the parts of the standard library that
    // it needs, the program contains them too, and a linker removes duplicates only from archives.
    println!("cargo::rustc-link-lib=static:-bundle=simd");
    for source in ["build.rs", "operations", "../../crates/simd/src"] {
        println!("cargo::rerun-if-changed={}", manifest_dir.join(source).display());
    }
}

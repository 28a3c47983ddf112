//! Finds a standard library for another target: rustup's if it has one, otherwise Debian's source.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process;

/// The settings of cargo for a target.
#[derive(Default)]
pub(crate) struct Toolchain {
    pub(crate) variables: Vec<(&'static str, &'static str)>,
    /// Flags for the Rust compiler.
    pub(crate) flags: &'static str,
}

/// Debian's C library for WebAssembly, in place of the one in rustup's standard library. It is
/// older, and lacks two functions that programs with one thread do not call.
const DEBIAN_WASI: &str = "-C linker=wasm-ld -C link-self-contained=no -L native=/usr/lib/wasm32-wasi \
                           -C link-arg=/usr/lib/wasm32-wasi/crt1-command.o -C link-arg=--unresolved-symbols=ignore-all";

/// Debian's compiler, with the sources of its standard library in the packages rustc-web and
/// rust-web-src (Debian 12), or rustc and rust-src.
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";

/// Finds or installs the standard library for `target`. If it must be built from source, `library`
/// is `std` or `core`.
pub(crate) fn for_target(target: &str, library: &str) -> Result<Toolchain> {
    if by_rustup(target)? {
        return Ok(Toolchain::default());
    }
    ensure!(
        has_debian_source()?,
        "there is no standard library for {target}. With rustup: rustup target add {target}. \
         On Debian: apt-get install rustc-web rust-web-src"
    );
    println!("   building {library} for {target} from Debian's source");
    let is_wasi = target.starts_with("wasm32-wasi");
    if is_wasi {
        process::tool("wasm-ld", "lld wasi-libc")?;
    }
    Ok(Toolchain {
        variables: vec![
            ("RUSTC", DEBIAN_RUSTC),
            ("CARGO_UNSTABLE_BUILD_STD", if library == "std" { "std,panic_abort" } else { "core" }),
            // Building the library is unstable, and Debian's compiler is a stable one.
            ("RUSTC_BOOTSTRAP", "1"),
            ("__CARGO_DEFAULT_LIB_METADATA", "1"),
        ],
        flags: if is_wasi { DEBIAN_WASI } else { "" },
    })
}

/// Returns whether rustup has the standard library for `target`, or installs it. It does not try if
/// Debian's source is installed, because rustup waits for minutes if its server cannot be reached.
pub(crate) fn by_rustup(target: &str) -> Result<bool> {
    let is_installed = sysroot("rustc")?.join("lib/rustlib").join(target).join("lib").is_dir();
    let mut add = Command::new("rustup");
    add.args(["target", "add", target]);
    Ok(is_installed || !has_debian_source()? && process::run(&mut add).is_ok())
}

/// Returns the value of a field in `rustc -vV`, such as `host` or `commit-hash`.
pub(crate) fn of_compiler(name: &str) -> Result<String> {
    let version = process::output(Command::new("rustc").arg("-vV"))?;
    let found = version.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    Ok(found.with_context(|| format!("`rustc -vV` names no {name}"))?.to_owned())
}

/// Returns the folder of a compiler's libraries.
pub(crate) fn sysroot(compiler: &str) -> Result<PathBuf> {
    Ok(process::output(Command::new(compiler).args(["--print", "sysroot"]))?.trim().into())
}

fn has_debian_source() -> Result<bool> {
    let library = "lib/rustlib/src/rust/library/std";
    Ok(Path::new(DEBIAN_RUSTC).is_file() && sysroot(DEBIAN_RUSTC)?.join(library).is_dir())
}

//! The targets of xtask/backends.toml, and the programs that run executables for them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::coverage::Place;
use crate::process;

/// A target of the compiler.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Target {
    pub(crate) triple: String,
    /// The prefix of the names of Debian's cross compiler and of its folder in `/usr`.
    gcc: Option<String>,
    #[serde(default)]
    packages: String,
    /// Flags for the Rust compiler.
    pub(super) flags: Option<String>,
    /// The feature of `sealane-simd` that needs an unstable compiler feature.
    pub(super) unstable: Option<String>,
    #[serde(default)]
    pub(super) portable: bool,
}

impl Target {
    /// The C compiler, which links. `None` if it is the usual one.
    fn compiler(&self) -> Result<Option<PathBuf>> {
        self.gcc.as_ref().map(|gcc| process::tool(&format!("{gcc}-gcc"), &self.packages)).transpose()
    }

    /// Returns the variable that names the linker to cargo.
    pub(super) fn linker(&self) -> Result<Option<(OsString, OsString)>> {
        let name = || format!("CARGO_TARGET_{}_LINKER", self.triple.replace('-', "_").to_uppercase()).into();
        Ok(self.compiler()?.map(|compiler| (name(), compiler.into())))
    }

    /// Returns the program that runs executables at a place, and the arguments before the
    /// executable's path.
    pub(super) fn runner(&self, place: &Place) -> Result<Vec<OsString>> {
        let Some(qemu) = &place.qemu else {
            let node = process::tool("node", "nodejs")?;
            let script = process::workspace_root().join("xtask/src/cross/wasi.mjs");
            return Ok(vec![node.into(), "--no-warnings".into(), script.into()]);
        };
        let program = process::tool(qemu, "qemu-user")?;
        // Static executables need no folder of libraries.
        let libraries = self.gcc.as_ref().map_or("/".to_owned(), |gcc| format!("/usr/{gcc}"));
        let mut command: Vec<OsString> = vec![program.into(), "-cpu".into(), place.cpu()?.into()];
        command.extend(["-L".into(), libraries.into()]);
        if place.hides_aes {
            let mut variable = OsString::from("LD_PRELOAD=");
            variable.push(without_aes(&self.compiler()?.context("it needs a C compiler")?)?);
            command.extend(["-E".into(), variable]);
        }
        Ok(command)
    }
}

/// Builds a library that hides AES (bit 3) and PMULL (bit 4) in the kernel's list of CPU features.
/// The program loads it first.
fn without_aes(compiler: &Path) -> Result<PathBuf> {
    const SOURCE: &str = "
        unsigned long __getauxval(unsigned long);
        unsigned long getauxval(unsigned long type) {
            unsigned long value = __getauxval(type);
            return type == 16 /* AT_HWCAP */ ? value & ~0x18ul : value;
        }
    ";
    let dir = process::target_dir().join("cross-preload");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let (source, library) = (dir.join("without_aes.c"), dir.join("without_aes.so"));
    std::fs::write(&source, SOURCE).with_context(|| format!("cannot write {}", source.display()))?;
    process::run(Command::new(compiler).args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source))?;
    Ok(library)
}

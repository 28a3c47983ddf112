//! What runs an executable that was built for another CPU or system.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::targets::Target;
use crate::process;

/// A cross compiler for C.
pub(super) struct Compiler {
    pub(super) program: &'static str,
    pub(super) packages: &'static str,
}

/// What runs executables.
pub(super) enum Runner {
    /// qemu-user with the model of a CPU and the folder of the target's libraries.
    Qemu {
        program: &'static str,
        cpu: &'static str,
        libraries: &'static str,
        /// Whether the operating system says that the CPU has AES instructions and PMULL, if it has them.
        shows_aes: bool,
    },
    /// The WASI of Node.js.
    Node,
}

impl Compiler {
    pub(super) fn path(&self) -> Result<PathBuf> {
        process::tool(self.program, self.packages)
    }
}

impl Runner {
    pub(super) const fn qemu(program: &'static str, cpu: &'static str, libraries: &'static str) -> Self {
        Self::Qemu { program, cpu, libraries, shows_aes: true }
    }

    /// The same CPU of AArch64, of which the operating system says that it has neither AES instructions nor PMULL.
    pub(super) const fn without_aes(self) -> Self {
        match self {
            Self::Qemu { program, cpu, libraries, .. } => Self::Qemu { program, cpu, libraries, shows_aes: false },
            Self::Node => self,
        }
    }

    /// The program and its arguments, before the executable's path.
    pub(super) fn command(&self, target: &Target) -> Result<Vec<OsString>> {
        match *self {
            Self::Qemu { program, cpu, libraries, shows_aes } => {
                let program = process::tool(program, "qemu-user")?;
                let mut command: Vec<OsString> =
                    vec![program.into(), "-cpu".into(), cpu.into(), "-L".into(), libraries.into()];
                if !shows_aes {
                    let compiler = target.compiler.as_ref().context("it needs a C compiler")?.path()?;
                    let mut variable = OsString::from("LD_PRELOAD=");
                    variable.push(without_aes(&compiler)?);
                    command.extend(["-E".into(), variable]);
                }
                Ok(command)
            }
            Self::Node => {
                let node = process::tool("node", "nodejs")?;
                let script = process::workspace_root().join("xtask/src/cross/wasi.mjs");
                Ok(vec![node.into(), "--no-warnings".into(), script.into()])
            }
        }
    }
}

impl fmt::Display for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Qemu { program, cpu, shows_aes, .. } => {
                write!(f, "{program} -cpu {cpu}{}", if *shows_aes { "" } else { " without AES instructions" })
            }
            Self::Node => f.write_str("Node.js"),
        }
    }
}

/// Builds a library that, loaded first, takes AES (bit 3) and PMULL (bit 4) out of what the kernel says of the CPU: no model of
/// AArch64 in qemu lacks them.
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

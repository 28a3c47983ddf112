//! The programs that are measured.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

/// The paths and versions of the programs.
pub(crate) struct Tools {
    pub(crate) sealane: PathBuf,
    pub(crate) age: PathBuf,
    pub(crate) age_keygen: PathBuf,
    pub(crate) rage: PathBuf,
    pub(crate) versions: Vec<String>,
}

impl Tools {
    /// Builds `sealane`, and finds the other programs. The environment variables AGE, AGE_KEYGEN
    /// and RAGE name their paths. Programs without a variable are looked up in PATH.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let built =
            Command::new(env!("CARGO")).args(["build", "--release", "--bin", "sealane"]).current_dir(&root).status();
        ensure!(built.context("cargo does not start")?.success(), "the command is not built");
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let sealane =
            target.join("release/sealane").canonicalize().context("the command is not where cargo puts it")?;
        let named = |variable: &str, name: &str| std::env::var_os(variable).map_or_else(|| name.into(), PathBuf::from);
        let (age, age_keygen, rage) = (named("AGE", "age"), named("AGE_KEYGEN", "age-keygen"), named("RAGE", "rage"));
        let mut versions = Vec::new();
        for (program, install) in [
            (&sealane, ""),
            (&age, "go install filippo.io/age/cmd/...@v1.3.1"),
            (&rage, "cargo install rage --version 0.12.1"),
        ] {
            let Ok(output) = Command::new(program).arg("--version").output() else {
                bail!("{} cannot be run: {install}", program.display());
            };
            let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let name = program.file_name().unwrap_or_default().display().to_string();
            versions.push(if version.starts_with(&name) { version } else { format!("{name} {version}") });
        }
        Ok(Self { sealane, age, age_keygen, rage, versions })
    }
}

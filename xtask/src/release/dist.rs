//! `cargo xtask dist`: builds the command for each released target. tools/dist/release.py packs it.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Place, Target, names_no_place};
use crate::process::{self, step};
use crate::sbom;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The key that signs the checksums (minisign's secret key)
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The maintainer of the Debian package
    #[arg(long, value_name = "NAME <ADDRESS>")]
    maintainer: String,
    /// Where the archives will be downloaded, for the Homebrew formula
    #[arg(long, value_name = "URL")]
    url: String,
    /// Write to this folder: a new one, or that of an earlier release, which is replaced
    #[arg(long, value_name = "DIR", default_value = "target/dist")]
    output: PathBuf,
    /// Only for machines of this kind
    #[arg(long)]
    native: bool,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let programs = process::empty_folder("dist-programs")?;
    for target in if options.native { vec![Target::native()?] } else { Target::all()? } {
        step(&format!("the command for {}", target.triple));
        let folder = programs.join(&target.triple);
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let place = Place::usual(target)?;
        let build = place.build()?;
        names_no_place(&build.bytes, &[&place])?;
        let copy = folder.join(build.program.file_name().context("a program has a name")?);
        fs::copy(&build.program, &copy).with_context(|| format!("cannot write {}", copy.display()))?;
        process::write(folder.join("sealane.cdx.json"), sbom::text(&place.target.triple)?)?;
    }
    step("packages");
    let mut script = Command::new(process::tool("python3", "python3")?);
    script.arg("tools/dist/release.py").arg("--key").arg(&options.key).arg("--output").arg(&options.output);
    process::run(script.args(["--maintainer", &options.maintainer, "--url", &options.url]).arg(programs))
}

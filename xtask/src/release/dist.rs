//! `cargo xtask dist`: builds the command for each released target, with its bill of materials.
//! tools/dist/release.py packs them.

use std::fs;

use anyhow::{Context, Result};

use super::{Place, Target, names_no_place};
use crate::process::{self, step};
use crate::sbom;

/// Options of the chore.
#[derive(clap::Args)]
pub(crate) struct Options {
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
    println!("   {}", programs.display());
    Ok(())
}

//! `cargo xtask api`: compares the public interfaces of the published libraries with `api/`.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::process;

#[derive(Args)]
pub(crate) struct Options {
    /// Write the files in api/
    #[arg(long)]
    bless: bool,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "the interface of x86-64 is listed: it has backends that others lack");
    let libraries = process::output(Command::new("xtask/rustdoc").arg("json"))?;
    let folder = if options.bless { "api".into() } else { process::empty_folder("api")? };
    // The folder's page is not generated, so it is compared with itself.
    process::write(folder.join("README.md"), process::read("api/README.md")?)?;
    for name in libraries.lines() {
        let file = name.trim_start_matches("sealane-").trim_end_matches("-sealane");
        process::write(folder.join(file).with_extension("txt"), interface(name)?)?;
    }
    process::run(
        Command::new("git").args(["--no-pager", "diff", "--no-index", "--exit-code", "--unified=0", "api"]).arg(folder),
    )
    .context("the interface has changed: if that is meant, run `cargo xtask api --bless`, and see CHANGELOG.md")
}

/// Returns the interface of a library with all its features, one item in each line.
fn interface(name: &str) -> Result<String> {
    let json = process::target_dir().join("doc").join(name.replace('-', "_")).with_extension("json");
    let interface = public_api::Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .with_context(|| format!("cannot read {}: does `public-api` know this compiler's form?", json.display()))?;
    let lines: String = interface.items().map(|item| format!("{item}\n")).collect();
    ensure!(!lines.is_empty(), "{name} has no public item");
    Ok(lines)
}

//! `cargo xtask api`: compares the public interface of each published library with `api/`.

use std::collections::BTreeSet;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::process::{self, step};

/// The libraries, which `xtask/rustdoc-json` names too, and the files that list their interfaces.
const CRATES: [(&str, &str); 4] = [
    ("sealane-simd", "api/simd.txt"),
    ("sealane", "api/sealane.txt"),
    ("sealane-age", "api/age.txt"),
    ("sealane-shares", "api/shares.txt"),
];

#[derive(Args)]
pub(crate) struct Options {
    /// Write the files in api/
    #[arg(long)]
    bless: bool,
}

/// Runs the chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    ensure!(cfg!(target_arch = "x86_64"), "the interface of x86-64 is listed: it has backends that others lack");
    process::run(&mut Command::new("xtask/rustdoc-json"))?;
    let mut changed = false;
    for (name, path) in CRATES {
        step(name);
        let found = interface(name)?;
        if options.bless {
            process::write(path, &found)?;
        } else {
            changed |= is_changed(&process::read(path)?, &found);
        }
    }
    ensure!(
        !changed,
        "the interface has changed: if that is meant, run `cargo xtask api --bless`, and see CHANGELOG.md"
    );
    Ok(())
}

/// Returns the interface of a library with all its features, one item a line.
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

/// Prints the lines that differ. Returns whether there are any.
fn is_changed(listed: &str, found: &str) -> bool {
    let (old, new): (BTreeSet<_>, BTreeSet<_>) = (listed.lines().collect(), found.lines().collect());
    old.difference(&new).for_each(|line| println!("   gone: {line}"));
    new.difference(&old).for_each(|line| println!("   new:  {line}"));
    listed != found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_is_a_change() {
        assert!(!is_changed("a\nb\n", "a\nb\n"));
        assert!(is_changed("a\nb\n", "a\nc\n"));
        assert!(is_changed("a\nb\n", "b\na\n"));
        assert!(is_changed("a\n", "a\na\n"));
    }

    #[test]
    fn every_library_has_its_list() {
        for (name, path) in CRATES {
            assert!(process::workspace_root().join(path).is_file(), "{name}");
        }
    }
}

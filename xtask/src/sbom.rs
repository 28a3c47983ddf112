//! `cargo xtask sbom`: a software bill of materials of the `sealane` command, as CycloneDX in JSON.
//!
//! cargo-cyclonedx and cargo-sbom are not used: they resolve the workspace's features, not the
//! command's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use cargo_metadata::Package;
use serde_json::{Value, json};

use crate::command_crates::{CommandCrates, Crate, PACKAGE, metadata};
use crate::process;
use crate::toolchain;

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    let file = process::target_dir().join("sealane.cdx.json");
    process::write(&file, text(&toolchain::of_compiler("host")?)?)?;
    println!("   {}", file.display());
    Ok(())
}

/// Returns the bill of materials as text.
pub(crate) fn text(target: &str) -> Result<String> {
    Ok(serde_json::to_string_pretty(&bill(&CommandCrates::on(target)?, target)?)? + "\n")
}

/// Returns the bill of materials. It is the same for the same lock file and target, on every
/// machine and at any time.
fn bill(crates: &CommandCrates, target: &str) -> Result<Value> {
    let packages = metadata(Path::new("Cargo.toml"), &["--filter-platform", target])?.into_iter();
    let packages: BTreeMap<_, _> = packages.map(|package| (Crate::from(&package), package)).collect();
    let lock: Value = process::read_toml("Cargo.lock")?;
    let checksum = |package: &Crate| {
        let mut all = lock["package"].as_array().into_iter().flatten();
        all.find(|it| it["name"] == *package.name && it["version"] == *package.version)?["checksum"].as_str()
    };

    let (mut command, mut components, mut dependencies) = (None, Vec::new(), Vec::new());
    for (package, its_own) in &crates.dependencies {
        let known = packages.get(package).with_context(|| format!("`cargo metadata` does not know {package}"))?;
        let mut component = component(package, known, checksum(package));
        if package.name == PACKAGE {
            component["type"] = "application".into();
            command = Some(component);
        } else {
            let scope = if crates.in_program.contains(package) { "required" } else { "excluded" };
            component["scope"] = scope.into();
            components.push(component);
        }
        dependencies.push(json!({ "ref": url(package), "dependsOn": its_own.iter().map(url).collect::<Vec<_>>() }));
    }
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": command.with_context(|| format!("{PACKAGE} is not among its own crates"))?,
            "properties": [{ "name": "sealane:target", "value": target }],
        },
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(package: &Crate, known: &Package, checksum: Option<&str>) -> Value {
    let Package { license, description, authors, repository, .. } = known;
    let mut component = json!({
        "type": "library",
        "bom-ref": url(package),
        "name": package.name,
        "version": package.version,
        "purl": url(package),
        // Cargo once used a slash for "or".
        "licenses": license.as_ref().map(|license| json!([{ "expression": license.replace('/', " OR ") }])),
        "description": description.as_ref().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")),
        "authors": authors.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
        "externalReferences": repository.as_ref().map(|repository| json!([{ "type": "vcs", "url": repository }])),
        "hashes": checksum.map(|checksum| json!([{ "alg": "SHA-256", "content": checksum }])),
    });
    component.as_object_mut().expect("an object").retain(|_, value| !value.is_null() && *value != json!([]));
    component
}

/// Returns the package URL.
fn url(package: &Crate) -> String {
    // A version may end in `+` and build metadata, which cargo ignores, and `+` means a space in
    // some URLs.
    format!("pkg:cargo/{}@{}", package.name, package.version.replace('+', "%2B"))
}

/// Fails unless the bill's crates are exactly those that a build compiled.
pub(crate) fn compare_with_build(compiled: &BTreeSet<Crate>, target: &str) -> Result<()> {
    let listed: BTreeSet<_> = CommandCrates::on(target)?.dependencies.into_keys().collect();
    let different: Vec<_> = listed.symmetric_difference(compiled).map(Crate::to_string).collect();
    ensure!(different.is_empty(), "`cargo xtask sbom` and the build differ in {different:?}");
    println!("   the bill of materials lists the {} crates that were compiled", listed.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_has_scopes_licences_and_checksums() {
        let target = toolchain::of_compiler("host").unwrap();
        let bill = bill(&CommandCrates::on(&target).unwrap(), &target).unwrap();
        let components = bill["components"].as_array().unwrap();
        for (name, scope) in [("chacha20poly1305", "required"), ("sealane-age", "required"), ("syn", "excluded")] {
            let mut found = components.iter().filter(|component| component["name"] == name);
            assert!(found.any(|component| component["scope"] == scope), "{name}");
        }
        assert_eq!(bill["metadata"]["component"]["name"], PACKAGE);
        for component in components {
            // Only crates of others have a checksum.
            let is_ours = component["name"].as_str().unwrap().starts_with("sealane");
            assert_eq!(component["hashes"][0]["content"].as_str().is_none(), is_ours, "{component}");
            assert!(component["licenses"][0]["expression"].is_string(), "{component}");
        }
        assert_eq!(bill["dependencies"].as_array().unwrap().len(), components.len() + 1);
    }
}

//! The crates that the `sealane` command is built from, as cargo resolves them for the command
//! alone. `cargo metadata` would add features that tests and other members of the workspace enable.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{MetadataCommand, Package};

use crate::process;

/// The command's package.
pub(crate) const PACKAGE: &str = "sealane-cli";

/// A package of the lock file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
}

impl Crate {
    /// Parses cargo's package id: `registry+…#name@version`, or `path+file:///…/name#version`.
    pub(crate) fn of_id(id: &str) -> Option<Self> {
        let (source, name) = id.rsplit_once('#')?;
        let (name, version) = name.split_once('@').or_else(|| Some((source.rsplit('/').next()?, name)))?;
        Some(Self { name: name.to_owned(), version: version.to_owned() })
    }
}

impl From<&Package> for Crate {
    fn from(package: &Package) -> Self {
        Self { name: package.name.to_string(), version: package.version.to_string() }
    }
}

impl fmt::Display for Crate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The command's crates on one target.
pub(crate) struct CommandCrates {
    /// Each crate with its dependencies, for the program and for its build.
    pub(crate) dependencies: BTreeMap<Crate, BTreeSet<Crate>>,
    /// The crates in the program. The others are procedural macros, or serve procedural macros or a
    /// build script.
    pub(crate) in_program: BTreeSet<Crate>,
}

impl CommandCrates {
    pub(crate) fn on(target: &str) -> Result<Self> {
        Ok(Self {
            dependencies: edges(&tree(PACKAGE, target, "normal,build")?)?,
            in_program: edges(&tree(PACKAGE, target, "normal,no-proc-macro")?)?.into_keys().collect(),
        })
    }
}

/// Returns the tree of a package's dependencies on a target, for [`edges`].
pub(crate) fn tree(package: &str, target: &str, edges: &str) -> Result<String> {
    let arguments = ["tree", "--locked", "--package", package, "--target", target, "--edges", edges];
    process::output(process::cargo().args(arguments).args(["--prefix", "depth", "--format", " {p}"]))
}

/// Parses lines like `2 subtle v2.6.1 (*)`: the depth, the package, and a part that is ignored.
/// `cargo tree` prints the dependencies of a crate only where the crate occurs first.
pub(crate) fn edges(tree: &str) -> Result<BTreeMap<Crate, BTreeSet<Crate>>> {
    let mut found = BTreeMap::<Crate, BTreeSet<Crate>>::new();
    let mut path = Vec::<Crate>::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let (Some(depth), Some(name), Some(version)) = (words.next(), words.next(), words.next()) else {
            bail!("`cargo tree` printed: {line}");
        };
        let depth: usize = depth.parse().with_context(|| format!("`cargo tree` printed: {line}"))?;
        let version = version.strip_prefix('v').with_context(|| format!("no version in: {line}"))?;
        let package = Crate { name: name.to_owned(), version: version.to_owned() };
        ensure!(depth <= path.len(), "`cargo tree` left out a level before: {line}");
        path.truncate(depth);
        if let Some(parent) = path.last() {
            found.entry(parent.clone()).or_default().insert(package.clone());
        }
        found.entry(package.clone()).or_default();
        path.push(package);
    }
    ensure!(!found.is_empty(), "`cargo tree` printed no crate");
    Ok(found)
}

/// Returns the packages of `cargo metadata` for a manifest. The manifest's path is relative to the
/// workspace's root.
pub(crate) fn metadata(manifest: &Path, options: &[&str]) -> Result<Vec<Package>> {
    let options = ["--locked"].iter().chain(options).map(|&option| option.to_owned());
    let mut command = MetadataCommand::new();
    command.manifest_path(process::workspace_root().join(manifest)).other_options(options.collect::<Vec<_>>());
    Ok(command.exec().with_context(|| format!("cargo metadata of {}", manifest.display()))?.packages)
}

/// Returns the manifests of this repository's workspaces: the main one, and the separate ones.
pub(crate) fn workspaces() -> Result<Vec<PathBuf>> {
    let mut locks = process::tracked_files()?;
    locks.retain(|file| file.ends_with("Cargo.lock"));
    Ok(locks.into_iter().map(|lock| lock.with_extension("toml")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_package_ids() {
        let show = |id: &str| Crate::of_id(id).map(|package| package.to_string());
        assert_eq!(show("registry+https://example.org/index#age@0.12.1").unwrap(), "age 0.12.1");
        assert_eq!(show("path+file:///w/crates/sealane#0.1.0").unwrap(), "sealane 0.1.0");
        assert_eq!(show("path+file:///w/crates/cli#sealane-cli@0.1.0").unwrap(), "sealane-cli 0.1.0");
        assert_eq!(show("nothing"), None);
    }

    #[test]
    fn reads_a_tree() {
        let tree = "0 a v1.0.0 (/w/a)\n1 b v0.2.0\n2 c v3.0.0 (proc-macro)\n1 c v3.0.0 (proc-macro) (*)\n1 b v1.0.0\n";
        let all = |crates: &BTreeSet<Crate>| crates.iter().map(Crate::to_string).collect::<Vec<_>>().join(", ");
        let found: Vec<_> =
            edges(tree).unwrap().iter().map(|(one, its_own)| format!("{one}: {}", all(its_own))).collect();
        assert_eq!(found, ["a 1.0.0: b 0.2.0, b 1.0.0, c 3.0.0", "b 0.2.0: c 3.0.0", "b 1.0.0: ", "c 3.0.0: "]);
        assert!(edges("").is_err());
        assert!(edges("0 a v1.0.0\n2 b v1.0.0\n").is_err());
    }
}

//! Checks that the copy of the CCTV vectors is the version in its README, and that the installed
//! `age` requires no newer version.
//!
//! Needs Go: `go` in PATH or in GO.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Tool, run};

const MODULE: &str = "c2sp.org/CCTV/age";

/// Returns the JSON that Go prints about a module.
fn module(name: &str, version: &str) -> serde_json::Value {
    let go = std::env::var_os("GO").unwrap_or_else(|| "go".into());
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(go);
    command.args(["mod", "download", "-json", &format!("{name}@{version}")]).current_dir(folder.path());
    serde_json::from_slice(&run(&mut command)).unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let named = entries.map(|entry| entry.unwrap());
    named.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn the_copy_of_the_vectors_is_whole_and_not_stale() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/age");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let version = readme.split('`').find(|word| word.starts_with("v0.0.0-")).expect("the README names the version");
    let copy = files(&folder.join("testdata"));
    assert!(readme.contains(&format!("all {} vectors", copy.len())), "{} vectors", copy.len());
    let original = module(MODULE, version);
    let original = files(&Path::new(original["Dir"].as_str().unwrap()).join("testdata"));
    assert!(copy == original, "vectors/age/testdata is not that of {version}");

    // The versions of the module contain times.
    let age = String::from_utf8(run(Command::new(Tool::Age.program()).arg("--version"))).unwrap();
    let manifest = module("filippo.io/age", age.trim());
    let manifest = fs::read_to_string(manifest["GoMod"].as_str().unwrap()).unwrap();
    let required =
        manifest.lines().find_map(|line| line.trim().strip_prefix(MODULE)).expect("age requires the vectors");
    let required = required.split_whitespace().next().unwrap();
    assert!(required <= version, "age {} is tested with {required}, which is newer than {version}", age.trim());
}

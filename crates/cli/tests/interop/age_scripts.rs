//! The scripts that test age's own programs, from age's Go module, with this command under the
//! names of those programs. They are not stored here: Go fetches the module.
//!
//! `go` is in PATH or in GO.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::{SEALANE, find};

const PLUGIN: &str = include_str!("../cli/plugin.sh");

#[test]
fn the_scripts_of_age_pass() {
    let bin = tempfile::tempdir().unwrap();
    let plugin = bin.path().join("age-plugin-test");
    fs::write(&plugin, PLUGIN).unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin.path().to_owned()].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let go = find("GO", "go", "install Go 1.25 or later: https://go.dev/dl");
    let out = Command::new(go)
        .args(["test", "-count=1", "./..."])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/age-scripts"))
        .env("PATH", path)
        .env("SEALANE", SEALANE)
        .env_remove("AGE_PASSPHRASE")
        .output()
        .unwrap();
    assert!(out.status.success(), "{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
}

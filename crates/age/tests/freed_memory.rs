//! Memory that a conversation with a plugin has freed holds no file key, not even one that was
//! refused.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use sealane_age::plugin::{Client, Failure, Identity, NoCallbacks};
use sealane_simd::{Freed, FreedBlocks};

#[global_allocator]
static ALLOCATOR: Freed = Freed;

/// A body that is as long as memory must be to be looked at.
const LINES: usize = Freed::MIN_BYTES / 48 + 1;

/// Returns the blocks that are freed while a plugin sends `output`, and the failure, if there is
/// one.
fn freed(output: &str) -> (FreedBlocks, Option<Failure>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("plugin");
    fs::write(&path, format!("#!/bin/sh\ncat <<'end'\n{output}end\nexec cat >/dev/null\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
    // This plugin gets the whole environment. For others, std frees a list of its variables.
    let name = "batchpass";
    let identity = Identity::without_data(name).unwrap();
    let plugin = Client::at(&path, name, NoCallbacks).with_identities([identity]);
    let mut error = None;
    let blocks = Freed::count(|| error = plugin.unwrap(&[]).err());
    (blocks, error.map(|error| error.failure))
}

/// The only test of this program: a child of another one could hold a new plugin open.
#[test]
fn bodies_of_a_plugin() {
    let lines = format!("{}\n", "QUJD".repeat(16)).repeat(LINES);
    let file_key = format!("-> file-key 0\n{lines}QUJD\n");
    for (what, output) in [
        ("a file key of the wrong length", format!("{file_key}-> done\n\n")),
        ("a second file key", format!("{file_key}{file_key}-> done\n\n")),
        ("a file key for another file", format!("-> file-key 1\n{lines}QUJD\n-> done\n\n")),
        ("a line that is no Base64", format!("-> file-key 0\n{lines}!\n")),
        ("a line that is too long", format!("-> file-key 0\n{lines}{}\n", "QUJD".repeat(17))),
        ("a body without an end", format!("-> file-key 0\n{lines}")),
    ] {
        let (blocks, failure) = freed(&output);
        assert_eq!(blocks.not_wiped, 0, "{what}: {blocks:?}, {failure:?}");
        assert!(blocks.all > 1, "{what}: the body was not freed: {blocks:?}, {failure:?}");
    }
}

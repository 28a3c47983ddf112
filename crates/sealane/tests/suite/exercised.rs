//! Prints the backends that a run of the tests exercises. For each primitive, prints its backends
//! and all backends that were compiled for this architecture. The tasks of `cargo xtask` that run
//! tests in emulators check this output.
//!
//! The lines bypass the capture of the tests' output, because passing tests must print them too.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::panic::Location;
use std::sync::Mutex;

use sealane::{BackendOf, Family};

/// The primitives, named by the start of their files' names. Tests in other files concern all
/// primitives, or none.
const PRIMITIVES: [&str; 9] =
    ["aead", "batch", "chacha20", "gf2n", "gf8", "haraka", "poly1305", "shamir_bytes", "shamir_element"];

/// Prints, once for each primitive, that the test at `location` uses these backends.
pub(crate) fn report<F: Family>(location: &Location, backends: &[BackendOf<F>]) {
    static REPORTED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let Some(primitive) = primitive(location.file()) else { return };
    let mut reported = REPORTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if reported.insert(primitive) {
        let names: Vec<_> = backends.iter().map(|backend| backend.name()).collect();
        let line = format!("exercised: {primitive} on {} of {}\n", names.join(", "), F::NAMES.join(", "));
        std::io::stderr().write_all(line.as_bytes()).expect("standard error can be written to");
    }
}

/// Returns the primitive that a file of tests is about.
fn primitive(file: &str) -> Option<&'static str> {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    PRIMITIVES.into_iter().find(|primitive| name.starts_with(primitive))
}

#[test]
fn a_primitive_is_known_by_its_file() {
    assert_eq!(primitive("crates/sealane/tests/suite/haraka_sponge.rs"), Some("haraka"));
    assert_eq!(primitive("tests\\suite\\shamir_element.rs"), Some("shamir_element"));
    assert_eq!(primitive("shamir_bytes.rs"), Some("shamir_bytes"));
    assert_eq!(primitive("tests/haraka/vectors.rs"), None);
}

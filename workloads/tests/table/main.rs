//! Tests the rows of the table, and the results of their benchmarks.
#![forbid(unsafe_code)]

mod references;

use std::collections::BTreeSet;

use sealane_workloads::{TESTS_OF_EVERY_RUN, Units, WORKLOADS};

/// Modules of the library's tests that no primitive owns: the choice of backends, their known
/// answers, helpers of the tests, the fields to try, the lines that say what was tested, and the
/// `Debug` output and the wiping of all types.
const OF_NO_PRIMITIVE: [&str; 7] = ["backend", "common", "exercised", "fields", "redaction", "self_test", "wiped"];

#[test]
fn a_row_names_each_module_of_the_tests() {
    let main = include_str!("../../../crates/sealane/tests/suite/main.rs");
    let modules: Vec<_> = main.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
    assert!(modules.len() > 20, "{modules:?}");
    let is_named = |module: &str| {
        // A test's name begins with its module.
        WORKLOADS.iter().any(|row| row.tests.iter().any(|part| format!("{module}::").contains(part)))
    };
    for module in &modules {
        let is_listed = OF_NO_PRIMITIVE.contains(module);
        assert!(is_named(module) != is_listed, "{module}: name it in a row of the table, or in this list");
    }
    assert!(OF_NO_PRIMITIVE.iter().all(|listed| modules.contains(listed)));
    for tests in TESTS_OF_EVERY_RUN {
        assert!(OF_NO_PRIMITIVE.iter().any(|listed| format!("{listed}::") == tests), "{tests}");
    }
    assert!(!is_named("another"));
}

#[test]
fn every_operation_runs_on_portable_code() {
    for operation in WORKLOADS.iter().flat_map(|workload| workload.operations) {
        for &size in operation.sizes.iter().chain(operation.counted).chain(operation.timed) {
            let mut secrets = 0;
            let mut fill = |bytes: &mut [u8]| {
                bytes.fill(0x42);
                secrets += bytes.len();
            };
            let mut run = (operation.prepare)("scalar", size, &mut fill).unwrap();
            assert!(secrets > 0 || size == 0, "{} has no secret", operation.name);
            run();
            run();
        }
    }
}

#[test]
fn names_are_unique_and_an_operation_follows_what_it_subtracts() {
    let mut names = BTreeSet::new();
    for workload in WORKLOADS {
        assert!(names.insert(workload.name), "{}", workload.name);
        assert!(workload.tests.iter().any(|part| workload.quick_test.contains(part)), "{}", workload.name);
        let mut before = None;
        for operation in workload.operations {
            if operation.after.is_some() {
                assert_eq!(operation.after, before, "{}", operation.name);
            }
            before = Some(operation.name);
        }
    }
    let operations = WORKLOADS.iter().flat_map(|workload| workload.operations);
    let names: Vec<_> = operations.map(|operation| operation.name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

#[test]
fn units_are_counted() {
    assert_eq!([Units::Each.of(3), Units::Each.of(0)], [Some(3), None]);
    assert_eq!([Units::EachOfMultiple(3).of(6), Units::EachOfMultiple(3).of(4)], [Some(6), None]);
    assert_eq!([Units::Groups(8).of(16), Units::Groups(8).of(9)], [Some(2), None]);
    assert_eq!([Units::Exactly(4).of(4), Units::Exactly(4).of(8)], [Some(1), None]);
    assert_eq!([Units::One.of(7), Units::One.of(0)], [Some(1), None]);
}

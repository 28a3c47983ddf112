//! The table of promises in SECURITY.md names tests that exist.

use std::path::Path;

#[test]
fn every_promise_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let (_, section) = text.split_once("## Each promise, and what holds it\n").expect("the section");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise"));
    let mut count = 0;
    for row in rows {
        let (_, held_by) = row.trim_end_matches(" |").rsplit_once(" | ").expect("two columns");
        let names: Vec<_> = held_by.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "nothing holds this promise: {row}");
        for name in names {
            if name.starts_with("cargo xtask ") {
                continue;
            }
            let (file, test) = name.split_once("::").unwrap_or_else(|| panic!("`{name}` names no test"));
            let source = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            let lines: Vec<_> = source.lines().map(|line| line.trim_start().trim_start_matches("async ")).collect();
            let function = lines.iter().position(|line| line.starts_with(&format!("fn {test}(")));
            let function = function.unwrap_or_else(|| panic!("{file} has no function `{test}`"));
            let mut attributes = lines[..function].iter().rev().take_while(|line| line.starts_with("#["));
            assert!(
                attributes.any(|line| matches!(*line, "#[test]" | "#[tokio::test]")),
                "{file}: `{test}` is not a test"
            );
        }
        count += 1;
    }
    assert!(count > 50, "only {count} promises were read");
}

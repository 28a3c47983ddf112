//! The table of promises in SECURITY.md names tests that exist, and says what runs them. `.ci/run`
//! runs them, on every target.

use std::path::{Path, PathBuf};

/// The folders of tests that `cargo test --workspace` does not run, and the command that does.
const RUN_BY_OTHERS: [(&str, &str); 4] = [
    ("crates/objects", "crates/objects/test"),
    ("crates/cli/tests/interop", "xtask/interop"),
    ("bindings/openssl", "bindings/openssl/test"),
    ("bindings/rustls", "bindings/rustls/test"),
];

#[test]
fn every_promise_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = std::fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let (_, section) = text.split_once("## Each promise, and what holds it\n").expect("the section");
    let section = section.split("\n## ").next().unwrap();
    let words = section.split_whitespace().collect::<Vec<_>>().join(" ");
    let ci = std::fs::read_to_string(root.join(".ci/run")).unwrap();
    for (folder, command) in RUN_BY_OTHERS {
        assert!(words.contains(&format!("in `{folder}`, which `{command}` runs")), "{folder} is not explained");
        assert!(root.join(command).is_file(), "{command} does not exist");
        assert!(steps(&ci).any(|words| words.contains(&command)), ".ci/run does not run {command}");
        assert!(!is_run_by_cargo_test(root, Path::new(folder)), "{folder}");
    }
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| promise"));
    let mut count = 0;
    for row in rows {
        let (_, held_by) = row.trim_end_matches(" |").rsplit_once(" | ").expect("two columns");
        let names: Vec<_> = held_by.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "nothing holds this promise: {row}");
        for name in names {
            if let Some(chore) = name.strip_prefix("cargo xtask ") {
                assert!(is_run_by_ci(&ci, chore), ".ci/run does not run `{name}`");
                continue;
            }
            let (file, test) = name.split_once("::").unwrap_or_else(|| panic!("`{name}` names no test"));
            let run_by_others = RUN_BY_OTHERS.iter().any(|(folder, _)| Path::new(file).starts_with(folder));
            assert!(run_by_others || is_run_by_cargo_test(root, Path::new(file)), "nothing runs {file}");
            let source = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            let lines: Vec<_> = source.lines().map(|line| line.trim_start().trim_start_matches("async ")).collect();
            if file.ends_with(".c") {
                assert!(is_called_in_c(&lines, test), "{file} has no function `{test}` that it calls");
                continue;
            }
            let function = lines.iter().position(|line| line.starts_with(&format!("fn {test}(")));
            let function = function.unwrap_or_else(|| panic!("{file} has no function `{test}`"));
            let attributes = || lines[..function].iter().rev().take_while(|line| line.starts_with("#["));
            assert!(
                attributes().any(|line| matches!(*line, "#[test]" | "#[tokio::test]")),
                "{file}: `{test}` is not a test"
            );
            let is_ignored = attributes().any(|line| line.starts_with("#[ignore"));
            assert!(run_by_others || !is_ignored, "{file}: `{test}` is ignored");
        }
        count += 1;
    }
    assert!(count > 50, "only {count} promises were read");
}

#[test]
fn ci_tests_every_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let list: toml::Table = std::fs::read_to_string(root.join("xtask/backends.toml")).unwrap().parse().unwrap();
    let ci = std::fs::read_to_string(root.join(".ci/run")).unwrap();
    for target in list["target"].as_array().expect("a list of targets") {
        let triple = target["triple"].as_str().expect("a triple");
        let is_tested = steps(&ci).any(|words| words.contains(&"cross") && words.contains(&triple));
        assert!(is_tested, ".ci/run does not test {triple}");
    }
}

/// Returns the words of each line of the script `.ci/run` that is no comment.
fn steps(script: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = script.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.map(|line| line.split([' ', ':', '\'', '"']).filter(|word| !word.is_empty()).collect())
}

/// Returns whether the script `.ci/run` runs a chore.
fn is_run_by_ci(script: &str, chore: &str) -> bool {
    steps(script).any(|words| words.windows(2).any(|pair| pair[0].ends_with("xtask") && pair[1] == chore))
}

/// Returns whether a program in C defines a function and calls it.
fn is_called_in_c(lines: &[&str], function: &str) -> bool {
    let starts = |text: String| lines.iter().any(|line| line.starts_with(&text));
    starts(format!("static void {function}(")) && starts(format!("{function}("))
}

/// Returns whether `cargo test --workspace` runs the tests in this file or folder: its crate
/// belongs to the workspace, and the manifest does not turn its tests off.
fn is_run_by_cargo_test(root: &Path, place: &Path) -> bool {
    let folder = place.ancestors().find(|folder| root.join(folder).join("Cargo.toml").is_file()).expect("a crate");
    let manifest = |folder: &Path| -> toml::Table {
        std::fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap().parse().unwrap()
    };
    let workspace = manifest(Path::new(""));
    let excluded = workspace["workspace"]["exclude"].as_array().unwrap().iter().map(|path| path.as_str().unwrap());
    if excluded.into_iter().any(|excluded| place.starts_with(excluded)) {
        return false;
    }
    let manifest = manifest(folder);
    let targets = manifest.get("test").and_then(toml::Value::as_array).into_iter().flatten();
    let mut turned_off = targets.filter(|target| target.get("test").and_then(toml::Value::as_bool) == Some(false));
    !turned_off.any(|target| {
        let tests = folder.join("tests").join(target["name"].as_str().expect("a name"));
        place.starts_with(&tests) || place == PathBuf::from(format!("{}.rs", tests.display()))
    })
}

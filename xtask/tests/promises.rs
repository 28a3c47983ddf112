//! The table of promises in SECURITY.md names tests that exist, and says what runs them. The tables
//! of attacks in the documentation name tests that exist too. `.ci/run` runs them, on every target.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of tests that `cargo test --workspace` does not run, and the command that does.
const RUN_BY_OTHERS: [(&str, &str); 4] = [
    ("crates/objects", "crates/objects/test"),
    ("crates/cli/tests/interop", "xtask/interop"),
    ("bindings/openssl", "bindings/openssl/test"),
    ("bindings/rustls", "bindings/rustls/test"),
];

/// The same for tests in other languages, which only the tables of attacks name.
const RUN_BY_BINDINGS: [(&str, &str); 2] =
    [("bindings/java", "bindings/java/test"), ("bindings/python", "bindings/python/test")];

/// The row of SECURITY.md that says which command runs the tests of a folder.
fn others_row(folder: &str, command: &str) -> String {
    format!("\n| `{folder}` | `{command}` |\n")
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let text = fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let (_, section) = text.split_once("## Each promise, and what checks it\n").expect("the section");
    let section = section.split("\n## ").next().unwrap();
    let ci = fs::read_to_string(root.join(".ci/run")).unwrap();
    for (folder, command) in RUN_BY_OTHERS {
        assert!(section.contains(&others_row(folder, command)), "{folder} is not explained");
        assert!(root.join(command).is_file(), "{command} does not exist");
        assert!(steps(&ci).any(|words| words.contains(&command)), ".ci/run does not run {command}");
        assert!(!is_run_by_cargo_test(root, Path::new(folder)), "{folder}");
    }
    let is_promise = |line: &&str| {
        let is_other = RUN_BY_OTHERS.iter().any(|(folder, command)| *line == others_row(folder, command).trim());
        line.starts_with("| ") && !line.starts_with("| promise") && !line.starts_with("| tests in") && !is_other
    };
    let rows = section.lines().filter(is_promise);
    let mut count = 0;
    for row in rows {
        let (_, checked_by) = row.trim_end_matches(" |").rsplit_once(" | ").expect("two columns");
        let names: Vec<_> = checked_by.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "nothing checks this promise: {row}");
        for name in names {
            if let Some(chore) = name.strip_prefix("cargo xtask ") {
                assert!(is_run_by_ci(&ci, chore), ".ci/run does not run `{name}`");
                continue;
            }
            let (file, test) = name.split_once("::").unwrap_or_else(|| panic!("`{name}` names no test"));
            let run_by_others = RUN_BY_OTHERS.iter().any(|(folder, _)| Path::new(file).starts_with(folder));
            assert!(run_by_others || is_run_by_cargo_test(root, Path::new(file)), "nothing runs {file}");
            let source = fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            let lines: Vec<_> = source.lines().map(|line| line.trim_start().trim_start_matches("async ")).collect();
            if file.ends_with(".c") {
                assert!(is_called_in_c(&lines, test), "{file} has no function `{test}` that it calls");
                continue;
            }
            let ignored = rust_test(&lines, test).unwrap_or_else(|| panic!("{file} has no test `{test}`"));
            assert!(run_by_others || !ignored, "{file}: `{test}` is ignored");
        }
        count += 1;
    }
    assert!(count > 50, "only {count} promises were read");
}

/// A page names the folders of its tests before the table: "The tests are in `FOLDER`."
#[test]
fn every_attack_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let ci = fs::read_to_string(root.join(".ci/run")).unwrap();
    let others = || RUN_BY_OTHERS.iter().chain(&RUN_BY_BINDINGS);
    for (folder, command) in others() {
        assert!(steps(&ci).any(|words| words.contains(command)), ".ci/run does not run {command} for {folder}");
    }
    let (mut pages, mut count) = (0, 0);
    for entry in fs::read_dir(root.join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let (page, text) = (path.file_name().unwrap().display(), fs::read_to_string(&path).unwrap());
        let tables = tables_of_tests(&text);
        pages += usize::from(!tables.is_empty());
        for (before, names) in tables {
            let folders = folders_of_tests(before);
            assert!(!folders.is_empty(), "docs/{page} does not say in which folders the tests are");
            let files: Vec<_> = folders.iter().flat_map(|folder| sources(root, folder)).collect();
            for name in names {
                let found: Vec<_> = files.iter().filter(|(file, source)| has_test(file, source, name)).collect();
                let [(file, _)] = found[..] else {
                    panic!("docs/{page}: {} of {folders:?} have a test `{name}`", found.len());
                };
                let run_by_others = others().any(|(folder, _)| file.starts_with(folder));
                assert!(run_by_others || is_run_by_cargo_test(root, file), "nothing runs {}", file.display());
                count += 1;
            }
        }
    }
    assert!(pages >= 7 && count > 130, "only {count} tests on {pages} pages were read");
}

#[test]
fn ci_tests_every_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let list: toml::Table = fs::read_to_string(root.join("xtask/backends.toml")).unwrap().parse().unwrap();
    let ci = fs::read_to_string(root.join(".ci/run")).unwrap();
    for target in list["target"].as_array().expect("a list of targets") {
        let triple = target["triple"].as_str().expect("a triple");
        let is_tested = steps(&ci).any(|words| words.contains(&"cross") && words.contains(&triple));
        assert!(is_tested, ".ci/run does not test {triple}");
    }
}

/// Returns the text before each table whose last column has names of tests, and the names.
fn tables_of_tests(page: &str) -> Vec<(&str, Vec<&str>)> {
    let mut tables = Vec::new();
    let mut start = 0;
    let mut lines = page.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        start += line.len();
        if !line.trim_end().ends_with(" | test |") {
            continue;
        }
        let (before, mut names) = (&page[..start], Vec::new());
        while let Some(row) = lines.next_if(|line| line.starts_with('|')) {
            start += row.len();
            let cell = row.trim_end().trim_end_matches('|').rsplit_once(" | ").map_or("", |(_, cell)| cell);
            names.extend(cell.split('`').skip(1).step_by(2));
        }
        assert!(!names.is_empty(), "a table of attacks without tests: {line}");
        tables.push((before, names));
    }
    tables
}

/// Returns the folders in the last sentence that begins with "The tests are in".
fn folders_of_tests(before: &str) -> Vec<&str> {
    let (_, sentence) = before.rsplit_once("The tests are in ").unwrap_or_default();
    let sentence = sentence.split(". ").next().unwrap_or_default().split("\n\n").next().unwrap_or_default();
    sentence.split('`').skip(1).step_by(2).collect()
}

/// Returns the programs in a folder, and in the folders below it.
fn sources(root: &Path, folder: &str) -> Vec<(PathBuf, String)> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["ls-files", "--cached", "--others", "--exclude-standard"]);
    let listed = git.args(["rs", "py", "java"].map(|ending| format!("{folder}/*.{ending}"))).output().expect("git");
    let files = String::from_utf8(listed.stdout).unwrap();
    let read = |file| fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    files.lines().map(|file| (file.into(), read(file))).collect()
}

/// Returns whether a program has a test of this name that is not ignored.
fn has_test(file: &Path, source: &str, name: &str) -> bool {
    let lines: Vec<_> = source.lines().map(|line| line.trim_start().trim_start_matches("async ")).collect();
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => rust_test(&lines, name) == Some(false),
        Some("py") => name.starts_with("test_") && lines.iter().any(|line| line.starts_with(&format!("def {name}("))),
        _ => lines.windows(2).any(|pair| pair[0] == "@Test" && pair[1].starts_with(&format!("void {name}("))),
    }
}

/// Returns whether the test of this name in Rust is ignored, if there is one.
fn rust_test(lines: &[&str], name: &str) -> Option<bool> {
    let function = lines.iter().position(|line| line.starts_with(&format!("fn {name}(")))?;
    let attributes = || lines[..function].iter().rev().take_while(|line| line.starts_with("#["));
    attributes()
        .any(|line| matches!(*line, "#[test]" | "#[tokio::test]"))
        .then(|| attributes().any(|line| line.starts_with("#[ignore")))
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
        fs::read_to_string(root.join(folder).join("Cargo.toml")).unwrap().parse().unwrap()
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

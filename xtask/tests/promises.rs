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

/// A table of promises names files and tests, or chores. Before a table of attacks, which names
/// only tests, the page says where they are: "The tests are in `FOLDER`."
#[test]
fn every_promise_and_every_attack_names_a_test_that_exists() {
    let repository = Repository::read();
    let is_page = |file: &&String| *file == "SECURITY.md" || file.starts_with("docs/") && file.ends_with(".md");
    let (mut with_tables, mut count) = (0, 0);
    for page in repository.files.iter().filter(is_page) {
        let text = repository.file(page);
        let tables = tables(&text);
        let tables: Vec<_> =
            tables.iter().filter(|table| table.head.ends_with("| test |") || table.is_of_promises()).collect();
        with_tables += usize::from(!tables.is_empty());
        for table in tables {
            let (_, folders) = table.before.rsplit_once("The tests are in ").unwrap_or_default();
            let folders = quoted(folders.split(". ").next().unwrap().split("\n\n").next().unwrap());
            let names: Vec<_> = table.rows.iter().map(|row| names(row)).collect();
            for (row, names) in table.rows.iter().zip(&names) {
                assert!(!names.is_empty() || !table.is_of_promises(), "{page}: nothing checks this promise: {row}");
            }
            let names: Vec<_> = names.into_iter().flatten().collect();
            assert!(!names.is_empty(), "{page}: a table of attacks without tests: {}", table.head);
            for name in &names {
                match (name.strip_prefix("cargo xtask "), name.split_once("::")) {
                    (Some(chore), _) => assert!(repository.ci_runs(chore), "{page}: .ci/run does not run `{name}`"),
                    (None, Some((file, test))) => repository.check(page, &[file], test),
                    (None, None) => repository.check(page, &folders, name),
                }
            }
            count += names.len();
        }
    }
    assert!(with_tables >= 8 && count > 340, "only {count} names on {with_tables} pages were read");
}

#[test]
fn ci_runs_the_tests_of_every_target_and_folder() {
    let repository = Repository::read();
    let list: toml::Table = repository.file("xtask/backends.toml").parse().unwrap();
    for target in list["target"].as_array().expect("a list of targets") {
        let triple = target["triple"].as_str().expect("a triple");
        let is_tested = repository.steps().any(|words| words.contains(&"cross") && words.contains(&triple));
        assert!(is_tested, ".ci/run does not test {triple}");
    }
    let security = repository.file("SECURITY.md");
    for (folder, command) in RUN_BY_OTHERS {
        assert!(security.contains(&format!("\n| `{folder}` | `{command}` |\n")), "{folder} is not explained");
        assert!(!repository.is_run_by_cargo_test(Path::new(folder)), "{folder}");
    }
    for (folder, command) in RUN_BY_OTHERS.iter().chain(&RUN_BY_BINDINGS) {
        let is_run = repository.steps().any(|words| words.contains(command));
        assert!(is_run, ".ci/run does not run {command} for {folder}");
    }
}

/// A table of a page: its first line, the text before its rows, and the rows.
struct Table<'a> {
    head: &'a str,
    before: &'a str,
    rows: Vec<&'a str>,
}

impl Table<'_> {
    fn is_of_promises(&self) -> bool {
        self.head.ends_with("| checked by |")
    }
}

fn tables(page: &str) -> Vec<Table<'_>> {
    let (mut tables, mut start) = (Vec::new(), 0);
    let mut lines = page.split_inclusive('\n').peekable();
    while let Some(head) = lines.next() {
        start += head.len();
        if head.starts_with("| ") {
            let before = &page[..start];
            let rows: Vec<_> = std::iter::from_fn(|| lines.next_if(|line| line.starts_with('|'))).collect();
            start += rows.iter().map(|row| row.len()).sum::<usize>();
            tables.push(Table { head: head.trim_end(), before, rows: rows.into_iter().skip(1).collect() });
        }
    }
    tables
}

/// Returns the names in the last column of a row.
fn names(row: &str) -> Vec<&str> {
    quoted(row.trim_end().trim_end_matches('|').rsplit_once(" | ").map_or("", |(_, cell)| cell))
}

/// Returns what stands in backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The files of the repository, and the script `.ci/run`.
struct Repository {
    root: PathBuf,
    files: Vec<String>,
    ci: String,
}

impl Repository {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
        let mut git = Command::new("git");
        git.current_dir(&root).args(["ls-files", "--cached", "--others", "--exclude-standard"]);
        let files = String::from_utf8(git.output().expect("git").stdout).unwrap().lines().map(str::to_owned).collect();
        let ci = fs::read_to_string(root.join(".ci/run")).unwrap();
        Self { root, files, ci }
    }

    fn file(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Fails unless exactly one program in these files and folders has the test, and something runs
    /// it.
    fn check(&self, page: &str, places: &[&str], test: &str) {
        let is_there = |file: &&String| places.iter().any(|place| Path::new(file).starts_with(place));
        let is_program = |file: &&String| [".rs", ".py", ".java", ".c"].iter().any(|ending| file.ends_with(ending));
        let programs = self.files.iter().filter(is_there).filter(is_program);
        let found: Vec<_> = programs.filter_map(|file| Some((file, test_in(file, &self.file(file), test)?))).collect();
        let [(file, ignored)] = found[..] else {
            panic!("{page}: {} of {places:?} have a test `{test}`", found.len());
        };
        let mut others = RUN_BY_OTHERS.iter().chain(&RUN_BY_BINDINGS);
        let run_by_others = others.any(|(folder, _)| Path::new(file).starts_with(folder));
        assert!(run_by_others || self.is_run_by_cargo_test(Path::new(file)), "{page}: nothing runs {file}");
        assert!(run_by_others || !ignored, "{page}: `{test}` in {file} is ignored");
    }

    /// Returns the words of each line of the script `.ci/run` that is no comment.
    fn steps(&self) -> impl Iterator<Item = Vec<&str>> {
        let lines = self.ci.lines().filter(|line| !line.trim_start().starts_with('#'));
        lines.map(|line| line.split([' ', ':', '\'', '"']).filter(|word| !word.is_empty()).collect())
    }

    /// Returns whether the script `.ci/run` runs a chore.
    fn ci_runs(&self, chore: &str) -> bool {
        self.steps().any(|words| words.windows(2).any(|pair| pair[0].ends_with("xtask") && pair[1] == chore))
    }

    fn manifest(&self, folder: &Path) -> toml::Table {
        self.file(folder.join("Cargo.toml").to_str().expect("UTF-8")).parse().unwrap()
    }

    /// Returns whether `cargo test --workspace` runs the tests in this file or folder: its crate
    /// belongs to the workspace, and the manifest does not turn its tests off.
    fn is_run_by_cargo_test(&self, place: &Path) -> bool {
        let is_crate = |folder: &&Path| self.root.join(folder).join("Cargo.toml").is_file();
        let folder = place.ancestors().find(is_crate).expect("a crate");
        let workspace = self.manifest(Path::new(""));
        let excluded = workspace["workspace"]["exclude"].as_array().unwrap();
        if excluded.iter().any(|excluded| place.starts_with(excluded.as_str().unwrap())) {
            return false;
        }
        let manifest = self.manifest(folder);
        let targets = manifest.get("test").and_then(toml::Value::as_array).into_iter().flatten();
        let mut turned_off = targets.filter(|target| target.get("test").and_then(toml::Value::as_bool) == Some(false));
        !turned_off.any(|target| {
            let tests = folder.join("tests").join(target["name"].as_str().expect("a name"));
            place.starts_with(&tests) || place == tests.with_extension("rs")
        })
    }
}

/// Returns whether the test of this name in a program is ignored, if there is one. A program in C
/// defines a function for a test, and calls it.
fn test_in(file: &str, source: &str, name: &str) -> Option<bool> {
    let lines: Vec<_> = source.lines().map(|line| line.trim_start().trim_start_matches("async ")).collect();
    let begins = |start: &str| lines.iter().position(|line| line.starts_with(&format!("{start}{name}(")));
    match file.rsplit_once('.')?.1 {
        "rs" => {
            let attributes =
                || lines[..begins("fn ").unwrap_or(0)].iter().rev().take_while(|line| line.starts_with("#["));
            attributes()
                .any(|line| matches!(*line, "#[test]" | "#[tokio::test]"))
                .then(|| attributes().any(|line| line.starts_with("#[ignore")))
        }
        "py" => begins("def ").filter(|_| name.starts_with("test_")).map(|_| false),
        "java" => (lines[begins("void ")?.checked_sub(1)?] == "@Test").then_some(false),
        _ => begins("static void ").and(begins("")).map(|_| false),
    }
}

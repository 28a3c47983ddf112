//! `cargo xtask dependencies`: checks that docs/dependencies.md gives a reason for each crate that
//! a manifest names and for each indirect dependency of the command, and that `sealane-age` stays
//! small. cargo-deny checks licences, sources and duplicates.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};

use crate::command_crates::{CommandCrates, edges, metadata, tree, workspaces};
use crate::process::{self, step};

const PAGE: &str = "docs/dependencies.md";
/// The target for which the page lists the command's crates, and the crates of `sealane-age` count.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The headings of the page's two parts.
const NAMED: &str = "## Named in our manifests";
const BROUGHT: &str = "## Indirect dependencies of the command";

/// Runs the chore.
pub(crate) fn run() -> Result<()> {
    step("sealane-age");
    file_format()?;
    step(PAGE);
    reasons()
}

/// The largest number of crates that `sealane-age` may consist of with its default features, itself
/// included.
const FILE_FORMAT_CRATES: usize = 60;

/// Checks that `sealane-age` stays small, and depends neither on the crate `age` nor on RSA,
/// translated messages or terminal code.
fn file_format() -> Result<()> {
    let crates = edges(&tree("sealane-age", TARGET, "normal")?)?;
    let unwanted = ["age", "age-core", "rsa", "i18n-embed", "rpassword", "pinentry", "console"];
    if let Some(package) = crates.keys().find(|package| unwanted.contains(&&*package.name)) {
        bail!("sealane-age depends on {package} with its default features");
    }
    let count = crates.len();
    ensure!(
        count <= FILE_FORMAT_CRATES,
        "sealane-age consists of {count} crates, and the limit is {FILE_FORMAT_CRATES}"
    );
    println!("   {count} crates");
    Ok(())
}

/// Checks that the page lists every crate that a manifest names, and every indirect dependency of
/// the command, and no others. Each crate must have a reason and the right mark.
fn reasons() -> Result<()> {
    let (mut named, mut workspace) = (BTreeSet::new(), BTreeSet::new());
    for manifest in workspaces()? {
        for package in metadata(&manifest, &["--no-deps"])? {
            workspace.insert(package.name.to_string());
            named.extend(package.dependencies.into_iter().filter(|d| d.path.is_none()).map(|d| d.name));
        }
    }
    let crates = CommandCrates::on(TARGET)?;
    let mut command: BTreeSet<_> = crates.dependencies.into_keys().map(|package| package.name).collect();
    command.retain(|name| !workspace.contains(name));
    let in_program: BTreeSet<_> = crates.in_program.into_iter().map(|package| package.name).collect();

    let only_builds: BTreeSet<_> = command.difference(&in_program).collect();
    let cell = |name: &String| format!("`{name}`{}", if only_builds.contains(name) { "†" } else { "" });
    let mut wanted = Cells::new();
    wanted.extend(named.iter().map(|name| (NAMED.to_owned(), cell(name))));
    wanted.extend(command.difference(&named).map(|name| (BROUGHT.to_owned(), cell(name))));
    let complaints = compare(&wanted, &listed(&process::read(PAGE)?)?);
    ensure!(complaints.is_empty(), "{PAGE} is wrong:\n  - {}", complaints.join("\n  - "));
    println!("   {} crates have a reason, {} of them because a manifest names them", wanted.len(), named.len());
    Ok(())
}

/// Headings, and crates in backticks below them. The mark `†` follows crates that only serve
/// builds.
type Cells = BTreeSet<(String, String)>;

/// Returns the crates in the first columns of the tables below the two headings. The second column
/// has a reason, and the third the publisher.
fn listed(text: &str) -> Result<Cells> {
    let (mut cells, mut part) = (Cells::new(), "");
    for line in text.lines() {
        if line.starts_with("## ") {
            part = line;
        }
        if !line.starts_with("| `") || ![NAMED, BROUGHT].contains(&part) {
            continue;
        }
        let columns: Vec<_> = line.trim_matches(['|', ' ']).split('|').map(str::trim).collect();
        ensure!(columns.len() == 3 && columns.iter().all(|column| !column.is_empty()), "not three columns: {line}");
        for cell in columns[0].split_whitespace() {
            ensure!(cells.insert((part.to_owned(), cell.to_owned())), "{cell} is there twice");
        }
    }
    Ok(cells)
}

/// Returns an error message for each cell that is missing, or that should not be on the page.
fn compare(wanted: &Cells, listed: &Cells) -> Vec<String> {
    let missing =
        wanted.difference(listed).map(|(part, cell)| format!("{part}: {cell} is missing: say what it is for"));
    let stale = listed.difference(wanted).map(|(part, cell)| format!("{part}: {cell} does not belong there"));
    missing.chain(stale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
| `x` | no part | of it |
## Named in our manifests
### Tests
| crate | what for | from |
|---|---|---|
| `a` `b` | something | us |
## Indirect dependencies of the command
| `c`† `d` | else | them |
## More
| `y` | no part | of it |
";

    #[test]
    fn finds_what_is_missing_what_is_stale_and_wrong_marks() {
        let cells =
            |all: &[(&str, &str)]| all.iter().map(|(part, cell)| (part.to_string(), cell.to_string())).collect();
        let page = listed(TEXT).unwrap();
        let right = [(NAMED, "`a`"), (NAMED, "`b`"), (BROUGHT, "`c`†"), (BROUGHT, "`d`")];
        assert_eq!(page, cells(&right));
        let complaints = compare(&cells(&[(NAMED, "`a`"), (NAMED, "`c`†"), (BROUGHT, "`c`"), (BROUGHT, "`d`")]), &page);
        let expected = ["`c` is missing", "`c`† is missing", "`c`† does not belong", "`b` does not belong"];
        assert_eq!(complaints.len(), expected.len(), "{complaints:?}");
        assert!(complaints.iter().zip(expected).all(|(complaint, end)| complaint.contains(end)), "{complaints:?}");
    }

    #[test]
    fn a_row_has_three_columns_and_each_crate_is_there_once() {
        for row in ["`e` | no more |", "`e` | | us |", "`c`† | again | us |"] {
            assert!(listed(&TEXT.replace("## More", &format!("| {row}"))).is_err(), "{row}");
        }
    }
}

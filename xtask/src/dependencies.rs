//! `cargo xtask dependencies`: checks that docs/dependencies.md gives a reason for each crate that a
//! manifest names and for each indirect dependency of the command, and that `sealane-age` stays
//! small. cargo-deny checks licences, sources and duplicates.

use std::collections::{BTreeMap, BTreeSet};

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

    let brought: BTreeSet<_> = command.difference(&named).cloned().collect();
    let only_builds: BTreeSet<_> = command.difference(&in_program).cloned().collect();
    let complaints = Page::parse(&process::read(PAGE)?)?.compare([&named, &brought], &only_builds);
    ensure!(complaints.is_empty(), "{PAGE} is wrong:\n  - {}", complaints.join("\n  - "));
    println!(
        "   {} crates in manifests and {} indirect dependencies of the command have a reason",
        named.len(),
        brought.len()
    );
    Ok(())
}

/// The crates in the first columns of the tables, for each part of the page. The value is true for
/// crates with the mark `†`, which only serve builds.
#[derive(Debug, Default)]
struct Page {
    named: BTreeMap<String, bool>,
    brought: BTreeMap<String, bool>,
}

impl Page {
    /// Parses the tables. The first column has crates, each in backticks and followed by its mark.
    /// The second has a reason, and the third the publisher.
    fn parse(text: &str) -> Result<Self> {
        let mut page = Self::default();
        let mut part = None;
        for line in text.lines() {
            if line.starts_with("## ") {
                part = match line {
                    NAMED => Some(&mut page.named),
                    BROUGHT => Some(&mut page.brought),
                    _ => None,
                };
            }
            let (Some(part), Some(row)) = (part.as_deref_mut(), line.strip_prefix("| `")) else { continue };
            let columns: Vec<_> = row.trim_end().trim_end_matches('|').split('|').map(str::trim).collect();
            ensure!(columns.len() == 3 && columns.iter().all(|column| !column.is_empty()), "not three columns: {line}");
            for cell in columns[0].split_whitespace() {
                let (name, mark) = cell.trim_start_matches('`').split_once('`').unwrap_or((cell, "?"));
                ensure!(["", "†"].contains(&mark), "not a crate in backticks and its mark: {cell}");
                ensure!(part.insert(name.to_owned(), mark == "†").is_none(), "`{name}` is there twice");
            }
        }
        ensure!(!page.named.is_empty() && !page.brought.is_empty(), "no table under \"{NAMED}\" or \"{BROUGHT}\"");
        Ok(page)
    }

    /// Returns an error message for each crate that is missing, that should not be on the page, or
    /// that has a wrong mark.
    fn compare(&self, [named, brought]: [&BTreeSet<String>; 2], only_builds: &BTreeSet<String>) -> Vec<String> {
        let mut complaints = Vec::new();
        for (heading, crates, listed) in [(NAMED, named, &self.named), (BROUGHT, brought, &self.brought)] {
            let missing = crates.iter().filter(|name| !listed.contains_key(*name));
            complaints.extend(missing.map(|name| format!("{heading}: `{name}` is missing: say what it is for")));
            let stale = listed.keys().filter(|name| !crates.contains(*name));
            complaints.extend(stale.map(|name| format!("{heading}: `{name}` does not belong there any more")));
            let wrong = listed.iter().filter(|(name, mark)| only_builds.contains(*name) != **mark);
            complaints.extend(wrong.map(|(name, _)| format!("{heading}: `{name}` has the wrong mark")));
        }
        complaints
    }
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

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn finds_what_is_missing_what_is_stale_and_wrong_marks() {
        let page = Page::parse(TEXT).unwrap();
        assert!(page.compare([&set(&["a", "b"]), &set(&["c", "d"])], &set(&["c"])).is_empty());
        let complaints = page.compare([&set(&["a", "c"]), &set(&["d", "e"])], &set(&["c", "d"]));
        let expected = [
            "`c` is missing",
            "`b` does not belong",
            "`e` is missing",
            "`c` does not belong",
            "`d` has the wrong mark",
        ];
        assert_eq!(complaints.len(), expected.len(), "{complaints:?}");
        assert!(complaints.iter().zip(expected).all(|(complaint, end)| complaint.contains(end)), "{complaints:?}");
    }

    #[test]
    fn a_row_has_three_columns_and_crates_in_backticks() {
        let rows =
            ["`e` | no more |", "`e` | | us |", "`e` f | what | us |", "`e`! | what | us |", "`c` | again | us |"];
        for row in rows {
            assert!(Page::parse(&TEXT.replace("## More", &format!("| {row}"))).is_err(), "{row}");
        }
        assert!(Page::parse("nothing").is_err());
    }
}

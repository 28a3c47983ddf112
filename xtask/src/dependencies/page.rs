//! The tables of docs/dependencies.md.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

/// The headings of the two parts.
const NAMED: &str = "## Named in our manifests";
const BROUGHT: &str = "## What those bring into the command";

/// The marks behind a crate's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// `*`
    pub(super) has_unsafe: bool,
    /// `†`
    pub(super) only_builds: bool,
}

/// The crates in the first columns, by part.
#[derive(Debug, Default)]
pub(super) struct Page {
    named: BTreeMap<String, Mark>,
    brought: BTreeMap<String, Mark>,
}

impl Page {
    /// Parses the tables: crates in the first column, each in backticks with its marks behind it; a
    /// reason; the publisher.
    pub(super) fn parse(text: &str) -> Result<Self> {
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
                let (name, signs) = cell.trim_start_matches('`').split_once('`').unwrap_or((cell, "?"));
                ensure!(matches!(signs, "" | "*" | "†" | "*†"), "not a crate in backticks and its marks: {cell}");
                let mark = Mark { has_unsafe: signs.contains('*'), only_builds: signs.contains('†') };
                ensure!(part.insert(name.to_owned(), mark).is_none(), "`{name}` is there twice");
            }
        }
        ensure!(!page.named.is_empty() && !page.brought.is_empty(), "no table under \"{NAMED}\" or \"{BROUGHT}\"");
        Ok(page)
    }

    /// Returns the crates that are missing, and the ones that should not be there.
    pub(super) fn compare(&self, named: &BTreeSet<String>, brought: &BTreeSet<String>) -> Vec<String> {
        let mut complaints = Vec::new();
        for (heading, crates, listed) in [(NAMED, named, &self.named), (BROUGHT, brought, &self.brought)] {
            let missing = crates.iter().filter(|name| !listed.contains_key(*name));
            complaints.extend(missing.map(|name| format!("{heading}: `{name}` is missing, with what it is for")));
            let stale = listed.keys().filter(|name| !crates.contains(*name));
            complaints.extend(stale.map(|name| format!("{heading}: `{name}` does not belong there any more")));
        }
        complaints
    }

    /// Returns the crates of the command with wrong marks.
    pub(super) fn wrong_marks(&self, command: &BTreeMap<String, Mark>) -> Vec<String> {
        (self.named.iter().chain(&self.brought))
            .filter_map(|(name, mark)| {
                // The other crates are not checked, and have no marks.
                let right = command.get(name).copied().unwrap_or_default();
                let signs = match (right.has_unsafe, right.only_builds) {
                    (false, false) => "no mark",
                    (true, false) => "`*`",
                    (false, true) => "`†`",
                    (true, true) => "`*†`",
                };
                (*mark != right).then(|| format!("`{name}` should have {signs}"))
            })
            .collect()
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
| `a` `b`* | something | us |
## What those bring into the command
| `c`† `d`*† | else | them |
## More
| `y` | no part | of it |
";

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn finds_what_is_missing_what_is_stale_and_wrong_marks() {
        let page = Page::parse(TEXT).unwrap();
        assert!(page.compare(&set(&["a", "b"]), &set(&["c", "d"])).is_empty());
        let complaints = page.compare(&set(&["a", "c"]), &set(&["d", "e"]));
        let expected = ["`c` is missing", "`b` does not belong", "`e` is missing", "`c` does not belong"];
        assert_eq!(complaints.len(), expected.len(), "{complaints:?}");
        assert!(complaints.iter().zip(expected).all(|(complaint, end)| complaint.contains(end)), "{complaints:?}");

        let mark = |name: &str, has_unsafe, only_builds| (name.to_owned(), Mark { has_unsafe, only_builds });
        let right = [mark("b", true, false), mark("c", false, true), mark("d", true, true)];
        assert!(page.wrong_marks(&right.into()).is_empty());
        let other = [mark("a", true, false), mark("c", false, true), mark("d", true, true)];
        assert_eq!(page.wrong_marks(&other.into()), ["`a` should have `*`", "`b` should have no mark"]);
    }

    #[test]
    fn a_row_has_three_columns_and_crates_in_backticks() {
        for row in [
            "| `e` | no more |",
            "| `e` | | us |",
            "| `e` f | what | us |",
            "| `e`! | what | us |",
            "| `c` | again | us |",
        ] {
            assert!(Page::parse(&TEXT.replace("## More", row)).is_err(), "{row}");
        }
        assert!(Page::parse("nothing").is_err());
    }
}

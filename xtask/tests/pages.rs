//! A table of docs/README.md lists each page of the documentation, and links lead to pages and
//! headings that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().into()
}

/// The pages of the root and of docs/, without those that other folders have.
fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "docs/decisions", "docs/performance", "api", "bench", "examples", "fuzz"];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|is| is == "md")).collect()
}

/// Returns a page without its blocks of code.
fn prose(page: &Path) -> String {
    fs::read_to_string(page).unwrap().split("\n```").step_by(2).collect()
}

/// Returns the anchors of a page, as GitHub makes them from headings.
fn anchors(page: &Path) -> BTreeSet<String> {
    let anchor = |heading: &str| {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.collect::<String>().to_lowercase().replace(' ', "-")
    };
    prose(page).lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' ')).map(anchor).collect()
}

#[test]
fn the_index_lists_every_page() {
    let docs = root().join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    let mut count = 0;
    for page in pages().iter().filter_map(|page| page.strip_prefix(&docs).ok()) {
        let page = page.to_str().unwrap();
        if page == "README.md" {
            continue;
        }
        // A row may list several pages in its first cell.
        let rows = index.lines().filter(|line| line.starts_with("| ["));
        let is_listed = rows.filter_map(|row| row.split(" | ").next()).any(|cell| cell.contains(&format!("]({page})")));
        assert!(is_listed, "docs/README.md does not list {page}");
        count += 1;
    }
    assert!(count > 50, "only {count} pages were found");
}

#[test]
fn links_lead_to_pages_and_headings() {
    let mut count = 0;
    for page in pages() {
        let folder = page.parent().unwrap();
        for link in prose(&page).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { folder.join(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            let is_found = anchor.is_empty() || anchors(&target).contains(anchor);
            assert!(is_found, "{}: {link}", page.display());
            count += 1;
        }
    }
    assert!(count > 400, "only {count} links were found");
}

//! A table of docs/README.md lists each page of the documentation.

use std::path::Path;

#[test]
fn the_index_lists_every_page() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs");
    let index = std::fs::read_to_string(docs.join("README.md")).unwrap();
    let mut count = 0;
    for folder in ["", "decisions/"] {
        for entry in std::fs::read_dir(docs.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if !name.ends_with(".md") || name == "README.md" {
                continue;
            }
            let page = format!("{folder}{name}");
            let is_listed = index.lines().any(|line| line.starts_with("| [") && line.contains(&format!("]({page}) |")));
            assert!(is_listed, "docs/README.md does not list {page}");
            count += 1;
        }
    }
    assert!(count > 40, "only {count} pages were found");
}

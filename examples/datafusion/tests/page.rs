//! The page of the documentation has this program.

#[test]
fn the_page_has_the_program() {
    let page = include_str!("../../../docs/datafusion.md");
    let (_, code) = include_str!("../src/main.rs").split_once("\n\n").unwrap();
    assert!(page.contains(&format!("```rust\n{code}```\n")), "copy src/main.rs to docs/datafusion.md");
}

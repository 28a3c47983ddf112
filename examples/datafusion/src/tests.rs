//! The program, and the page of the documentation that has it.

#[test]
fn the_program_runs() {
    super::main().unwrap();
}

#[test]
fn the_page_has_the_program() {
    let page = include_str!("../../../docs/datafusion.md");
    let (_, code) = include_str!("main.rs").split_once("\n\n").unwrap();
    let (code, _) = code.split_once("\n#[cfg(test)]").unwrap();
    assert!(page.contains(&format!("```rust\n{code}```\n")), "copy src/main.rs to docs/datafusion.md");
}

//! Tests that the program runs, and that docs/datafusion.md has copies of it and of the program in
//! `examples/delta`.

#[test]
fn the_program_runs() {
    super::main().unwrap();
}

#[test]
fn the_page_has_the_programs() {
    let page = include_str!("../../../docs/datafusion.md");
    let programs = [("datafusion", include_str!("main.rs")), ("delta", include_str!("../../delta/src/main.rs"))];
    for (name, program) in programs {
        let (_, code) = program.split_once("\n\n").unwrap();
        let (code, _) = code.split_once("\n#[cfg(test)]").unwrap();
        let copy = format!("copy examples/{name}/src/main.rs to docs/datafusion.md");
        assert!(page.contains(&format!("```rust\n{code}```\n")), "{copy}");
    }
}

//! Runs the examples of both READMEs in their order, in one folder for each README.

use crate::support::Dir;

#[test]
fn the_examples_of_the_readme() {
    let readme = include_str!("../../../../README.md");
    let dir = Dir::new();
    dir.write("README.md", readme);
    let mut public = String::new();
    let mut key = None;
    // The quick start, which has no prompts, and the story of a key in shares.
    let (_, quick_start) = readme.split_once("## Quick start\n").expect("the section");
    let quick_start = quick_start.split("```sh\n").nth(1).unwrap().split("```").next().unwrap().lines();
    let blocks: Vec<&str> =
        readme.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap()).collect();
    let stories = blocks.iter().take_while(|block| !block.contains("encrypt -k 3")).flat_map(|block| block.lines());
    let commands: Vec<&str> = quick_start.chain(stories.filter_map(|line| line.strip_prefix("$ "))).collect();
    let ours: Vec<&&str> =
        commands.iter().filter(|line| line.starts_with("sealane ") || line.starts_with("rm ")).collect();
    assert!(ours.len() >= 10 && ours.iter().any(|line| line.starts_with("sealane combine")), "{ours:?}");
    for line in ours {
        let line = line.replace("age1…", &public).replace("sealane ", "\"$SEALANE\" ");
        let run = dir.sh(&line);
        if let Some(made) = run.err().lines().find_map(|line| line.strip_prefix("Public key: ")) {
            public = made.to_owned();
        }
        let shown = run.ok().stdout;
        if line.contains("decrypt -i") && !line.contains("-o ") {
            assert!(shown == readme.as_bytes(), "{line}");
        }
        // The first key stays unchanged to the end.
        if dir.exists("key.txt") {
            assert_eq!(*key.get_or_insert_with(|| dir.read("key.txt")), dir.read("key.txt"), "{line}");
        }
    }
    assert!(key.is_some());
}

#[test]
fn the_examples_of_the_package() {
    let readme = include_str!("../../README.md");
    let dir = Dir::new();
    dir.write("plan.txt", "attack at dawn");
    let commands = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(commands.lines().count() == 5, "{commands}");
    for line in commands.lines() {
        dir.sh(&line.replace("sealane ", "\"$SEALANE\" ")).ok();
    }
    assert_eq!(dir.read("copy.txt"), b"attack at dawn");
    assert_eq!(dir.read("restored-key.txt"), dir.read("key.txt"));
}

//! Runs the examples of both READMEs in their order, in one folder for each README, and checks that
//! the command lines of other pages are accepted.

use crate::support::Dir;

const README: &str = include_str!("../../../../README.md");

#[test]
fn the_examples_of_the_readme() {
    let dir = Dir::new();
    dir.write("README.md", README);
    // The inputs of the section about folders.
    std::fs::create_dir(dir.path("photos")).unwrap();
    dir.write("photos/a.jpg", "a picture");
    dir.write("letters.txt", "a letter");
    let mut public: Vec<String> = Vec::new();
    let mut key = None;
    let (_, quick_start) = README.split_once("## Quick start\n").expect("the section");
    let quick_start = quick_start.split("```sh\n").nth(1).unwrap().split("```").next().unwrap().lines();
    // These two need keys of other people, and a file of 500 GB.
    let left_out = |block: &&&str| !block.contains("encrypt -k 3") && !block.contains("--range 500G");
    let blocks = console_blocks(README);
    let stories = blocks.iter().filter(left_out).flat_map(|block| block.lines());
    let commands: Vec<&str> = quick_start.chain(stories.filter_map(|line| line.strip_prefix("$ "))).collect();
    let ours: Vec<&&str> =
        commands.iter().filter(|line| line.starts_with("sealane ") || line.starts_with("rm ")).collect();
    assert!(ours.len() >= 18 && ours.iter().any(|line| line.contains("--resume")), "{ours:?}");
    for line in ours {
        // The section about folders decrypts with the first key, the story with the newest.
        let key_of = if line.contains("-o sealed") { public.first() } else { public.last() };
        let recipient = key_of.map_or("", String::as_str);
        let line = line.replace("age1…", recipient).replace("sealane ", "\"$SEALANE\" ");
        let run = dir.sh(&line);
        if let Some(made) = run.err().lines().find_map(|line| line.strip_prefix("Public key: ")) {
            public.push(made.to_owned());
        }
        let shown = run.ok().stdout;
        if line.contains("decrypt -i") && !line.contains("-o ") {
            assert!(shown == README.as_bytes(), "{line}");
        }
        // The first key stays unchanged to the end.
        if dir.exists("key.txt") {
            assert_eq!(*key.get_or_insert_with(|| dir.read("key.txt")), dir.read("key.txt"), "{line}");
        }
    }
    assert!(key.is_some());
    assert_eq!(dir.read("restored/photos/a.jpg"), b"a picture");
}

/// Returns the code blocks that show commands and what they print.
fn console_blocks(page: &str) -> Vec<&str> {
    page.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap()).collect()
}

/// Most of these commands fail, because their inputs do not exist. The exit status 2 means that the
/// command line is wrong.
#[test]
fn the_command_lines_of_the_pages_are_accepted() {
    for (name, page, count) in [
        ("README.md", README, 20),
        ("age.md", include_str!("../../../../docs/age.md"), 0),
        ("files.md", include_str!("../../../../docs/files.md"), 11),
        ("folders.md", include_str!("../../../../docs/folders.md"), 2),
        ("shares.md", include_str!("../../../../docs/shares.md"), 4),
        ("threshold.md", include_str!("../../../../docs/threshold.md"), 5),
    ] {
        let lines = console_blocks(page).into_iter().flat_map(str::lines).filter_map(|line| line.strip_prefix("$ "));
        let is_ours = |part: &&str| part.starts_with("sealane ");
        // A command may stand in a pipe, or in quotation marks.
        let ours: Vec<&str> = lines.flat_map(|line| line.split(['|', '\'']).map(str::trim)).filter(is_ours).collect();
        assert_eq!(ours.len(), count, "{name}: {ours:?}");
        for line in ours {
            let dir = Dir::new();
            let run = dir.sh(&format!("HOME=$PWD; {}", line.replacen("sealane", "\"$SEALANE\"", 1)));
            assert!(matches!(run.status.code(), Some(0 | 1)), "{name}: {line}\n{}", run.err());
        }
    }
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

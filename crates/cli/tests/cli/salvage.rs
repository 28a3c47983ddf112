//! `--salvage`: what a damaged file still has.

use serde_json::{Value, json};

use crate::support::{Dir, Run, bytes};

const CHUNK: usize = 65_536;
const SEALED: usize = CHUNK + 16;

fn salvage(dir: &Dir, file: &str) -> Run {
    dir.run(["decrypt", "--salvage", "-i", "key.txt", "-o", "left", file])
}

fn map(dir: &Dir) -> Value {
    serde_json::from_slice(&dir.read("left.missing.json")).unwrap()
}

/// A file of five chunks and a bit, and where its payload starts.
fn sealed(dir: &Dir) -> (Vec<u8>, Vec<u8>, usize) {
    let data = bytes(5 * CHUNK + 100);
    dir.encrypt(&data, "x");
    let file = dir.read("x");
    let payload = file.len() - 5 * SEALED - 116;
    (data, file, payload)
}

fn remove(dir: &Dir) {
    for name in ["left", "left.missing.json"] {
        std::fs::remove_file(dir.path(name)).unwrap();
    }
}

#[test]
fn everything_but_the_damage_comes_back() {
    let dir = Dir::with_key();
    let (data, file, payload) = sealed(&dir);
    for damaged in [vec![0], vec![2], vec![1, 2, 4], vec![5], vec![0, 1, 2, 3, 4, 5]] {
        let mut bad = file.clone();
        let mut expected = data.clone();
        let mut missing = 0;
        for &chunk in &damaged {
            bad[payload + chunk * SEALED + 50] ^= 1;
            let end = expected.len().min((chunk + 1) * CHUNK);
            expected[chunk * CHUNK..end].fill(0);
            missing += end - chunk * CHUNK;
        }
        dir.write("bad", &bad);
        salvage(&dir, "bad").fails(&format!("{missing} are missing"));
        assert!(dir.read("left") == expected, "{damaged:?}");
        assert_eq!(dir.mode("left"), 0o600);
        let map = map(&dir);
        assert_eq!(map["found"], data.len() - missing);
        let ranges = map["missing"].as_array().unwrap();
        let sum: u64 = ranges.iter().map(|r| r["end"].as_u64().unwrap() - r["start"].as_u64().unwrap()).sum();
        assert_eq!(sum, missing as u64);
        // Neighbours are one gap.
        assert_eq!(
            ranges.len(),
            match damaged.as_slice() {
                [1, 2, 4] => 2,
                _ => 1,
            }
        );
        assert_eq!(map["plaintext_len"], if damaged.contains(&5) { Value::Null } else { json!(data.len()) });
        remove(&dir);
    }
}

#[test]
fn a_file_that_is_cut_or_goes_on() {
    let dir = Dir::with_key();
    let (data, file, payload) = sealed(&dir);
    for (cut, found) in [(3 * SEALED, 3), (3 * SEALED + 10, 3), (3 * SEALED + 1000, 3), (10, 0), (0, 0)] {
        dir.write("bad", &file[..payload + cut]);
        salvage(&dir, "bad").fails("nobody knows how much");
        let left = dir.read("left");
        assert!(left.starts_with(&data[..found * CHUNK]), "{cut}");
        assert!(left[found * CHUNK..].iter().all(|&byte| byte == 0), "{cut}");
        assert_eq!(map(&dir)["found"], found * CHUNK);
        remove(&dir);
    }
    // Where a short last chunk ends, nothing says.
    dir.write("bad", [&file[..], &bytes(100_000)].concat());
    salvage(&dir, "bad").fails("nobody knows how much");
    assert!(dir.read("left").starts_with(&data[..5 * CHUNK]));
    remove(&dir);
    let data = bytes(2 * CHUNK);
    dir.encrypt(&data, "x");
    dir.write("bad", [&dir.read("x")[..], &bytes(100_000)].concat());
    salvage(&dir, "bad").quiet();
    assert!(dir.read("left") == data);
    assert_eq!(map(&dir)["trailing"], 100_000);
}

#[test]
fn what_is_whole_is_whole() {
    let dir = Dir::with_key();
    let (data, ..) = sealed(&dir);
    salvage(&dir, "x").quiet();
    assert!(dir.read("left") == data);
    assert_eq!(map(&dir), json!({ "found": data.len(), "missing": [], "plaintext_len": data.len(), "trailing": 0 }));
    // Never over something else.
    salvage(&dir, "x").fails("cannot make \"left\"");
    assert!(dir.read("left") == data);
    remove(&dir);
    dir.encrypt(b"", "x");
    salvage(&dir, "x").quiet();
    assert_eq!(dir.read("left"), b"");
}

#[test]
fn what_cannot_be_salvaged() {
    let dir = Dir::with_key();
    let (_, file, _) = sealed(&dir);
    let before = dir.names();
    dir.run_with(&file, ["-d", "--salvage", "-i", "key.txt", "-o", "left"]).misused("--salvage takes INPUT");
    dir.run(["-d", "--salvage", "-i", "key.txt", "x"]).misused("--salvage takes INPUT");
    dir.run(["-d", "--salvage", "-i", "key.txt", "-o", "-", "x"]).misused("--salvage takes INPUT");
    dir.run(["-d", "--salvage", "--range", "1:", "-i", "key.txt", "-o", "left", "x"]).misused("--range");
    dir.run(["-R", "key.pub", "--salvage", "-o", "left", "x"]).misused("can't be used to encrypt");
    dir.run_with(b"secret", ["-a", "-R", "key.pub", "-o", "armored"]).quiet();
    salvage(&dir, "armored").fails("armored");
    std::fs::remove_file(dir.path("armored")).unwrap();
    // Without the header nothing opens it.
    let mut bad = file.clone();
    bad[60] ^= 1;
    dir.write("x", bad);
    salvage(&dir, "x").failed_somehow();
    assert_eq!(dir.names(), before);
}

//! `--salvage`: the intact parts of a damaged file.

use serde_json::{Value, json};

use crate::support::{Dir, Run, bytes, finish};

const CHUNK: usize = 65_536;
const SEALED: usize = CHUNK + 16;

fn salvage(dir: &Dir, file: &str) -> Run {
    dir.run(["decrypt", "--salvage", "-i", "key.txt", "-o", "left", file])
}

fn map(dir: &Dir) -> Value {
    serde_json::from_slice(&dir.read("left.missing.json")).unwrap()
}

/// Encrypts five chunks and a few bytes. Returns the plaintext, the encrypted file, and the offset
/// of its first chunk.
fn sealed(dir: &Dir) -> (Vec<u8>, Vec<u8>, usize) {
    let data = bytes(5 * CHUNK + 100);
    dir.encrypt(&data, "x");
    let file = dir.read("x");
    let payload = file.len() - 5 * SEALED - 116;
    (data, file, payload)
}

fn remove_results(dir: &Dir) {
    for name in ["left", "left.missing.json"] {
        std::fs::remove_file(dir.path(name)).unwrap();
    }
}

#[test]
fn everything_except_the_damage_is_restored() {
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
        // Neighbouring damaged chunks are one gap.
        assert_eq!(
            ranges.len(),
            match damaged.as_slice() {
                [1, 2, 4] => 2,
                _ => 1,
            }
        );
        assert_eq!(map["plaintext_len"], if damaged.contains(&5) { Value::Null } else { json!(data.len()) });
        remove_results(&dir);
    }
}

#[test]
fn truncated_and_extended_files() {
    let dir = Dir::with_key();
    let (data, file, payload) = sealed(&dir);
    for (cut, found) in [(3 * SEALED, 3), (3 * SEALED + 10, 3), (3 * SEALED + 1000, 3), (10, 0), (0, 0)] {
        dir.write("bad", &file[..payload + cut]);
        salvage(&dir, "bad").fails("an unknown number after them");
        let recovered = dir.read("left");
        assert!(recovered.starts_with(&data[..found * CHUNK]), "{cut}");
        assert!(recovered[found * CHUNK..].iter().all(|&byte| byte == 0), "{cut}");
        assert_eq!(map(&dir)["found"], found * CHUNK);
        remove_results(&dir);
    }
}

#[test]
fn the_last_chunk_is_found_whatever_follows_it() {
    let dir = Dir::with_key();
    for len in [1, 15, 16, 17, 100, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 100] {
        let data = bytes(len);
        dir.encrypt(&data, "x");
        for junk in [vec![0; 1], vec![0; 4096], vec![0; 200_000], bytes(100), bytes(100_000), vec![0xff; 70_000]] {
            dir.write("bad", [&dir.read("x")[..], &junk].concat());
            salvage(&dir, "bad").quiet();
            assert!(dir.read("left") == data, "{len} {}", junk.len());
            let map = map(&dir);
            assert_eq!(map["trailing"], junk.len());
            assert_eq!(map["plaintext_len"], len);
            remove_results(&dir);
        }
    }
}

#[test]
fn a_chunk_before_the_cut_is_kept_although_one_before_it_is_damaged() {
    let dir = Dir::with_key();
    let data = bytes(3 * CHUNK + 100);
    dir.encrypt(&data, "x");
    let mut bad = dir.read("x");
    // The file ends exactly after the third chunk, and the second is damaged.
    bad.truncate(bad.len() - 116);
    let second = bad.len() - 2 * (CHUNK + 16);
    bad[second] ^= 1;
    dir.write("bad", bad);
    salvage(&dir, "bad").fails("missing");
    let recovered = dir.read("left");
    assert_eq!(recovered.len(), 3 * CHUNK);
    assert!(recovered[..CHUNK] == data[..CHUNK] && recovered[2 * CHUNK..] == data[2 * CHUNK..3 * CHUNK]);
}

/// Checks the result for `bad`, a changed file: it must be `data` without the chunks `missing`.
#[track_caller]
fn check_salvaged(dir: &Dir, bad: &[u8], data: &[u8], missing: std::ops::Range<usize>, moved: &[(usize, i64)]) {
    dir.write("bad", bad);
    let run = salvage(dir, "bad");
    let mut expected = data.to_vec();
    let gap = missing.start * CHUNK..(missing.end * CHUNK).min(data.len());
    expected[gap.clone()].fill(0);
    if gap.is_empty() {
        drop(run.quiet())
    } else {
        drop(run.fails(&format!("{} are missing", gap.len())))
    }
    assert!(dir.read("left") == expected);
    let map = map(dir);
    assert_eq!(map["found"], data.len() - gap.len());
    let ranges = if gap.is_empty() { json!([]) } else { json!([{ "start": gap.start, "end": gap.end }]) };
    assert_eq!(map["missing"], ranges);
    let moved: Vec<_> = moved.iter().map(|(chunk, by)| json!({ "start": chunk * CHUNK, "by": by })).collect();
    assert_eq!(map["moved"], json!(moved));
    assert_eq!(map["plaintext_len"], data.len());
    assert_eq!(map["search_limited"], false);
    remove_results(dir);
}

#[test]
fn chunks_are_found_after_bytes_that_were_lost_or_inserted() {
    let dir = Dir::with_key();
    let (data, file, payload) = sealed(&dir);
    let at = |chunk: usize, offset: usize| payload + chunk * SEALED + offset;
    let remove = |from: usize, to: usize| [&file[..from], &file[to..]].concat();
    let insert = |place: usize, junk: &[u8]| [&file[..place], junk, &file[place..]].concat();
    let moved = |chunk, by: usize| [(chunk, by as i64)];
    let lost = |chunk, by: usize| [(chunk, -(by as i64))];
    // Bytes are lost within a chunk, across two, at the start, and in whole chunks.
    check_salvaged(&dir, &remove(at(1, 100), at(1, 101)), &data, 1..2, &lost(2, 1));
    check_salvaged(&dir, &remove(at(1, 100), at(1, 4196)), &data, 1..2, &lost(2, 4096));
    check_salvaged(&dir, &remove(at(1, 60_000), at(2, 5)), &data, 1..3, &lost(3, 5_557));
    check_salvaged(&dir, &remove(at(0, 0), at(0, 1)), &data, 0..1, &lost(1, 1));
    check_salvaged(&dir, &remove(at(2, 0), at(4, 0)), &data, 2..4, &lost(4, 2 * SEALED));
    check_salvaged(&dir, &remove(at(1, 7), at(4, 9)), &data, 1..5, &lost(5, 3 * SEALED + 2));
    // Bytes are inserted within a chunk, between two, and more than whole chunks.
    check_salvaged(&dir, &insert(at(1, 100), b"x"), &data, 1..2, &moved(2, 1));
    check_salvaged(&dir, &insert(at(2, 0), &bytes(13)), &data, 2..2, &moved(2, 13));
    check_salvaged(&dir, &insert(at(0, 0), &[0; 512]), &data, 0..0, &moved(0, 512));
    // Bytes inserted after a chunk's first byte must not end with that byte, which would leave the
    // chunk undamaged.
    let other = !file[at(3, 0)];
    let junk = [&bytes(300_000)[..], &[other]].concat();
    check_salvaged(&dir, &insert(at(3, 1), &junk), &data, 3..4, &moved(4, 300_001));
    // The change is in the last chunk but one. The chunk after it is the last one, which is short.
    check_salvaged(&dir, &remove(at(4, 100), at(4, 103)), &data, 4..5, &lost(5, 3));
    check_salvaged(&dir, &insert(at(4, 100), b"abc"), &data, 4..5, &moved(5, 3));
    check_salvaged(&dir, &[&remove(at(4, 100), at(4, 103))[..], &[0; 512]].concat(), &data, 4..5, &lost(5, 3));
    // Bytes are lost twice, and others are replaced by more bytes.
    let twice = [&file[..at(1, 1)], &file[at(1, 3)..at(3, 1)], &[other], &file[at(3, 1)..]].concat();
    dir.write("bad", twice);
    salvage(&dir, "bad").fails("131072 are missing");
    let map = map(&dir);
    assert_eq!(map["moved"], json!([{ "start": 2 * CHUNK, "by": -2 }, { "start": 4 * CHUNK, "by": -1 }]));
    remove_results(&dir);
    let replaced = [&file[..at(1, 50)], &bytes(200_000), &file[at(2, 70)..]].concat();
    check_salvaged(&dir, &replaced, &data, 1..3, &moved(3, 200_000 - SEALED - 20));
}

#[test]
fn chunks_are_found_after_many_that_are_damaged_and_moved() {
    let dir = Dir::with_key();
    let data = bytes(20 * CHUNK);
    dir.encrypt(&data, "x");
    let file = dir.read("x");
    let payload = file.len() - 20 * SEALED;
    let damaged = payload + 3 * SEALED..payload + 15 * SEALED;
    for (len, by) in [(12 * SEALED + 7, 7), (12 * SEALED - 7, -7)] {
        let bad = [&file[..damaged.start], &bytes(len), &file[damaged.end..]].concat();
        check_salvaged(&dir, &bad, &data, 3..15, &[(15, by)]);
    }
}

#[test]
fn armor_that_is_damaged() {
    let dir = Dir::with_key();
    let data = bytes(3 * CHUNK + 100);
    dir.run_with(&data, ["-a", "-R", "key.pub", "-o", "x"]).quiet();
    let text = String::from_utf8(dir.read("x")).unwrap();
    let lines: Vec<_> = text.lines().collect();
    let remove = |from: usize, to: usize| [&lines[..from], &lines[to..]].concat().join("\n");
    let replace = |number: usize, line: &str| {
        let mut lines = lines.clone();
        lines[number] = line;
        lines.join("\n")
    };
    // Chunk 1 is from about line 1370 to 2730.
    check_salvaged(&dir, text.as_bytes(), &data, 0..0, &[]);
    check_salvaged(&dir, replace(2000, &lines[2000][1..]).as_bytes(), &data, 1..2, &[]);
    // A character that is not base64 is read as `A`, so the original character must not be `A`.
    let not_zero = lines[2000].find(|character| character != 'A').unwrap();
    let other = format!("{}!{}", &lines[2000][..not_zero], &lines[2000][not_zero + 1..]);
    check_salvaged(&dir, replace(2000, &other).as_bytes(), &data, 1..2, &[]);
    check_salvaged(&dir, remove(2000, 2001).as_bytes(), &data, 1..2, &[(2, -48)]);
    check_salvaged(
        &dir,
        replace(2000, &format!("{}\n{}", &lines[2000][..30], &lines[2000][30..])).as_bytes(),
        &data,
        1..2,
        &[(2, -1)],
    );
    // The END line is missing.
    check_salvaged(&dir, &text.as_bytes()[..text.len() - 33], &data, 0..0, &[]);
}

#[test]
fn an_undamaged_file_is_restored_completely() {
    let dir = Dir::with_key();
    let (data, ..) = sealed(&dir);
    salvage(&dir, "x").quiet();
    assert!(dir.read("left") == data);
    assert_eq!(
        map(&dir),
        json!({ "found": data.len(), "missing": [], "moved": [], "plaintext_len": data.len(), "search_limited": false, "trailing": 0 })
    );
    // Salvage never overwrites an existing file.
    salvage(&dir, "x").fails("cannot make \"left\"");
    assert!(dir.read("left") == data);
    remove_results(&dir);
    dir.encrypt(b"", "x");
    salvage(&dir, "x").quiet();
    assert_eq!(dir.read("left"), b"");
}

#[test]
fn files_that_cannot_be_salvaged() {
    let dir = Dir::with_key();
    let (_, file, _) = sealed(&dir);
    let before = dir.names();
    dir.run_with(&file, ["-d", "--salvage", "-i", "key.txt", "-o", "left"]).misused("--salvage takes INPUT");
    dir.run(["-d", "--salvage", "-i", "key.txt", "x"]).misused("--salvage takes INPUT");
    dir.run(["-d", "--salvage", "-i", "key.txt", "-o", "-", "x"]).misused("--salvage takes INPUT");
    dir.run(["-d", "--salvage", "--range", "1:", "-i", "key.txt", "-o", "left", "x"]).misused("--range");
    dir.run(["-R", "key.pub", "--salvage", "-o", "left", "x"]).misused("can't be used to encrypt");
    // With a damaged header, the file cannot be opened.
    let mut bad = file.clone();
    bad[60] ^= 1;
    dir.write("x", bad);
    salvage(&dir, "x").failed_somehow();
    assert_eq!(dir.names(), before);
    // The names are checked before a passphrase is asked for.
    dir.sh("AGE_PASSPHRASE=pass \"$SEALANE\" -p -o p.age key.txt").quiet();
    for taken in ["left", "left.missing.json"] {
        dir.write(taken, "old");
        let args = ["decrypt", "--salvage", "-o", "left", "p.age"];
        finish(dir.without_terminal(args)).fails(&format!("cannot make \"{taken}\": it exists"));
        std::fs::remove_file(dir.path(taken)).unwrap();
    }
}

#[test]
fn an_empty_file() {
    let dir = Dir::with_key();
    dir.write("empty", "");
    let names = dir.names();
    salvage(&dir, "empty").fails("\"empty\" is empty: there is nothing to recover");
    salvage(&dir, "/dev/null").fails("\"/dev/null\" is not a regular file");
    #[cfg(target_os = "linux")]
    salvage(&dir, "/proc/self/status").fails("\"/proc/self/status\" is not a regular file");
    assert_eq!(dir.names(), names);
}

/// A chunk is authentic only under its number and in its file, so an attacker can hide chunks and
/// move none.
#[test]
fn chunks_in_the_place_of_others_are_missing() {
    let dir = Dir::with_key();
    let (data, file, payload) = sealed(&dir);
    let (other, other_payload) = {
        dir.encrypt(&data, "y");
        let file = dir.read("y");
        let payload = file.len() - 5 * SEALED - 116;
        (file, payload)
    };
    let chunk = |number: usize| &file[payload + number * SEALED..][..SEALED];
    let foreign = &other[other_payload + 2 * SEALED..][..SEALED];
    // The chunk at each place that has another one.
    for (exchanged, missing) in [
        (vec![(1, chunk(3)), (3, chunk(1))], vec![1, 3]),
        (vec![(2, chunk(1))], vec![2]),
        (vec![(2, foreign)], vec![2]),
        (vec![(0, chunk(4)), (4, foreign)], vec![0, 4]),
    ] {
        let mut bad = file.clone();
        for (place, chunk) in exchanged {
            bad[payload + place * SEALED..][..SEALED].copy_from_slice(chunk);
        }
        dir.write("bad", &bad);
        salvage(&dir, "bad").fails("are missing");
        let mut expected = data.clone();
        missing.iter().for_each(|number| expected[number * CHUNK..][..CHUNK].fill(0));
        assert!(dir.read("left") == expected, "{missing:?}");
        let ranges: Vec<_> =
            missing.iter().map(|number| json!({ "start": number * CHUNK, "end": (number + 1) * CHUNK })).collect();
        assert_eq!(map(&dir)["missing"], json!(ranges));
        remove_results(&dir);
    }
}

/// A mail program adds such text.
#[test]
fn text_before_armor_is_ignored() {
    let dir = Dir::with_key();
    let data = bytes(2 * CHUNK);
    dir.run_with(&data, ["-a", "-R", "key.pub", "-o", "x"]).ok();
    dir.write(
        "mail",
        [b"From: alice@example.org\nSubject: the file\n\n", &dir.read("x")[..], b"\n--\nAlice\n"].concat(),
    );
    salvage(&dir, "mail").quiet();
    assert!(dir.read("left") == data);
    remove_results(&dir);
    // A file without armor is described as it is.
    dir.write("none", "From: alice@example.org\n");
    salvage(&dir, "none").fails("not an age file");
}

//! `--range`: parts of a plaintext.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use crate::support::{Dir, Run, bytes};

const CHUNK: usize = 65_536;

fn range(dir: &Dir, range: &str, file: &str) -> Run {
    dir.run(["decrypt", "-i", "key.txt", "--range", range, file])
}

#[test]
fn every_kind_of_range() {
    let dir = Dir::with_key();
    let data = bytes(5 * CHUNK + 100);
    dir.encrypt(&data, "x");
    dir.run_with(&data, ["-a", "-R", "key.pub", "-o", "armored"]).quiet();
    let len = data.len();
    for (start, count) in [
        (0, 0),
        (0, 1),
        (0, len),
        (1, CHUNK),
        (CHUNK - 1, 2),
        (CHUNK, CHUNK),
        (3 * CHUNK + 7, 10),
        (5 * CHUNK, 100),
        (len - 1, 1),
        (len, 0),
        (len, 5),
        (len - 5, 100),
    ] {
        let expected = &data[start..(start + count).min(len)];
        let both = format!("{start}:{count}");
        assert!(range(&dir, &both, "x").quiet().stdout == expected, "{both}");
        assert!(range(&dir, &both, "armored").quiet().stdout == expected, "{both}, armored");
        let piped = dir.run_with(&dir.read("x"), ["-d", "-i", "key.txt", "--range", &both]).quiet();
        assert!(piped.stdout == expected, "{both}, piped");
        let from = format!("{start}:");
        assert!(range(&dir, &from, "x").quiet().stdout == data[start..], "{from}");
        assert!(range(&dir, &from, "armored").quiet().stdout == data[start..], "{from}");
    }
    for count in [0, 1, 100, 101, CHUNK, len - 1, len, len + 1] {
        assert!(range(&dir, &format!("-{count}"), "x").quiet().stdout == data[len.saturating_sub(count)..]);
        assert!(range(&dir, &format!(":{count}"), "x").quiet().stdout == data[..count.min(len)]);
    }
    assert!(range(&dir, "64K:1KiB", "x").quiet().stdout == data[CHUNK..CHUNK + 1024]);
    // To a file.
    dir.run(["-d", "-i", "key.txt", "--range", "7:70000", "-o", "part", "x"]).quiet();
    assert!(dir.read("part") == data[7..70_007]);
}

#[test]
fn ranges_outside_the_file_are_errors() {
    let dir = Dir::with_key();
    dir.encrypt(&bytes(100), "x");
    dir.run_with(&bytes(100), ["-a", "-R", "key.pub", "-o", "armored"]).quiet();
    range(&dir, "101:", "x").fails("begins at byte 101, and the plaintext has 100");
    range(&dir, "101:5", "armored").fails("begins at byte 101, and the plaintext has 100");
    range(&dir, "1T:5", "x").fails("begins at byte");
    range(&dir, "-5", "armored").fails("-LEN needs a binary file");
    range(&dir, "5", "x").misused("range");
    range(&dir, "x:y", "x").misused("range");
    dir.run(["-R", "key.pub", "--range", "1:2", "x"]).misused("can't be used to encrypt");
}

#[test]
fn only_damage_within_the_range_is_an_error() {
    let dir = Dir::with_key();
    let data = bytes(5 * CHUNK);
    dir.encrypt(&data, "x");
    let mut file = dir.read("x");
    let payload = file.len() - 5 * (CHUNK + 16);
    file[payload + 2 * (CHUNK + 16) + 9] ^= 1;
    dir.write("x", &file);
    assert!(range(&dir, &format!("{}:10", 3 * CHUNK), "x").quiet().stdout == data[3 * CHUNK..3 * CHUNK + 10]);
    assert!(range(&dir, "-10", "x").quiet().stdout == data[5 * CHUNK - 10..]);
    range(&dir, &format!("{}:10", 2 * CHUNK), "x").fails("chunk 2");
    // The length is not trusted until it is authenticated: a file that is cut between two chunks
    // has no end.
    dir.write("x", &file[..payload + 4 * (CHUNK + 16)]);
    range(&dir, "-10", "x").fails("cut short");
    range(&dir, &format!("{}:10", 5 * CHUNK), "x").fails("cut short");
    assert!(range(&dir, "0:10", "x").quiet().stdout == data[..10]);
}

/// The file has the length of a tebibyte. After its first chunk is a hole that must not be read.
#[test]
fn a_range_is_read_without_the_rest_of_a_tebibyte() {
    let dir = Dir::with_key();
    let data = bytes(2 * CHUNK);
    // The first chunk of a file does not tell how many follow.
    dir.encrypt(&data, "x");
    let mut sealed = File::open(dir.path("x")).unwrap();
    let mut start = vec![0; fs::metadata(dir.path("x")).unwrap().len() as usize - (CHUNK + 16)];
    sealed.read_exact(&mut start).unwrap();
    let mut sparse = File::create(dir.path("big")).unwrap();
    sparse.write_all(&start).unwrap();
    sparse.set_len(1 << 40).unwrap();
    sparse.seek(SeekFrom::Start(0)).unwrap();
    assert!(range(&dir, ":65536", "big").quiet().stdout == data[..CHUNK]);
    // The end of this file is not a chunk. Reading the whole file to find that out would take a
    // quarter of an hour.
    range(&dir, "-1", "big").fails("last chunk");
    range(&dir, "500G:1", "big").fails("is corrupt");
}

//! Damaged input: an output file gets nothing, and a pipe gets exactly the authentic part.

use crate::support::{Dir, bytes};

const CHUNK: usize = 65_536;
const SEALED: usize = CHUNK + 16;

/// Encrypts `data`. Returns the file, and the offset of its first chunk.
fn encrypted(dir: &Dir, data: &[u8]) -> (Vec<u8>, usize) {
    dir.encrypt(data, "good");
    let file = dir.read("good");
    let chunks = data.len().div_ceil(CHUNK).max(1);
    let start = file.len() - data.len() - 16 * chunks;
    (file, start)
}

/// Decrypts `file` in every way. A pipe must get `prefix`, and an output file must get nothing.
#[track_caller]
fn expect(dir: &Dir, file: &[u8], prefix: &[u8], what: &str) {
    dir.write("bad", file);
    let names = dir.names();
    let out = dir.run(["-d", "-i", "key.txt", "bad"]).fails(what);
    assert!(out.stdout == prefix, "{} bytes instead of {}", out.stdout.len(), prefix.len());
    let out = dir.run_with(file, ["-d", "-i", "key.txt"]).fails(what);
    assert!(out.stdout == prefix, "{} bytes instead of {}", out.stdout.len(), prefix.len());
    // No target and no temporary file are left.
    dir.run(["-d", "-i", "key.txt", "-o", "new", "bad"]).fails(what);
    assert_eq!(dir.names(), names);
    // An existing target keeps its content and its mode.
    dir.write("old", "old");
    dir.set_mode("old", 0o640);
    dir.run(["-d", "-i", "key.txt", "-o", "old", "bad"]).fails(what);
    assert_eq!((dir.read("old"), dir.mode("old")), (b"old".to_vec(), 0o640));
    std::fs::remove_file(dir.path("old")).unwrap();
    assert_eq!(dir.names(), names);
}

#[test]
fn truncation() {
    let dir = Dir::with_key();
    let data = bytes(5 * CHUNK + 100);
    let (file, start) = encrypted(&dir, &data);
    for chunks in [1, 3, 4, 5] {
        let end = start + chunks * SEALED;
        let before = &data[..chunks * CHUNK];
        // The cut is inside the next chunk, directly after a chunk, and inside it. A complete chunk
        // that is not the last one is authentic.
        expect(&dir, &file[..end + 50], before, "cut short");
        expect(&dir, &file[..end], before, "cut short");
        expect(&dir, &file[..end - 1], &data[..(chunks - 1) * CHUNK], "cut short");
    }
    expect(&dir, &file[..file.len() - 1], &data[..5 * CHUNK], "cut short");
    expect(&dir, &file[..start], &[], "cut short");
    expect(&dir, &file[..start - 1], &[], "cut short");
    expect(&dir, &file[..start / 2], &[], "cut short");
    expect(&dir, &file[..10], &[], "");
    expect(&dir, &[], &[], "empty");
}

#[test]
fn truncation_at_every_byte_of_a_small_file() {
    let dir = Dir::with_key();
    let (file, _) = encrypted(&dir, b"short");
    dir.write("old", "old");
    dir.write("bad", "");
    let names = dir.names();
    for len in 0..file.len() {
        let out = dir.run_with(&file[..len], ["-d", "-i", "key.txt"]).fails("");
        assert!(out.stdout.is_empty(), "{len}");
        // A file gets nothing, whether it exists already or not.
        dir.write("bad", &file[..len]);
        for output in ["new", "old"] {
            dir.run(["-d", "-i", "key.txt", "-o", output, "bad"]).fails("");
            assert_eq!((dir.names(), dir.read("old")), (names.clone(), b"old".to_vec()), "{len}");
        }
    }
}

#[test]
fn corruption() {
    let dir = Dir::with_key();
    let data = bytes(3 * CHUNK + 5);
    let (file, start) = encrypted(&dir, &data);
    for chunk in 0..4 {
        let mut bad = file.clone();
        bad[start + chunk * SEALED + 2] ^= 1;
        expect(&dir, &bad, &data[..chunk * CHUNK], "corrupt");
    }
    let mut appended = file.clone();
    appended.push(0);
    // The last chunk is no longer at the end, and does not fit its position, so it is not released.
    let out = dir.run_with(&appended, ["-d", "-i", "key.txt"]).fails("");
    assert!(data.starts_with(&out.stdout));
    let swapped = [&file[..start], &file[start + SEALED..start + 2 * SEALED], &file[start..start + SEALED]].concat();
    expect(&dir, &swapped, &[], "corrupt");
    let repeated = [&file[..start + SEALED], &file[start..]].concat();
    expect(&dir, &repeated, &data[..CHUNK], "corrupt");
    let dropped = [&file[..start + SEALED], &file[start + 2 * SEALED..]].concat();
    expect(&dir, &dropped, &data[..CHUNK], "corrupt");
}

#[test]
fn every_flipped_byte_of_the_header() {
    let dir = Dir::with_key();
    let (file, start) = encrypted(&dir, b"short");
    // Three bits of a character: one that gives another valid character in most cases, one that
    // changes the letter case, and one that leaves ASCII.
    for (at, bit) in (0..start).flat_map(|at| [1, 0x20, 0x80].map(|bit| (at, bit))) {
        let mut bad = file.clone();
        bad[at] ^= bit;
        let out = dir.run_with(&bad, ["-d", "-i", "key.txt"]).fails("");
        assert!(out.stdout.is_empty(), "{at} {bit:#x}");
    }
}

#[test]
fn other_files_are_not_age_files() {
    let dir = Dir::with_key();
    expect(&dir, b"just some text\n", &[], "not an age file");
    expect(&dir, &[0; 100_000], &[], "not an age file");
    expect(&dir, b"-----BEGIN PGP MESSAGE-----\n", &[], "armor");
    expect(&dir, b"age-encryption.org/v2\n-> X25519 x\n", &[], "unknown version");
}

#[test]
fn files_that_powershell_changed_are_recognised() {
    let dir = Dir::with_key();
    let (file, _) = encrypted(&dir, b"short");
    let text = String::from_utf8_lossy(&file).replace('\n', "\r\n");
    expect(&dir, text.as_bytes(), &[], "CR LF");
    let utf16 =
        |text: &str| [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    expect(&dir, &utf16(&text), &[], "UTF-16");
    dir.run_with(b"short", ["-a", "-R", "key.pub", "-o", "good"]).quiet();
    let armored = String::from_utf8(dir.read("good")).unwrap();
    expect(&dir, &utf16(&armored), &[], "UTF-16");
    expect(&dir, format!("\u{feff}{armored}").as_bytes(), &[], "byte order mark");
    // Salvage cannot help either, and the error does not blame the file.
    for bad in [text.clone().into_bytes(), utf16(&text), utf16(&armored), format!("\u{feff}{armored}").into_bytes()] {
        dir.write("bad", bad);
        dir.run(["-d", "--salvage", "-i", "key.txt", "-o", "left", "bad"]).fails("was damaged in transfer");
        assert!(!dir.exists("left"));
    }
    // CR LF and white space around the armor do no harm.
    dir.write("good", format!("\n \n{}\r\n\n", armored.trim_end().replace('\n', "\r\n")));
    assert_eq!(dir.run(["-d", "-i", "key.txt", "good"]).quiet().stdout, b"short");
}

#[test]
fn damaged_armor() {
    let dir = Dir::with_key();
    let data = bytes(2 * CHUNK);
    dir.run_with(&data, ["-a", "-R", "key.pub", "-o", "good"]).quiet();
    let text = String::from_utf8(dir.read("good")).unwrap();
    let without_end = text.replace("-----END AGE ENCRYPTED FILE-----\n", "");
    let run = dir.run_with(without_end.as_bytes(), ["-d", "-i", "key.txt"]).fails("cut short");
    assert!(data.starts_with(&run.stdout));
    let garbage = format!("{text}garbage\n");
    let run = dir.run_with(garbage.as_bytes(), ["-d", "-i", "key.txt"]).fails("data after the END line");
    assert!(data.starts_with(&run.stdout));
    let mut lines: Vec<_> = text.lines().collect();
    let broken = format!("{}!", &lines[1500][..63]);
    lines[1500] = &broken;
    dir.write("bad", lines.join("\n"));
    dir.run(["-d", "-i", "key.txt", "-o", "out", "bad"]).fails("malformed armor: line 1501");
    assert_eq!(dir.names(), ["bad", "good", "key.pub", "key.txt"]);
}

#[test]
fn headers_that_are_too_long_are_refused_at_once() {
    let dir = Dir::with_key();
    let (file, _) = encrypted(&dir, b"short");
    let text = String::from_utf8_lossy(&file);
    let (start, end) = (text.find("-> X25519").unwrap(), text.find("\n---").unwrap() + 1);
    let with_stanzas = |more: &str| [&file[..start], more.as_bytes(), &file[start..]].concat();
    let stanza = text[start..end].to_owned();
    let started = std::time::Instant::now();
    let (too_many, too_long) = ("more than 1024 recipient stanzas", "the header is longer than 2 MiB");
    for (bad, what) in [
        (with_stanzas(&stanza.repeat(100_000)), too_many),
        (with_stanzas(&"-> grease x\n\n".repeat(1024)), too_many),
        (with_stanzas(&format!("-> grease x\n{}\n", format!("{}\n", "A".repeat(64)).repeat(100_000))), too_long),
        (with_stanzas(&format!("-> grease{}", " y".repeat(10_000_000))), too_long),
    ] {
        expect(&dir, &bad, &[], what);
        dir.run(["inspect", "bad"]).fails(what);
        dir.run(["-d", "--salvage", "-i", "key.txt", "-o", "left", "bad"]).fails(what);
    }
    // All 1024 stanzas that a header may have are tried, and the MAC shows that these were added.
    expect(&dir, &with_stanzas(&"-> grease x\n\n".repeat(1023)), &[], "the header was changed");
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}

//! Attacks on encrypted folders that nothing prevents, or that are prevented in part.
//! `docs/folders.md` says so.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::symlink;
use std::time::UNIX_EPOCH;

use serde_json::Value;

use crate::support::{Dir, Run};

const ENCRYPT: [&str; 7] = ["encrypt", "-R", "key.pub", "-o", "sealed", "in", "late"];
const DECRYPT: [&str; 6] = ["decrypt", "-i", "key.txt", "-o", "open", "sealed"];
const MANIFEST: &str = "sealed/sealane-manifest.age";

/// Writes the folder `in` with two files, whose times are always the same.
fn write(dir: &Dir, note: &str) {
    let _ = fs::create_dir(dir.path("in"));
    for (name, content) in [("in/note", note), ("in/other", "other")] {
        dir.write(name, content);
        File::options()
            .write(true)
            .open(dir.path(name))
            .unwrap()
            .set_times(FileTimes::new().set_modified(UNIX_EPOCH))
            .unwrap();
    }
}

fn seal(dir: &Dir) {
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "in"]).quiet();
}

/// Encrypts the folder in a run that fails for one file, so that its journal stays.
fn interrupted(dir: &Dir) {
    symlink("/proc/self/mem", dir.path("late")).unwrap();
    assert!(dir.run(ENCRYPT).err().contains("1 of 3 files was not encrypted"));
    fs::remove_file(dir.path("late")).unwrap();
    dir.write("late", "late");
}

/// Returns the lines of the journal in `sealed`.
fn journal(dir: &Dir) -> Vec<Value> {
    let text = String::from_utf8(dir.read("sealed/.sealane-resume")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn entry(name: &str, size: usize, id: &str) -> String {
    format!("{{\"type\":\"file\",\"name\":\"{name}\",\"size\":{size},\"id\":\"{id}\"}}\n")
}

fn write_manifest(dir: &Dir, entries: &str) {
    dir.encrypt(format!("{{\"sealane-manifest\":1}}\n{entries}").as_bytes(), MANIFEST);
}

fn decrypt(dir: &Dir) -> Run {
    let _ = fs::remove_dir_all(dir.path("open"));
    dir.run(DECRYPT)
}

#[test]
fn an_older_version_of_a_whole_folder_is_not_noticed() {
    let dir = Dir::with_key();
    write(&dir, "first");
    seal(&dir);
    fs::rename(dir.path("sealed"), dir.path("old")).unwrap();
    write(&dir, "second");
    seal(&dir);
    fs::remove_dir_all(dir.path("sealed")).unwrap();
    fs::rename(dir.path("old"), dir.path("sealed")).unwrap();
    dir.run(["verify", "-i", "key.txt", "sealed"]).quiet();
    decrypt(&dir).quiet();
    assert_eq!(dir.read("open/in/note"), b"first");
}

/// An outsider knows the recipients and no identity.
#[test]
fn a_whole_folder_of_an_outsider_is_not_noticed() {
    let (owner, outsider) = (Dir::with_key(), Dir::new());
    write(&owner, "mine");
    seal(&owner);
    outsider.write("key.pub", owner.read("key.pub"));
    write(&outsider, "forged");
    seal(&outsider);
    fs::remove_dir_all(owner.path("sealed")).unwrap();
    fs::rename(outsider.path("sealed"), owner.path("sealed")).unwrap();
    decrypt(&owner).quiet();
    assert_eq!(owner.read("open/in/note"), b"forged");
}

/// The ids show that whoever made the manifest could open the files, or read the journal.
#[test]
fn only_someone_who_knows_the_ids_lists_real_files_in_a_manifest() {
    let dir = Dir::with_key();
    write(&dir, "mine");
    interrupted(&dir);
    let lines = journal(&dir);
    let line = lines.iter().find(|line| line["name"] == "in/note").unwrap();
    let id = line["id"].as_str().unwrap().to_owned();
    dir.run(ENCRYPT.iter().chain(&["--resume"])).quiet();
    // The other files are to disappear.
    for name in ["sealed/in/other.age", "sealed/late.age"] {
        fs::remove_file(dir.path(name)).unwrap();
    }
    write_manifest(&dir, &entry("in/note", 4, &"A".repeat(43)));
    let run = decrypt(&dir);
    assert!(run.err().contains("\"sealed/in/note.age\" is not the file that was encrypted"), "{}", run.err());
    assert_eq!(run.status.code(), Some(1));
    // With an id from the journal, nothing shows what is missing.
    write_manifest(&dir, &entry("in/note", 4, &id));
    decrypt(&dir).quiet();
    assert_eq!(dir.read("open/in/note"), b"mine");
}

/// The attacker encrypts another content for the same recipients, and takes the line of the journal
/// from a run of their own.
#[test]
fn whoever_can_write_to_the_journal_exchanges_a_file() {
    let (owner, attacker) = (Dir::with_key(), Dir::new());
    attacker.write("key.pub", owner.read("key.pub"));
    write(&owner, "mine!!");
    write(&attacker, "forged");
    interrupted(&owner);
    interrupted(&attacker);
    // Without its line, the exchanged file is written again.
    let forged = attacker.read("sealed/in/note.age");
    owner.write("sealed/in/note.age", &forged);
    let with_forged_lines = |forged: bool| {
        let is_note = |line: &&Value| line["name"] == "in/note";
        let (own, theirs) = (journal(&owner), journal(&attacker));
        let others = own.iter().filter(|line| !is_note(line));
        let note = if forged { theirs.iter().find(is_note) } else { own.iter().find(is_note) };
        others.chain(note).map(|line| format!("{line}\n")).collect::<String>()
    };
    for is_line_forged in [true, false] {
        let sealed = owner.path("sealed");
        assert!(
            std::process::Command::new("cp").arg("-a").arg(&sealed).arg(owner.path("kept")).status().unwrap().success()
        );
        owner.write("sealed/.sealane-resume", with_forged_lines(is_line_forged));
        owner.run(ENCRYPT.iter().chain(&["--resume"])).quiet();
        decrypt(&owner).quiet();
        let expected: &[u8] = if is_line_forged { b"forged" } else { b"mine!!" };
        assert_eq!(owner.read("open/in/note"), expected);
        fs::remove_dir_all(&sealed).unwrap();
        fs::rename(owner.path("kept"), &sealed).unwrap();
    }
}

/// The sender of a folder chooses the rights of others, but no rights of the owner.
#[test]
fn modes_of_a_manifest_apply_whatever_the_umask_without_special_bits() {
    let dir = Dir::with_key();
    write(&dir, "mine");
    seal(&dir);
    let manifest = dir.run(["-d", "-i", "key.txt", MANIFEST]).quiet().stdout;
    let manifest = String::from_utf8(manifest).unwrap();
    // 0o6777 and 0o5777.
    let changed: String = manifest
        .lines()
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            if value["mode"].is_number() {
                value["mode"] = if value["type"] == "file" { 0o6777 } else { 0o5777 }.into();
            }
            format!("{value}\n")
        })
        .collect();
    assert_ne!(changed, manifest);
    dir.encrypt(changed.as_bytes(), MANIFEST);
    dir.sh("umask 077; exec \"$SEALANE\" decrypt -i key.txt -o open sealed").quiet();
    for name in ["open/in", "open/in/note"] {
        assert_eq!(dir.mode(name), 0o777, "{name}");
    }
}

//! `sealane rekey`.

use std::os::unix::fs::MetadataExt as _;

use crate::rekey_faults::kept;
use crate::support::{Dir, bytes};

/// Creates a directory with three keys, and a file for the first. Returns the plaintext too.
pub(crate) fn dir() -> (Dir, Vec<u8>) {
    let dir = Dir::with_key();
    dir.keygen("b");
    dir.keygen("c");
    let data = bytes(200_000);
    dir.encrypt(&data, "x");
    (dir, data)
}

#[track_caller]
pub(crate) fn opens(dir: &Dir, key: &str, file: &str, data: &[u8]) {
    assert!(dir.run(["-d", "-i", key, file]).quiet().stdout == data, "{key}");
}

#[track_caller]
pub(crate) fn does_not_open(dir: &Dir, key: &str, file: &str) {
    dir.run(["-d", "-i", key, file]).fails("no identity matches");
}

#[test]
fn a_header_that_fits_is_replaced_in_place() {
    let (dir, data) = dir();
    let (before, payload) = (dir.path("x").metadata().unwrap(), dir.read("x").len() - 200_080);
    let old = dir.read("x");
    dir.set_mode("x", 0o640);
    let names = dir.names();
    let run = dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "x"]).ok();
    assert!(String::from_utf8_lossy(&run.stderr).contains("to exclude a person"));
    opens(&dir, "b.txt", "x", &data);
    does_not_open(&dir, "key.txt", "x");
    let after = dir.path("x").metadata().unwrap();
    assert_eq!((before.ino(), before.len()), (after.ino(), after.len()));
    assert_eq!(dir.mode("x"), 0o640);
    assert!(dir.read("x")[payload..] == old[payload..], "the content is as it was");
    assert_eq!(dir.names(), names);
}

#[test]
fn a_longer_header_makes_a_new_file() {
    let (dir, data) = dir();
    dir.set_mode("x", 0o604);
    let inode = dir.path("x").metadata().unwrap().ino();
    let names = dir.names();
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "-R", "c.pub", "x"]).ok();
    for key in ["b.txt", "c.txt"] {
        opens(&dir, key, "x", &data);
    }
    does_not_open(&dir, "key.txt", "x");
    assert_ne!(dir.path("x").metadata().unwrap().ino(), inode);
    assert_eq!(dir.mode("x"), 0o604);
    // A shorter header fits in the old place, and is padded.
    let len = dir.read("x").len();
    let inode = dir.path("x").metadata().unwrap().ino();
    dir.run(["rekey", "-i", "b.txt", "-R", "key.pub", "x"]).ok();
    assert_eq!((dir.path("x").metadata().unwrap().ino(), dir.read("x").len()), (inode, len));
    opens(&dir, "key.txt", "x", &data);
    does_not_open(&dir, "b.txt", "x");
    assert_eq!(dir.names(), names);
}

#[test]
fn recipients_are_added() {
    let (dir, data) = dir();
    dir.run(["rekey", "--add", "-i", "key.txt", "-R", "b.pub", "x"]).quiet();
    dir.run(["rekey", "--add", "-i", "b.txt", "-R", "c.pub", "x"]).quiet();
    for key in ["key.txt", "b.txt", "c.txt"] {
        opens(&dir, key, "x", &data);
    }
    // Post-quantum recipients would lose their protection.
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    let recipient = dir.run(["keygen", "-y", "pq.txt"]).text();
    let before = dir.read("x");
    dir.run(["rekey", "--add", "-i", "key.txt", "-r", recipient.trim(), "x"]).fails("post-quantum");
    assert!(dir.read("x") == before);
    let run = dir.run(["rekey", "-i", "key.txt", "-r", recipient.trim(), "x"]);
    assert!(!run.err().contains("quantum"), "{}", run.err());
    opens(&dir, "pq.txt", "x", &data);
    let run = dir.run(["rekey", "-i", "pq.txt", "-R", "b.pub", "x"]);
    assert!(run.err().contains("the old recipients were post-quantum, and the new ones are not"), "{}", run.err());
    run.ok();
}

#[test]
fn to_another_file_and_armored() {
    let (dir, data) = dir();
    let before = dir.read("x");
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "-o", "y", "x"]).ok();
    // A script with an empty variable must not change the file itself.
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "-o", "", "x"]).misused("'--output <OUTPUT>'");
    assert!(dir.read("x") == before);
    opens(&dir, "b.txt", "y", &data);
    dir.run_with(&data, ["-a", "-R", "key.pub", "-o", "armored"]).quiet();
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "armored"]).ok();
    assert!(dir.read("armored").starts_with(b"-----BEGIN AGE ENCRYPTED FILE-----\n"));
    opens(&dir, "b.txt", "armored", &data);
    does_not_open(&dir, "key.txt", "armored");
}

/// The first header has two recipients, and the second is padded.
#[test]
fn a_copy_keeps_the_length_of_the_header() {
    let (dir, data) = dir();
    dir.run_with(&data, ["-R", "key.pub", "-R", "b.pub", "-o", "two"]).quiet();
    dir.run(["rekey", "-i", "key.txt", "-R", "c.pub", "-o", "one", "two"]).ok();
    dir.run(["rekey", "-i", "c.txt", "-R", "b.pub", "-o", "again", "one"]).ok();
    for (key, file) in [("c.txt", "one"), ("b.txt", "again")] {
        assert_eq!(dir.read(file).len(), dir.read("two").len(), "{file}");
        opens(&dir, key, file, &data);
    }
    // There is no room for more recipients.
    dir.run(["rekey", "--add", "-i", "key.txt", "-R", "c.pub", "-o", "three", "two"]).quiet();
    assert!(dir.read("three").len() > dir.read("two").len());
    opens(&dir, "c.txt", "three", &data);
}

#[test]
fn with_passphrases() {
    let (dir, data) = dir();
    let run_with_passphrase = |passphrase: &str, args: &[&str]| {
        let mut command = dir.without_terminal(args);
        command.env("AGE_PASSPHRASE", passphrase);
        crate::support::finish(command)
    };
    run_with_passphrase("one", &["rekey", "-i", "key.txt", "-p", "x"]).ok();
    assert!(run_with_passphrase("one", &["-d", "x"]).quiet().stdout == data);
    does_not_open_with_key(&dir);
    run_with_passphrase("one", &["rekey", "-R", "b.pub", "x"]).ok();
    opens(&dir, "b.txt", "x", &data);
    run_with_passphrase("one", &["rekey", "-i", "b.txt", "-p", "x"]).ok();
    let before = dir.read("x");
    run_with_passphrase("one", &["rekey", "-p", "x"]).fails("the same passphrase for the old header and for the new");
    assert!(dir.read("x") == before);
    run_with_passphrase("two", &["rekey", "-R", "b.pub", "x"]).fails("incorrect passphrase");
    run_with_passphrase("one", &["rekey", "--add", "-R", "b.pub", "x"]).failed_somehow();
    dir.run(["rekey", "-p", "-k", "2", "x"]).misused("-k/--threshold can't be combined with -p");
}

#[track_caller]
fn does_not_open_with_key(dir: &Dir) {
    dir.run(["-d", "-i", "key.txt", "x"]).fails("encrypted with a passphrase");
}

#[test]
fn an_error_of_the_keys_is_reported_once() {
    let (dir, data) = dir();
    dir.encrypt(&data, "y");
    dir.write("empty", "");
    let before = (dir.read("x"), dir.read("y"));
    dir.run(["rekey", "-i", "none", "-R", "b.pub", "x", "y"]).fails("\"none\"");
    dir.run(["rekey", "-i", "key.txt", "-R", "empty", "x", "y"]).fails("\"empty\"");
    dir.run(["rekey", "-i", "key.txt", "-k", "9", "-R", "b.pub", "-R", "c.pub", "x", "y"]).misused("-k gives");
    assert!((dir.read("x"), dir.read("y")) == before);
}

#[test]
fn links_to_a_file() {
    use std::os::unix::fs::symlink;
    let (dir, data) = dir();
    std::fs::create_dir(dir.path("sub")).unwrap();
    std::fs::rename(dir.path("x"), dir.path("sub/x")).unwrap();
    symlink("sub/x", dir.path("link")).unwrap();
    symlink("link", dir.path("chain")).unwrap();
    // The file is changed in place.
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "chain"]).ok();
    for name in ["link", "sub/x"] {
        opens(&dir, "b.txt", name, &data);
    }
    // The result is a new file, and links lead to it.
    dir.run(["rekey", "-i", "b.txt", "-R", "b.pub", "-R", "key.pub", "chain"]).ok();
    opens(&dir, "key.txt", "sub/x", &data);
    opens(&dir, "key.txt", "link", &data);
    for name in ["link", "chain"] {
        assert!(dir.path(name).symlink_metadata().unwrap().is_symlink());
    }
    // A change that was interrupted under one name is undone under another.
    let old = dir.read("sub/x");
    let header = old.len() - 200_080;
    dir.run(["rekey", "-i", "b.txt", "-R", "key.pub", "-R", "c.pub", "chain"]).ok();
    let new = dir.read("sub/x");
    let torn = [&new[..header / 2], &old[header / 2..]].concat();
    for name in ["chain", "sub/x"] {
        dir.write("sub/x", &torn);
        dir.write("sub/.x.sealane-old-header", kept(&old[..header], &new[..header], &old[header..]));
        assert!(dir.run(["-d", "-i", "b.txt", name]).ok().stdout == data);
        assert!(dir.read("sub/x") == old);
    }
    dir.run(["rekey", "-i", "b.txt", "-R", "c.pub", "chain"]).ok();
    opens(&dir, "c.txt", "sub/x", &data);
    let mut names: Vec<_> =
        std::fs::read_dir(dir.path("sub")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!((names.pop(), names.pop()), (Some("x".into()), None));
}

/// A longer header would leave the other name with the old recipients, and after a crash during a
/// change in place, the file could be put right under one name only.
#[test]
fn a_file_with_several_hard_links_is_refused() {
    let (dir, data) = dir();
    std::fs::hard_link(dir.path("x"), dir.path("hard")).unwrap();
    let before = dir.read("x");
    for recipients in [&["-R", "b.pub"][..], &["-R", "b.pub", "-R", "c.pub"]] {
        let args = ["rekey", "-i", "key.txt"].iter().chain(recipients);
        let run = dir.run(args.clone().chain(&["x"])).fails("\"x\" has several hard links");
        assert!(String::from_utf8_lossy(&run.stderr).contains("-o OUTPUT makes a new file"));
        let several = dir.run(args.clone().chain(&["x", "hard"]));
        assert!(several.err().contains("\"hard\" has several hard links"), "{}", several.err());
        assert!(several.err().contains("2 of 2 files were not changed"), "{}", several.err());
        assert!(dir.read("x") == before && dir.read("hard") == before);
        dir.run(args.chain(&["-o", "y", "x"])).ok();
        opens(&dir, "b.txt", "y", &data);
    }
    std::fs::remove_file(dir.path("hard")).unwrap();
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "x"]).ok();
    opens(&dir, "b.txt", "x", &data);
}

#[test]
fn a_refused_command_changes_nothing() {
    let (dir, _) = dir();
    let before = (dir.read("x"), dir.names());
    dir.run(["rekey", "-i", "b.txt", "-R", "c.pub", "x"]).fails("no identity matches");
    dir.run(["rekey", "-i", "key.txt", "x"]).misused("missing recipients");
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub"]).misused("arguments were not provided: <FILE>...");
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "-"]).misused("missing FILE");
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "-p", "x"]).misused("can't be combined");
    dir.run(["rekey", "-R", "b.pub", "x"]).fails("an identity is needed");
    dir.run(["rekey", "-i", "key.txt", "-r", "age1nonsense", "x"]).fails("malformed recipient");
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "missing"]).fails("cannot open");
    assert_eq!((dir.read("x"), dir.names()), before);
    // Writing a new header does not repair a modified one.
    let mut bad = before.0.clone();
    let mac = String::from_utf8_lossy(&bad[..400]).find("\n---").unwrap() + 10;
    bad[mac] = if bad[mac] == b'A' { b'B' } else { b'A' };
    dir.write("x", &bad);
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "x"]).fails("header was changed");
    assert!(dir.read("x") == bad);
}

#[test]
fn a_run_that_was_partly_done_is_repeated_with_both_keys() {
    let dir = Dir::with_key();
    dir.keygen("new");
    std::fs::create_dir(dir.path("photos")).unwrap();
    for i in 0..120 {
        dir.encrypt_to("new.pub", b"x", &format!("photos/{i:03}.age"));
    }
    dir.encrypt(b"x", "photos/last.age");
    let run = dir.run(["rekey", "--no-manifest", "-i", "key.txt", "-R", "new.pub", "photos"]);
    let messages = run.err();
    assert_eq!(messages.matches("no identity matches").count(), 100, "{messages}");
    assert_eq!(messages.matches("also give the new key: -i NEW").count(), 1, "{messages}");
    assert!(messages.contains("120 of 121 files were not changed, 20 of them not named above"), "{messages}");
    let run = dir.run(["rekey", "--no-manifest", "-i", "key.txt", "-i", "new.txt", "-R", "new.pub", "photos"]);
    assert_eq!(run.ok().stdout, b"121 files have new recipients\n");
}

#[test]
fn encrypted_files_with_other_names_are_named() {
    let dir = Dir::with_key();
    std::fs::create_dir_all(dir.path("photos/sub")).unwrap();
    for name in ["a.age", "sub/U.AGE", ".age"] {
        dir.encrypt(b"x", &format!("photos/{name}"));
    }
    dir.run_with(b"x", ["-a", "-R", "key.pub", "-o", "photos/z.asc"]).quiet();
    dir.write("photos/note.txt", "note");
    for args in [&["inspect"][..], &["rekey", "--add", "--no-manifest", "-i", "key.txt", "-R", "key.pub"]] {
        let run = dir.run(args.iter().chain(&["photos"]));
        for name in ["sub/U.AGE", ".age", "z.asc"] {
            let warning = format!("warning: \"photos/{name}\" is left out: it is an encrypted file, but its name");
            assert!(run.err().contains(&warning), "{}", run.err());
        }
        assert_eq!(run.err().lines().count(), 3, "{}", run.err());
        run.ok();
    }
}

#[test]
fn many_files_and_folders() {
    let dir = Dir::with_key();
    for name in ["new", "other"] {
        dir.keygen(name);
    }
    std::fs::create_dir_all(dir.path("photos/2020")).unwrap();
    for name in ["photos/a", "photos/2020/b"] {
        dir.write(name, name);
    }
    dir.run(["-R", "key.pub", "-o", "sealed", "photos"]).quiet();
    dir.encrypt(b"one", "one.age");
    dir.encrypt_to("other.pub", b"two", "two");
    let run = dir.run(["rekey", "-i", "key.txt", "-R", "new.pub", "one.age", "two", "missing", "sealed"]);
    assert_eq!((run.status.code(), run.text().as_str()), (Some(1), "4 files have new recipients\n"));
    let messages = run.err();
    for what in ["\"two\": no identity matches", "\"missing\"", "2 of 6 files were not changed", "to exclude a person"]
    {
        assert!(messages.contains(what), "{what}: {messages}");
    }
    assert_eq!(dir.run(["-d", "-i", "new.txt", "one.age"]).quiet().stdout, b"one");
    assert_eq!(dir.run(["-d", "-i", "other.txt", "two"]).quiet().stdout, b"two");
    dir.run(["-d", "-i", "key.txt", "one.age"]).fails("no identity matches");
    // The manifest is changed too, and the files are still those in it.
    dir.run(["-d", "-i", "new.txt", "-o", "open", "sealed"]).quiet();
    assert_eq!(dir.read("open/photos/2020/b"), b"photos/2020/b");
    let run = dir.run(["rekey", "--add", "-i", "new.txt", "-R", "key.pub", "sealed"]).quiet();
    assert_eq!(run.stdout, b"3 files have new recipients\n");
    for key in ["key.txt", "new.txt"] {
        assert!(dir.run(["verify", "-i", key, "sealed"]).text().starts_with("2 files"));
    }
    // A link in a folder is not followed.
    std::os::unix::fs::symlink("../../two", dir.path("sealed/photos/link.age")).unwrap();
    let run = dir.run(["rekey", "--add", "-i", "other.txt", "-i", "key.txt", "-R", "new.pub", "sealed"]);
    assert!(run.status.code() == Some(1) && run.err().contains("is a link, and is not followed"), "{}", run.err());
    dir.run(["-d", "-i", "new.txt", "two"]).fails("no identity matches");
    for (args, what) in [
        (&["-o", "out", "-R", "new.pub"][..], "-o/--output can't be used with several files"),
        (&["-p"], "-p/--passphrase can't be used with several files"),
        (&["--part", "p", "-R", "new.pub"], "--part can't be used with several files"),
        (&["-R", "new.pub", "-"], "standard input can't be one of several inputs"),
        (&[], "missing recipients"),
    ] {
        dir.run(["rekey", "-i", "key.txt"].iter().chain(args).chain(&["one.age", "two"])).misused(what);
    }
}

/// After a failure, the manifest cannot have its old recipients and post-quantum ones.
#[test]
fn a_change_to_post_quantum_recipients_that_was_partly_done_is_repeated() {
    let dir = Dir::with_key();
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    let recipient = dir.run(["keygen", "-y", "pq.txt"]).text();
    std::fs::create_dir(dir.path("in")).unwrap();
    dir.write("in/a", "content");
    dir.run(["-R", "key.pub", "-o", "sealed", "in"]).quiet();
    std::fs::copy(dir.path("sealed/in/a.age"), dir.path("sealed/in/stray.age")).unwrap();
    let change = ["rekey", "-i", "key.txt", "-r", recipient.trim(), "sealed"];
    let run = dir.run(change);
    let messages = run.err();
    assert_eq!((run.status.code(), run.text().as_str()), (Some(1), "1 file has new recipients\n"));
    for what in [
        "\"sealed/sealane-manifest.age\": a file for post-quantum recipients cannot be given to others too",
        "it keeps only its old recipients until the causes of the other errors are corrected",
        "2 of 3 files were not changed",
    ] {
        assert!(messages.contains(what), "{what}: {messages}");
    }
    assert!(!messages.contains("--add"), "{messages}");
    std::fs::remove_file(dir.path("sealed/in/stray.age")).unwrap();
    assert_eq!(dir.run(change.iter().chain(&["-i", "pq.txt"])).ok().stdout, b"2 files have new recipients\n");
    assert!(dir.run(["verify", "-i", "pq.txt", "sealed"]).text().starts_with("1 file"));
}

#[test]
fn a_name_without_room_for_a_longer_one() {
    let (dir, data) = dir();
    // The kept header would get a longer name than file systems allow.
    let name = "n".repeat(240);
    std::fs::rename(dir.path("x"), dir.path(&name)).unwrap();
    let run = dir.run(["-d", "-i", "b.txt", &name]).fails("no identity matches");
    assert!(!String::from_utf8_lossy(&run.stderr).contains("interrupted"));
    let names = dir.names();
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", &name]).ok();
    opens(&dir, "b.txt", &name, &data);
    does_not_open(&dir, "key.txt", &name);
    assert_eq!(dir.names(), names);
}

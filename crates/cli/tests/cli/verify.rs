//! `sealane verify`: decrypts and authenticates everything, and writes nothing.

use std::fs;

use crate::support::{Dir, bytes};

/// Creates the folder `photos` with three files, and encrypts it to the folder `sealed`.
fn with_folder() -> Dir {
    let dir = Dir::with_key();
    fs::create_dir_all(dir.path("photos/2020")).unwrap();
    for (name, len) in [("photos/a", 10), ("photos/2020/b", 70_000), ("photos/2020/c", 0)] {
        dir.write(name, bytes(len));
    }
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "photos"]).quiet();
    dir
}

#[test]
fn intact_files_are_counted_and_nothing_is_written() {
    let dir = Dir::with_key();
    for (name, len) in [("one", 200_000), ("two", 0)] {
        dir.encrypt(&bytes(len), name);
    }
    dir.write("armored", dir.run_with(&bytes(1000), ["-a", "-R", "key.pub"]).ok().stdout);
    let before = dir.names();
    let verify = ["verify", "-i", "key.txt"];
    let summary = |files: &[&str]| dir.run(verify.iter().chain(files)).quiet().stdout;
    assert_eq!(summary(&["one"]), b"1 file with 200000 bytes of plaintext is intact\n");
    assert_eq!(summary(&["-t", "1", "one", "two", "armored"]), b"3 files with 201000 bytes of plaintext are intact\n");
    for input in [&["-"][..], &[]] {
        let summary = dir.run_with(&dir.read("one"), verify.iter().chain(input)).quiet().stdout;
        assert_eq!(summary, b"1 file with 200000 bytes of plaintext is intact\n");
    }
    assert_eq!(dir.names(), before);
}

#[test]
fn every_damage_is_an_error() {
    let dir = Dir::with_key();
    let file = {
        dir.encrypt(&bytes(200_000), "x");
        dir.read("x")
    };
    for at in [0, 30, 100, file.len() - 200_000, file.len() - 1] {
        let mut bad = file.clone();
        bad[at] ^= 1;
        dir.write("bad", bad);
        let output = dir.run(["verify", "-i", "key.txt", "bad"]).fails("");
        assert!(output.stdout.is_empty(), "{at}");
    }
    for cut in [file.len() - 1, file.len() - 65_000, 200, 0] {
        dir.write("bad", &file[..cut]);
        dir.run(["verify", "-i", "key.txt", "bad"]).fails("");
    }
    dir.write("bad", [&file[..], b"x"].concat());
    dir.run(["verify", "-i", "key.txt", "bad"]).fails("bad");
    // The other files are still verified.
    let run = dir.run(["verify", "-i", "key.txt", "bad", "x", "missing"]);
    assert_eq!(
        (run.status.code(), run.stdout.clone()),
        (Some(1), b"1 file with 200000 bytes of plaintext is intact\n".to_vec())
    );
    let messages = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(messages.contains("\"bad\"") && messages.contains("cannot open \"missing\""), "{messages}");
    assert!(messages.contains("2 of 3 files failed verification"), "{messages}");
}

#[test]
fn a_folder_is_compared_with_its_manifest() {
    let dir = with_folder();
    let verify = ["verify", "-i", "key.txt", "sealed"];
    assert_eq!(dir.run(verify).quiet().stdout, b"3 files with 70010 bytes of plaintext are intact\n");
    let b = dir.read("sealed/photos/2020/b.age");
    let complains = |what: &str| {
        let run = dir.run(verify);
        let messages = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.code() == Some(1) && messages.contains(what), "{messages}");
        assert!(String::from_utf8_lossy(&run.stdout).starts_with("2 files with 10 bytes"), "{messages}");
    };
    fs::remove_file(dir.path("sealed/photos/2020/b.age")).unwrap();
    complains("b.age\" is missing: it is in the manifest");
    dir.encrypt(&bytes(70_000), "sealed/photos/2020/b.age");
    complains("is not the file that was encrypted under this name");
    let mut bad = b.clone();
    *bad.last_mut().unwrap() ^= 1;
    dir.write("sealed/photos/2020/b.age", bad);
    complains("1 of 3 files failed verification");
    dir.write("sealed/photos/2020/b.age", b);
    dir.encrypt(b"new", "sealed/new.age");
    let run = dir.run(verify);
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stderr).contains("\"sealed/new.age\" is not in the manifest"));
    // Without the manifest, the added file counts like the others.
    fs::remove_file(dir.path("sealed/sealane-manifest.age")).unwrap();
    dir.run(verify).fails("");
    let summary = dir.run(["verify", "--no-manifest", "-i", "key.txt", "sealed"]).quiet().stdout;
    assert_eq!(summary, b"4 files with 70013 bytes of plaintext are intact\n");
    fs::create_dir(dir.path("empty")).unwrap();
    dir.run(["verify", "--no-manifest", "-i", "key.txt", "empty"]).fails("\"empty\" has no encrypted files");
    dir.keygen("other");
    let run = dir.run(["verify", "--no-manifest", "-i", "other.txt", "sealed"]);
    assert_eq!((run.status.code(), &run.stdout[..]), (Some(1), &b"0 files with 0 bytes of plaintext are intact\n"[..]));
}

#[test]
fn a_folder_that_is_known_to_be_incomplete_fails() {
    let dir = Dir::with_key();
    dir.write("a", "1");
    // /proc/self/mem cannot be read from its beginning.
    let run = dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "a", "/proc/self/mem"]);
    assert!(run.err().contains("1 of 2 files was not encrypted"), "{}", run.err());
    for flag in [None, Some("--no-manifest")] {
        let run = dir.run(["verify", "-i", "key.txt", "sealed"].into_iter().chain(flag));
        let messages = run.err();
        let why = "error: the run that encrypted \"sealed\" was interrupted, or could not encrypt all files";
        assert!(run.status.code() == Some(1) && messages.contains(why), "{messages}");
        assert!(messages.contains("error: 1 folder failed verification\n"), "{messages}");
        assert!(!messages.contains("another copy"), "{messages}");
        assert_eq!(run.text(), "1 file with 1 byte of plaintext is intact\n");
    }
    // A run that is still at work holds its journal.
    let journal = fs::File::open(dir.path("sealed/.sealane-resume")).unwrap();
    journal.lock().unwrap();
    for args in [
        &["verify", "-i", "key.txt", "sealed"][..],
        &["decrypt", "-i", "key.txt", "-o", "open", "sealed"],
        &["encrypt", "-R", "key.pub", "-o", "sealed", "a", "key.pub"],
        &["encrypt", "--no-manifest", "-R", "key.pub", "-o", "sealed", "key.pub", "key.txt"],
    ] {
        let messages = dir.run(args).err();
        assert!(messages.contains("another run is at work in \"sealed\""), "{messages}");
        assert!(!messages.contains("interrupted"), "{messages}");
    }
    let manifest = dir.read("sealed/sealane-manifest.age");
    fs::remove_file(dir.path("sealed/sealane-manifest.age")).unwrap();
    dir.run(["verify", "-i", "key.txt", "sealed"]).fails("another run is at work in \"sealed\"");
    dir.write("sealed/sealane-manifest.age", manifest);
    drop(journal);
    fs::remove_file(dir.path("sealed/.sealane-resume")).unwrap();
    dir.run(["verify", "-i", "key.txt", "sealed"]).quiet();
}

#[test]
fn files_with_other_names_are_left_out() {
    let dir = with_folder();
    for name in [".age", "note.txt"] {
        dir.encrypt(b"new", &format!("sealed/{name}"));
    }
    let run = dir.run(["verify", "--no-manifest", "-i", "key.txt", "sealed"]);
    for line in [
        "warning: \"sealed/.age\" is left out: its name has nothing before .age\n",
        "warning: \"sealed/note.txt\" is left out: its name does not end in .age, as names of encrypted files do\n",
    ] {
        assert!(run.err().contains(line), "{}", run.err());
    }
    run.ok();
    let run = dir.run(["verify", "-i", "key.txt", "sealed"]);
    assert!(run.status.code() == Some(1) && !run.err().contains("hint"), "{}", run.err());
}

#[test]
fn wrong_arguments() {
    let dir = Dir::with_key();
    dir.encrypt(b"x", "x");
    dir.run(["verify", "-i", "key.txt", "x", "-"]).misused("standard input can't be one of several");
    dir.run(["verify", "-i", "key.txt", "--part", "p", "x", "x"]).misused("--part can't be used with several files");
    fs::create_dir(dir.path("folder")).unwrap();
    dir.run(["verify", "-i", "key.txt", "--part", "p", "folder"]).misused("--part can't be used with");
    dir.run(["verify", "-o", "out", "x"]).misused("'-o'");
    dir.run(["verify", "x"]).fails("an identity is needed to open it");
    dir.run(["verify", "-i", "key.txt", "missing"]).fails("cannot open \"missing\"");
    dir.write("text", "hello");
    dir.run(["verify", "-i", "key.txt", "text"]).fails("not an age file");
}

#[test]
fn a_file_with_a_passphrase() {
    let dir = Dir::new();
    dir.write("plain", "secret");
    let run_with_passphrase = |passphrase: &str, args: &[&str]| {
        let mut command = dir.without_terminal(args);
        command.env("AGE_PASSPHRASE", passphrase);
        crate::support::finish(command)
    };
    run_with_passphrase("one", &["-p", "-o", "x", "plain"]).ok();
    assert_eq!(
        run_with_passphrase("one", &["verify", "x"]).quiet().stdout,
        b"1 file with 6 bytes of plaintext is intact\n"
    );
    run_with_passphrase("two", &["verify", "x"]).fails("incorrect passphrase");
}

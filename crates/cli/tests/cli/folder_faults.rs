//! Changes to encrypted folders, and their error messages.

use std::fs;
use std::os::unix::fs::symlink;

use crate::folder::{listing, with_photos};
use crate::support::{Dir, bytes};

fn sealed_photos() -> Dir {
    let dir = with_photos();
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "photos"]).quiet();
    dir
}

/// Decrypts to the folder `open`. This must fail for exactly these reasons.
#[track_caller]
fn complains(dir: &Dir, reasons: &[&str]) {
    let run = dir.run(["decrypt", "-i", "key.txt", "-o", "open", "sealed"]);
    let err = run.err();
    assert_eq!(run.status.code(), Some(1), "{err}");
    let errors: Vec<_> = err.lines().filter(|line| line.starts_with("sealane: error: ")).collect();
    assert_eq!(errors.len(), reasons.len() + 1, "{err}");
    for reason in reasons {
        assert!(errors.iter().any(|error| error.contains(reason)), "{reason}:\n{err}");
    }
    assert!(errors.last().unwrap().contains("files were not decrypted"), "{err}");
    assert!(!err.contains("panicked"), "{err}");
}

/// Checks that all other files were decrypted.
fn assert_others_are_whole(dir: &Dir, not: &[&str]) {
    let expected: Vec<_> = listing(&dir.path("photos"))
        .into_iter()
        .filter(|entry| !not.iter().any(|name| entry.0 == std::path::Path::new(name)))
        .collect();
    assert!(listing(&dir.path("open/photos")) == expected);
}

/// To the command, the limit is like a full disk.
#[test]
fn a_full_disk_leaves_no_incomplete_line_in_the_journal() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("in")).unwrap();
    for number in 0..30 {
        dir.write(&format!("in/{number}"), "content");
    }
    for threads in [1, 3] {
        let args = format!("encrypt -t {threads} -R key.pub -o out{threads} in");
        // The largest length of a file is 2 KiB, which some ten lines reach.
        let run = dir.sh(&format!("ulimit -f 4; exec \"$SEALANE\" {args}"));
        run.fails(&format!("cannot write to \"out{threads}/.sealane-resume\": File too large"));
        let journal = dir.read(&format!("out{threads}/.sealane-resume"));
        assert!(journal.len() > 1024 && journal.ends_with(b"\n"), "{}", String::from_utf8_lossy(&journal));
        for line in journal.trim_ascii_end().split(|byte| *byte == b'\n') {
            serde_json::from_slice::<serde_json::Value>(line).unwrap();
        }
        dir.sh(&format!("exec \"$SEALANE\" {args} --resume")).quiet();
        dir.run(["verify", "-i", "key.txt", &format!("out{threads}")]).quiet();
    }
}

#[test]
fn missing_added_and_exchanged_files_are_noticed() {
    let dir = sealed_photos();
    let sealed = |name: &str| dir.path("sealed/photos").join(name);
    fs::remove_file(sealed(".hidden.age")).unwrap();
    // Two files change their places.
    fs::rename(sealed("a.jpg.age"), sealed("x")).unwrap();
    fs::rename(sealed("2020/b.jpg.age"), sealed("a.jpg.age")).unwrap();
    fs::rename(sealed("x"), sealed("2020/b.jpg.age")).unwrap();
    // One file comes from outside but has the same recipients, and one file replaces another.
    dir.encrypt(b"forged", "sealed/photos/new.age");
    dir.encrypt(b"forged", "sealed/photos/c.age.age");
    dir.write("sealed/note.txt", "hello");
    symlink("a.jpg.age", sealed("link.age")).unwrap();
    complains(
        &dir,
        &[
            "\"sealed/photos/.hidden.age\" is missing",
            "\"sealed/photos/a.jpg.age\" is not the file that was encrypted under this name",
            "\"sealed/photos/2020/b.jpg.age\" is not the file that was encrypted under this name",
            "\"sealed/photos/new.age\" is not in the manifest: it was added",
            "\"sealed/photos/c.age.age\" is not the file that was encrypted under this name",
            "\"sealed/note.txt\" is left out: its name does not end in .age",
            "\"sealed/photos/link.age\" is a link",
        ],
    );
    assert_others_are_whole(&dir, &[".hidden", "a.jpg", "2020/b.jpg", "c.age"]);
    // The error about an exchanged file says which file it is.
    let hint = dir.run(["decrypt", "-i", "key.txt", "-o", "open2", "sealed"]).err();
    assert!(hint.contains("it is the encrypted file of \"photos/2020/b.jpg\""), "{hint}");
}

#[test]
fn damage_is_noticed_and_leaves_no_file() {
    let dir = sealed_photos();
    let mut photo = dir.read("sealed/photos/a.jpg.age");
    let middle = photo.len() / 2;
    photo[middle] ^= 1;
    dir.write("sealed/photos/a.jpg.age", &photo);
    let large = dir.read("sealed/photos/2020/may/large.age");
    dir.write("sealed/photos/2020/may/large.age", &large[..large.len() - 1]);
    dir.write("sealed/photos/.hidden.age", "");
    complains(&dir, &["a.jpg.age\": ", "large.age\": ", ".hidden.age\": "]);
    assert_others_are_whole(&dir, &[".hidden", "a.jpg", "2020/may/large"]);
    // Restores the good file, and runs with --resume.
    dir.write("sealed/photos/2020/may/large.age", large);
    let run = dir.run(["decrypt", "--resume", "-i", "key.txt", "-o", "open", "sealed"]);
    assert!(run.err().contains("2 of 8 files were not decrypted"), "{}", run.err());
    assert_others_are_whole(&dir, &[".hidden", "a.jpg"]);
}

#[test]
fn changes_to_the_manifest_are_noticed() {
    let dir = sealed_photos();
    // An old manifest is authentic, but new files are not those that it lists.
    dir.run(["encrypt", "-R", "key.pub", "-o", "newer", "photos"]).quiet();
    fs::copy(dir.path("sealed/sealane-manifest.age"), dir.path("newer/sealane-manifest.age")).unwrap();
    let run = dir.run(["decrypt", "-i", "key.txt", "-o", "open", "newer"]);
    assert!(run.err().contains("8 of 8 files were not decrypted"), "{}", run.err());
    let manifest = dir.read("sealed/sealane-manifest.age");
    dir.write("sealed/sealane-manifest.age", &manifest[..manifest.len() - 1]);
    dir.run(["decrypt", "-i", "key.txt", "-o", "no", "sealed"]).fails("sealane-manifest.age");
    dir.encrypt(b"{\"sealane-manifest\":2}\n", "sealed/sealane-manifest.age");
    dir.run(["decrypt", "-i", "key.txt", "-o", "no", "sealed"]).fails("version 2");
    dir.keygen("other");
    dir.encrypt_to("other.pub", b"x", "sealed/sealane-manifest.age");
    dir.run(["decrypt", "-i", "key.txt", "-o", "no", "sealed"]).fails("no identity matches");
    assert!(!dir.exists("no"));
    fs::remove_file(dir.path("sealed/sealane-manifest.age")).unwrap();
    dir.write("sealed/README", "not sealed");
    dir.run(["decrypt", "-i", "key.txt", "-o", "bare", "sealed"]).fails("\"sealed\" has no manifest");
    assert!(!dir.exists("bare"));
    let run = dir.run(["decrypt", "--no-manifest", "-i", "key.txt", "-o", "bare", "sealed"]);
    assert!(run.err().contains("\"sealed/README\" is left out: its name does not end in .age"), "{}", run.err());
    run.ok();
    fs::remove_file(dir.path("sealed/README")).unwrap();
    dir.run(["decrypt", "--no-manifest", "-i", "key.txt", "-o", "bare2", "sealed"]).quiet();
    assert!(dir.read("bare2/photos/a.jpg") == bytes(70_000));
    assert!(!dir.exists("bare2/photos/2020/link"), "only a manifest has links");
    symlink("a.jpg.age", dir.path("sealed/photos/link.age")).unwrap();
    let run = dir.run(["decrypt", "--no-manifest", "-i", "key.txt", "-o", "bare3", "sealed"]);
    assert!(run.err().contains("link.age\" is a link") && run.status.code() == Some(1), "{}", run.err());
    assert!(!dir.exists("bare3/photos/link"));
}

#[test]
fn a_file_with_new_recipients_is_still_the_same_file() {
    let dir = sealed_photos();
    let new = dir.keygen("new");
    for file in ["photos/a.jpg.age", "photos/2020/may/large.age", "sealane-manifest.age"] {
        dir.run(["rekey", "--add", "-i", "key.txt", "-r", &new, &format!("sealed/{file}")]).quiet();
    }
    dir.run(["decrypt", "-i", "key.txt", "-o", "open", "sealed"]).quiet();
    assert_others_are_whole(&dir, &[]);
}

/// The work for a name grows with the square of its components, and anyone can write a manifest.
#[test]
fn a_name_that_is_too_long_is_refused_at_once() {
    let dir = sealed_photos();
    for name in ["a/".repeat(100_000) + "b", "a/".repeat(256) + "b", "n".repeat(4097)] {
        let line = format!("{{\"type\":\"directory\",\"name\":\"{name}\"}}\n");
        dir.encrypt(format!("{{\"sealane-manifest\":1}}\n{line}").as_bytes(), "sealed/sealane-manifest.age");
        let why = "the manifest is malformed: a name has more than 4096 bytes or 256 components";
        dir.run(["decrypt", "-i", "key.txt", "-o", "no", "sealed"]).fails(why);
        dir.run(["verify", "-i", "key.txt", "sealed"]).fails(why);
        assert!(!dir.exists("no"));
    }
    // No such name is written.
    let deepest = ["photos"].into_iter().chain(["d"; 254]).collect::<Vec<_>>().join("/");
    fs::create_dir_all(dir.path(&deepest).join("d")).unwrap();
    for name in ["whole", "d/left"] {
        dir.write(&format!("{deepest}/{name}"), "content");
    }
    let run = dir.run(["encrypt", "-R", "key.pub", "-o", "deep", "photos"]);
    let errors: Vec<_> = run.err().lines().filter(|line| line.contains("error: ")).map(str::to_owned).collect();
    assert!(errors[0].contains("d/left\" is left out: its name has more than 4096 bytes or 256 components"));
    assert!(errors[1].contains("1 of 10 files was not encrypted"), "{errors:?}");
    assert_eq!((run.status.code(), errors.len()), (Some(1), 2));
    dir.run(["decrypt", "-i", "key.txt", "-o", "deep.open", "deep"]).ok();
    assert_eq!(dir.read(&format!("deep.open/{deepest}/whole")), b"content");
}

/// Anyone can write such a manifest, and other systems may allow such a name.
#[test]
fn a_folder_that_cannot_be_created_does_not_keep_others_from_being_decrypted() {
    let dir = sealed_photos();
    let manifest = dir.run(["-d", "-i", "key.txt", "sealed/sealane-manifest.age"]).quiet().stdout;
    let manifest = String::from_utf8(manifest).unwrap();
    let long = "x".repeat(300);
    let lines =
        ["", "/inside"].map(|end| format!("{{\"type\":\"directory\",\"name\":\"{long}{end}\",\"mode\":448}}\n"));
    dir.encrypt(format!("{manifest}{}", lines.concat()).as_bytes(), "sealed/sealane-manifest.age");
    complains(&dir, &[&format!("cannot write to \"open/{long}\""), &format!("cannot write to \"open/{long}/inside\"")]);
    assert_others_are_whole(&dir, &[]);
    let line = "{\"type\":\"directory\",\"name\":\"a\\u0000b\"}\n";
    dir.encrypt(format!("{manifest}{line}").as_bytes(), "sealed/sealane-manifest.age");
    for run in [&["decrypt", "-o", "no"][..], &["verify"]] {
        dir.run(run.iter().copied().chain(["-i", "key.txt", "sealed"])).fails("not a name within a folder");
    }
    assert!(!dir.exists("no"));
}

/// Two folders have a file of one name. It is missing in the first.
#[test]
fn a_file_is_compared_with_the_manifest_of_its_own_folder() {
    let dir = Dir::with_key();
    for (name, content) in [("one", "1"), ("two", "2")] {
        fs::create_dir(dir.path(name)).unwrap();
        dir.write(&format!("{name}/x"), content);
        dir.write(&format!("{name}/{name}"), content);
        let [sealed, x, other] = [".sealed", "/x", &format!("/{name}")].map(|end| format!("{name}{end}"));
        dir.run(["encrypt", "-R", "key.pub", "-o", &sealed, &x, &other]).quiet();
    }
    fs::remove_file(dir.path("one.sealed/x.age")).unwrap();
    for (number, inputs) in [
        ["one.sealed", "two.sealed"],
        ["two.sealed", "one.sealed"],
        ["two.sealed/x.age", "one.sealed"],
        ["one.sealed", "two.sealed/x.age"],
    ]
    .into_iter()
    .enumerate()
    {
        let open = format!("open{number}");
        let run = dir.run(["decrypt", "-i", "key.txt", "-o", &open].into_iter().chain(inputs));
        let errors = run.err();
        assert!(errors.contains("\"one.sealed/x.age\" is missing: it is in the manifest"), "{errors}");
        assert_eq!(errors.matches("error: ").count(), 2, "{errors}");
        assert_eq!(dir.read(&format!("{open}/x")), b"2", "{inputs:?}");
    }
    // A missing file that has another file's name is still recognised.
    fs::rename(dir.path("two.sealed/x.age"), dir.path("two.sealed/two.age")).unwrap();
    let errors = dir.run(["decrypt", "-i", "key.txt", "-o", "no", "two.sealed"]).err();
    assert!(errors.contains("it is the encrypted file of \"x\""), "{errors}");
}

/// An attacker who knows the public key replaces the manifest with one that has additional lines.
#[test]
fn a_manifest_cannot_lead_out_of_the_folder() {
    let dir = sealed_photos();
    let manifest = dir.run(["-d", "-i", "key.txt", "sealed/sealane-manifest.age"]).quiet().stdout;
    let manifest = String::from_utf8(manifest).unwrap();
    fs::create_dir(dir.path("outside")).unwrap();
    for name in ["../x", "/x", "a/../../x"] {
        let line = format!("{{\"type\":\"link\",\"name\":\"{name}\",\"target\":\"y\"}}\n");
        dir.encrypt(format!("{manifest}{line}").as_bytes(), "sealed/sealane-manifest.age");
        dir.run(["decrypt", "-i", "key.txt", "-o", "no", "sealed"]).fails("not a name within a folder");
        assert!(!dir.exists("no"));
    }
    // A link in the place of a folder, through which files would be written.
    let target = dir.path("outside").display().to_string();
    let line = format!("{{\"type\":\"link\",\"name\":\"photos/2020\",\"target\":\"{target}\"}}\n");
    let others: String = manifest
        .lines()
        .filter(|line| !line.contains("\"name\":\"photos/2020\""))
        .map(|line| format!("{line}\n"))
        .collect();
    dir.encrypt(format!("{others}{line}").as_bytes(), "sealed/sealane-manifest.age");
    let why = "\"photos/2020\" is listed as a file or a link, but contains entries";
    dir.run(["decrypt", "--allow-external-links", "-i", "key.txt", "-o", "no", "sealed"]).fails(why);
    dir.run(["verify", "-i", "key.txt", "sealed"]).fails(why);
    assert!(!dir.exists("no"));
    assert_eq!(fs::read_dir(dir.path("outside")).unwrap().count(), 0);
    // The same, with a link that existed before.
    fs::create_dir_all(dir.path("open2/photos")).unwrap();
    symlink(dir.path("outside"), dir.path("open2/photos/2020")).unwrap();
    dir.run(["decrypt", "--no-manifest", "-i", "key.txt", "-o", "open2", "sealed"])
        .fails("\"open2/photos/2020\" is not a folder");
    // The same with folders that have no files.
    let line = "{\"type\":\"directory\",\"name\":\"photos/2020/new\",\"mode\":511}\n";
    dir.encrypt(format!("{manifest}{line}").as_bytes(), "sealed/sealane-manifest.age");
    dir.run(["decrypt", "-i", "key.txt", "-o", "open2", "sealed"]).fails("\"open2/photos/2020\" is not a folder");
    assert_eq!(fs::read_dir(dir.path("outside")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(dir.path("open2")).unwrap().count(), 1, "nothing was begun");
}

#[test]
fn one_file_that_cannot_be_read_does_not_stop_the_others() {
    let dir = Dir::with_key();
    dir.write("a", "1");
    dir.write("b", "2");
    fs::create_dir(dir.path("proc")).unwrap();
    // /proc/self/mem looks like a regular file, but its first byte cannot be read.
    let run = dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "a", "/proc/self/mem", "b"]);
    let err = run.err();
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(err.contains("cannot read \"/proc/self/mem\""), "{err}");
    assert!(err.contains("1 of 3 files was not encrypted"), "{err}");
    // The manifest lists only the files that were written.
    let run = dir.run(["decrypt", "-i", "key.txt", "-o", "open", "sealed"]);
    assert!(
        run.err()
            .contains("warning: the run that encrypted \"sealed\" was interrupted, or could not encrypt all files")
    );
    run.ok();
    assert_eq!(dir.read("open/b"), b"2");
    assert!(!dir.exists("open/mem"));
    dir.run(["encrypt", "-R", "key.pub", "-o", "never", "a", "missing"]).fails("cannot open \"missing\"");
    dir.run(["encrypt", "-R", "key.pub", "-o", "never", "a", "/dev/null"]).fails("is not a regular file");
    assert!(!dir.exists("never"));
}

#[test]
fn every_missing_file_is_named() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("x")).unwrap();
    for i in 0..130 {
        dir.write(&format!("x/{i:03}"), "content");
    }
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "x"]).quiet();
    for i in 0..120 {
        fs::remove_file(dir.path(&format!("sealed/x/{i:03}.age"))).unwrap();
    }
    let err = dir.run(["decrypt", "-i", "key.txt", "-o", "open", "sealed"]).err();
    assert_eq!(err.lines().filter(|line| line.contains("is missing: it is in the manifest")).count(), 120);
    assert!(err.contains("120 of 130 files were not decrypted\n"), "{err}");
    // If many files fail while they are decrypted, only the first 100 errors are printed.
    dir.keygen("other");
    let err = dir.run(["decrypt", "--no-manifest", "-i", "other.txt", "-o", "no", "sealed"]).err();
    assert!(err.contains("10 of 10 files were not decrypted\n"), "{err}");
    dir.run(["encrypt", "-R", "key.pub", "-o", "again", "x"]).quiet();
    let err = dir.run(["decrypt", "--no-manifest", "-i", "other.txt", "-o", "no2", "again"]).err();
    assert!(err.contains("130 of 130 files were not decrypted, 30 of them not named above"), "{err}");
    // Verification names all of them.
    let err = dir.run(["verify", "--no-manifest", "-i", "other.txt", "again"]).err();
    assert_eq!(err.lines().filter(|line| line.contains(".age\": ")).count(), 130);
    assert!(err.contains("130 of 130 files failed verification\n"), "{err}");
}

//! What a store of files can do to `sealane rekey`.

use crate::rekey::{dir, does_not_open, opens};
use crate::support::Dir;

/// Whoever stores a folder must not get the user's other files from a change of recipients.
#[test]
fn a_folder_gives_away_only_the_files_in_its_manifest() {
    let dir = Dir::with_key();
    dir.keygen("bob");
    std::fs::create_dir(dir.path("shared")).unwrap();
    for name in ["shared/a", "shared/b", "shared/c"] {
        dir.write(name, name);
    }
    dir.run(["-R", "key.pub", "-o", "sealed", "shared"]).quiet();
    dir.encrypt(b"dear diary", "diary.age");
    let diary = dir.read("diary.age");
    for name in ["sealed/shared/b.age", "sealed/shared/new.age"] {
        dir.write(name, &diary);
    }
    std::fs::rename(dir.path("sealed/shared/c.age"), dir.path("c.age")).unwrap();
    let run = dir.run(["rekey", "--add", "-i", "key.txt", "-R", "bob.pub", "sealed"]);
    assert_eq!((run.status.code(), run.text().as_str()), (Some(1), "2 files have new recipients\n"));
    dir.write("sealed/README", "no encrypted file");
    for what in [
        "\"sealed/shared/b.age\" is not the file that was encrypted under this name",
        "\"sealed/shared/new.age\" is not in the manifest: it was added",
        "\"sealed/shared/c.age\" is missing",
        "3 of 5 files were not changed",
    ] {
        assert!(run.err().contains(what), "{what}: {}", run.err());
    }
    for name in ["sealed/shared/b.age", "sealed/shared/new.age"] {
        assert!(dir.read(name) == diary, "{name}");
    }
    assert_eq!(dir.run(["-d", "-i", "bob.txt", "sealed/shared/a.age"]).quiet().stdout, b"shared/a");
    assert_eq!(dir.run(["-d", "-i", "bob.txt", "-o", "opened", "sealed"]).status.code(), Some(1));
    assert_eq!(dir.read("opened/shared/a"), b"shared/a");

    // Bob could open the manifest alone, but then this command could not be repeated.
    let replace = ["rekey", "-i", "key.txt", "-R", "bob.pub", "sealed"];
    for _ in 0..2 {
        let run = dir.run(replace);
        assert!(run.err().contains("the old recipients can still open the manifest"), "{}", run.err());
        assert!(run.err().contains("\"sealed/README\" is left out: its name does not end in .age"), "{}", run.err());
        assert!(dir.read("sealed/shared/b.age") == diary, "{}", run.err());
    }

    // Without the manifest, nothing can be compared.
    std::fs::remove_file(dir.path("sealed/sealane-manifest.age")).unwrap();
    let rekey = ["rekey", "--add", "-i", "key.txt", "-R", "bob.pub", "sealed"];
    let run = dir.run(rekey);
    assert!(run.status.code() == Some(1) && run.err().contains("\"sealed\" has no manifest"), "{}", run.err());
    dir.run(["-d", "-i", "bob.txt", "sealed/shared/new.age"]).fails("no identity matches");
    let run = dir.run(rekey.iter().chain(&["-i", "bob.txt", "--no-manifest"]));
    assert_eq!(run.ok().stdout, b"3 files have new recipients\n");
    dir.run(["rekey", "--no-manifest", "-i", "key.txt", "-R", "bob.pub", "diary.age"]).misused("--no-manifest is for");
    assert_eq!(dir.run(["-d", "-i", "bob.txt", "sealed/shared/new.age"]).quiet().stdout, b"dear diary");
}

/// Whoever stores the file keeps the old header. The payload and its key stay the same.
#[test]
fn an_old_header_opens_the_file_after_a_change_of_recipients() {
    let (dir, data) = dir();
    let old = dir.read("x");
    let header = old.len() - 200_080;
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "-R", "c.pub", "x"]).ok();
    does_not_open(&dir, "key.txt", "x");
    let new = dir.read("x");
    dir.write("x", [&old[..header], &new[new.len() - 200_080..]].concat());
    opens(&dir, "key.txt", "x", &data);
    does_not_open(&dir, "b.txt", "x");
}

/// Whoever stores a file puts another one in its place, which the user can open.
#[test]
fn a_file_in_the_place_of_another_is_given_away() {
    let (dir, _) = dir();
    dir.encrypt(b"dear diary", "diary");
    for exchange in [
        |dir: &Dir| std::fs::rename(dir.path("diary"), dir.path("x")),
        |dir: &Dir| {
            dir.encrypt(b"dear diary", "diary");
            std::fs::remove_file(dir.path("x"))?;
            std::os::unix::fs::symlink("diary", dir.path("x"))
        },
    ] {
        exchange(&dir).unwrap();
        dir.run(["rekey", "--add", "-i", "key.txt", "-R", "b.pub", "x"]).quiet();
        opens(&dir, "b.txt", "x", b"dear diary");
    }
    opens(&dir, "b.txt", "diary", b"dear diary");
}

/// The padding shows that recipients were removed. It cannot be changed.
#[test]
fn padding_of_a_header_is_authenticated() {
    let (dir, data) = dir();
    dir.run(["rekey", "-i", "key.txt", "-R", "b.pub", "-R", "c.pub", "x"]).ok();
    dir.run(["rekey", "-i", "b.txt", "-R", "key.pub", "x"]).ok();
    let padded = dir.read("x");
    let start = padded.windows(11).position(|bytes| bytes == b"-> padding-").unwrap();
    let end = start + padded[start..].windows(4).position(|bytes| bytes == b"\n---").unwrap() + 1;
    let changed = |padding: &[u8]| [&padded[..start], padding, &padded[end..]].concat();
    assert!(changed(&padded[start..end]) == padded);
    opens(&dir, "key.txt", "x", &data);
    let [shorter, longer] =
        [[&b"-> padding-"[..], &padded[start + 12..end]], [b"-> padding---", &padded[start + 12..end]]];
    for padding in [&b""[..], &shorter.concat(), &longer.concat(), b"-> other\n\n"] {
        dir.write("x", changed(padding));
        for args in [&["-d", "-i", "key.txt", "x"][..], &["rekey", "-i", "key.txt", "-R", "b.pub", "x"]] {
            dir.run(args).fails("the header was changed");
        }
    }
}

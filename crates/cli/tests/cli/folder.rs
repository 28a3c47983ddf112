//! Many files, and folders.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use crate::support::{Dir, bytes};

/// Returns names, kinds, modes, times and content of a tree, for comparison.
pub(crate) fn listing(root: &Path) -> Vec<(PathBuf, u32, i64, Vec<u8>)> {
    let mut all = Vec::new();
    let mut todo = vec![root.to_owned()];
    while let Some(path) = todo.pop() {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let time = metadata.mtime() * 1_000_000_000 + metadata.mtime_nsec();
            let within = path.strip_prefix(root).unwrap().to_owned();
            if metadata.is_dir() {
                all.push((within, metadata.mode(), time, b"folder".to_vec()));
                todo.push(path);
            } else if metadata.is_symlink() {
                // The time of a link is not kept.
                all.push((within, 0, 0, fs::read_link(path).unwrap().as_os_str().as_bytes().to_vec()));
            } else {
                all.push((within, metadata.mode(), time, fs::read(path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

/// Checks that two trees are the same.
pub(crate) fn assert_alike(dir: &Dir, left: &str, right: &str) {
    let (one, two) = (listing(&dir.path(left)), listing(&dir.path(right)));
    let brief = |(path, mode, time, content): &(PathBuf, u32, i64, Vec<u8>)| {
        format!("{} {mode:o} {time} {} bytes", path.display(), content.len())
    };
    let differ: Vec<_> =
        one.iter().filter(|&e| !two.contains(e)).chain(two.iter().filter(|&e| !one.contains(e))).collect();
    assert!(differ.is_empty(), "{left} and {right} differ: {:#?}", differ.into_iter().map(brief).collect::<Vec<_>>());
}

/// Creates a directory with a key, and with the folder `photos`, which has all kinds of entries.
pub(crate) fn with_photos() -> Dir {
    let dir = Dir::with_key();
    for folder in ["photos/2020/may", "photos/empty"] {
        fs::create_dir_all(dir.path(folder)).unwrap();
    }
    dir.write("photos/a.jpg", bytes(70_000));
    dir.write("photos/2020/b.jpg", bytes(65_536));
    dir.write("photos/2020/may/large", bytes(17 << 20));
    dir.write("photos/2020/may/nothing", "");
    dir.write("photos/-r", "a name like a flag");
    dir.write("photos/.hidden", "hidden");
    dir.write("photos/c.age", "sealed in name only");
    fs::write(dir.path("photos").join(OsStr::from_bytes(b"not\xfftext\n")), "odd").unwrap();
    symlink("../a.jpg", dir.path("photos/2020/link")).unwrap();
    symlink("nowhere", dir.path("photos/broken")).unwrap();
    dir.set_mode("photos/a.jpg", 0o600);
    dir.set_mode("photos/-r", 0o444);
    let times = FileTimes::new().set_modified(UNIX_EPOCH + Duration::from_nanos(1_234_567_890_123_456_789));
    for old in ["photos/2020/b.jpg", "photos/empty"] {
        File::open(dir.path(old)).unwrap().set_times(times).unwrap();
    }
    dir.set_mode("photos/empty", 0o555);
    dir.set_mode("photos/2020", 0o750);
    dir
}

#[test]
fn a_name_that_is_too_long_does_not_stop_the_other_files() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("x")).unwrap();
    let long = "n".repeat(252);
    dir.write(&format!("x/{long}"), "too long with four more");
    dir.write("x/short", "content");
    let run = dir.run(["-R", "key.pub", "-o", "out", "x"]);
    assert!(run.err().contains("File name too long"), "{}", run.err());
    assert!(run.err().contains("1 of 2 files was not encrypted"), "{}", run.err());
    assert_eq!(run.status.code(), Some(1));
    dir.run(["-d", "-i", "key.txt", "-o", "open", "out"]).ok();
    assert_eq!(dir.read("open/x/short"), b"content");
}

#[test]
fn folders_with_the_same_name_become_one() {
    let dir = Dir::with_key();
    for (folder, file) in [("a/deep", "one"), ("b/deep", "two")] {
        fs::create_dir_all(dir.path(folder)).unwrap();
        dir.write(&format!("{folder}/{file}"), file);
    }
    encrypt(&dir, ["-o", "out", "a/deep", "b/deep"]);
    dir.run(["-d", "-i", "key.txt", "-o", "open", "out"]).quiet();
    assert_eq!((dir.read("open/deep/one"), dir.read("open/deep/two")), (b"one".to_vec(), b"two".to_vec()));
}

fn encrypt<'a>(dir: &Dir, args: impl IntoIterator<Item = &'a str>) {
    dir.run(["encrypt", "-R", "key.pub"].into_iter().chain(args)).quiet();
}

#[test]
fn a_folder_is_restored_exactly() {
    let dir = with_photos();
    let before = listing(&dir.path("photos"));
    for (name, flags) in [("one", vec!["-t", "1"]), ("three", vec!["-t", "3"]), ("text", vec!["-a"])] {
        let (sealed, open) = (format!("{name}.sealed"), format!("{name}.open"));
        encrypt(&dir, flags.iter().copied().chain(["-o", &sealed, "photos"]));
        assert!(listing(&dir.path("photos")) == before, "the source is left alone");
        let threads = if flags[0] == "-t" { flags.as_slice() } else { &[] };
        let args = ["decrypt", "-i", "key.txt", "-o", &open, &sealed];
        dir.run(args.iter().chain(threads)).quiet();
        assert!(listing(&dir.path(&open).join("photos")) == before, "{name}");
        let names: Vec<_> = fs::read_dir(dir.path(&open)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["photos"]);
        // Each encrypted file is an ordinary age file, and has the mode of its plaintext.
        let photo = format!("{sealed}/photos/a.jpg.age");
        assert!(dir.run(["-d", "-i", "key.txt", &photo]).quiet().stdout == bytes(70_000));
        assert_eq!(dir.mode(&photo), 0o600);
        assert_eq!(dir.read(&photo).starts_with(b"-----BEGIN"), name == "text");
        assert!(!dir.exists(&format!("{sealed}/.sealane-resume")));
    }
}

#[test]
fn the_manifest_has_the_documented_format() {
    let dir = with_photos();
    encrypt(&dir, ["-o", "sealed", "photos"]);
    let manifest = dir.run(["-d", "-i", "key.txt", "sealed/sealane-manifest.age"]).quiet().stdout;
    let lines: Vec<serde_json::Value> =
        String::from_utf8(manifest).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], serde_json::json!({ "sealane-manifest": 1 }));
    let entry = |name: &str| lines.iter().find(|line| line["name"] == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(entry("photos/2020")["type"], "directory");
    assert_eq!(entry("photos/2020/link")["target"], "../a.jpg");
    let photo = entry("photos/2020/b.jpg");
    assert_eq!(photo["size"], 65_536);
    assert_eq!(photo["modified"], serde_json::json!([1_234_567_890, 123_456_789]));
    assert_eq!(photo["id"].as_str().unwrap().len(), 43);
    assert!(lines.iter().any(|line| line["name"]["base64"] == "cGhvdG9zL25vdP90ZXh0Cg=="));
    // A first line, photos and three folders in it, two links, eight files.
    assert_eq!(lines.len(), 1 + 4 + 2 + 8);
}

#[test]
fn several_files_keep_their_names() {
    let dir = Dir::with_key();
    fs::create_dir_all(dir.path("x/deep")).unwrap();
    dir.write("x/one", "1");
    dir.write("x/deep/two", "2");
    dir.write("three", "3");
    encrypt(&dir, ["-o", "sealed", "x/one", "x/deep/", "./three"]);
    let names = |name: &str| listing(&dir.path(name)).into_iter().map(|entry| entry.0).collect::<Vec<_>>();
    let sealed = ["deep", "deep/two.age", "one.age", "sealane-manifest.age", "three.age"].map(PathBuf::from);
    assert_eq!(names("sealed"), sealed);
    dir.run(["-d", "-i", "key.txt", "-o", "open", "sealed/three.age", "sealed/one.age"]).quiet();
    assert_eq!(names("open"), ["one", "three"].map(PathBuf::from));
    assert_eq!(dir.read("open/one"), b"1");
    // An input without a name, such as `.`, gives its content. The command without a subcommand
    // does the same.
    fs::create_dir(dir.path("work")).unwrap();
    let encrypted = dir.sh("cd x && \"$SEALANE\" -R ../key.pub -o ../here .");
    encrypted.quiet();
    assert_eq!(names("here"), ["deep", "deep/two.age", "one.age", "sealane-manifest.age"].map(PathBuf::from));
    // The target folder already has other files.
    dir.run(["-d", "-i", "key.txt", "-o", "open", "here/deep"]).fails("\"here/deep\" has no manifest");
    dir.run(["-d", "-i", "key.txt", "--no-manifest", "-o", "open", "here/deep"]).quiet();
    assert_eq!(names("open"), ["one", "three", "two"].map(PathBuf::from));
}

#[test]
fn one_file_goes_into_a_folder_on_request() {
    let dir = Dir::with_key();
    dir.write("a", "content");
    fs::create_dir(dir.path("there")).unwrap();
    for out in ["new/", "there"] {
        encrypt(&dir, ["-o", out, "a"]);
        assert!(dir.exists(&format!("{}/a.age", out.trim_end_matches('/'))), "{out}");
    }
    encrypt(&dir, ["--resume", "-o", "fresh", "a"]);
    dir.run(["-d", "-i", "key.txt", "-o", "open/", "fresh/a.age"]).quiet();
    assert_eq!(dir.read("open/a"), b"content");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_is_followed() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("real")).unwrap();
    dir.write("real/a", "content");
    dir.set_mode("real", 0o700);
    symlink("real", dir.path("link")).unwrap();
    fs::create_dir(dir.path("place")).unwrap();
    symlink("place", dir.path("sealed")).unwrap();
    encrypt(&dir, ["-o", "sealed", "link"]);
    dir.run(["-d", "-i", "key.txt", "-o", "open", "sealed"]).quiet();
    assert_eq!((dir.mode("open/link"), dir.read("open/link/a")), (0o700, b"content".to_vec()));
}

#[test]
fn without_a_manifest_the_umask_sets_the_modes() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("x")).unwrap();
    dir.write("x/a", "content");
    encrypt(&dir, ["--no-manifest", "-o", "sealed", "x"]);
    for (name, mode) in [("sealed/x/a.age", 0o666), ("sealed/x", 0o777)] {
        dir.set_mode(name, mode);
    }
    dir.sh("umask 027; exec \"$SEALANE\" -d -i key.txt --no-manifest -o open sealed").quiet();
    assert_eq!([dir.mode("open/x"), dir.mode("open/x/a")], [0o750, 0o640]);
}

#[test]
fn existing_folders_keep_their_modes() {
    let dir = with_photos();
    dir.set_mode("photos", 0o777);
    encrypt(&dir, ["-o", "sealed", "photos"]);
    fs::create_dir_all(dir.path("open/photos")).unwrap();
    dir.set_mode("open/photos", 0o700);
    dir.run(["-d", "-i", "key.txt", "-o", "open", "sealed"]).quiet();
    assert_eq!((dir.mode("open/photos"), dir.mode("open/photos/2020")), (0o700, 0o750));
}

#[test]
fn two_inputs_never_have_one_output() {
    let dir = Dir::with_key();
    for folder in ["x", "y", "z/a.age"] {
        fs::create_dir_all(dir.path(folder)).unwrap();
    }
    for file in ["x/a", "y/a", "z/a", "w"] {
        dir.write(file, "content");
    }
    dir.run(["-R", "key.pub", "-o", "out", "x/a", "y/a"]).misused("would both become \"a\"");
    fs::create_dir_all(dir.path("v/x/a")).unwrap();
    dir.run(["-R", "key.pub", "-o", "out", "x", "v/x"]).misused("would both become \"x/a\"");
    dir.run(["-R", "key.pub", "-o", "out", "x", "./x/"]).misused("would both become \"x/a\"");
    dir.run(["-R", "key.pub", "-o", "out", "z", "w"]).fails("\"z/a\" would become \"z/a.age\", which is a folder");
    // The names come from the folder, so the command line is right.
    fs::create_dir_all(dir.path("mixed/b")).unwrap();
    dir.encrypt(b"content", "mixed/b.age");
    dir.run(["-d", "-i", "key.txt", "--no-manifest", "-o", "out", "mixed"])
        .fails("two entries of \"mixed\" would both become \"b\"");
    dir.write("sealane-manifest", "content");
    // On many file systems, upper and lower case are the same.
    for reserved in ["sealane-manifest", ".sealane-resume", "SEALANE-MANIFEST", ".Sealane-Resume"] {
        dir.write(reserved, "content");
        for flag in ["--resume", "--no-manifest"] {
            dir.run(["-R", "key.pub", "-o", "out", flag, "w", reserved]).fails("is a name that sealane uses itself");
        }
        // The command's own files are recognised only at the top of the folder.
        fs::create_dir_all(dir.path("deep")).unwrap();
        dir.write(&format!("deep/{reserved}"), reserved);
    }
    encrypt(&dir, ["-o", "sealed", "deep"]);
    dir.run(["-d", "-i", "key.txt", "-o", "open", "sealed"]).quiet();
    assert_eq!(dir.read("open/deep/.sealane-resume"), b".sealane-resume");
    // A file that has such a name already is decrypted.
    fs::create_dir(dir.path("older")).unwrap();
    fs::copy(dir.path("sealed/deep/SEALANE-MANIFEST.age"), dir.path("older/SEALANE-MANIFEST.age")).unwrap();
    dir.run(["-d", "--no-manifest", "-i", "key.txt", "-o", "open", "older"]).quiet();
    assert_eq!(dir.read("open/SEALANE-MANIFEST"), b"SEALANE-MANIFEST");
    assert!(!dir.exists("out"), "nothing was made");
}

#[test]
fn existing_files_and_inputs_are_never_written() {
    let dir = with_photos();
    let before = listing(&dir.path("photos"));
    for place in ["photos/sealed", "photos/2020", "photos", "./photos/../photos/x"] {
        dir.run(["-R", "key.pub", "-o", place, "photos"]).fails("is within the input");
    }
    dir.run(["-R", "key.pub", "--no-manifest", "-o", ".", "photos"]).fails("is within the input");
    symlink("photos/2020", dir.path("elsewhere")).unwrap();
    dir.run(["-R", "key.pub", "-o", "elsewhere/x", "photos"]).fails("is within the input");
    assert!(listing(&dir.path("photos")) == before);
    dir.write("file", "content");
    dir.run(["-R", "key.pub", "-o", "file", "photos"]).fails("cannot write to \"file\": Not a directory");
    dir.run(["-R", "key.pub", "-o", "no/such", "photos"]).fails("cannot write to \"no/such\"");
    encrypt(&dir, ["-o", "sealed", "photos"]);
    dir.run(["-R", "key.pub", "-o", "sealed", "file", "key.txt"]).fails("is not empty");
    dir.run(["-R", "key.pub", "--no-manifest", "-o", "sealed", "photos"]).fails("exists already");
    encrypt(&dir, ["--no-manifest", "-o", "sealed", "file", "key.pub"]);
    // The output folder is the folder of the inputs.
    encrypt(&dir, ["--no-manifest", "-o", ".", "file", "key.pub"]);
    assert!(dir.exists("file.age"));
    fs::create_dir(dir.path("open")).unwrap();
    dir.write("open/file", "mine");
    dir.run(["-d", "-i", "key.txt", "-o", "open", "sealed/file.age", "sealed/key.pub.age"]).fails("exists already");
    assert_eq!(dir.read("open/file"), b"mine");
    assert!(!dir.exists("open/key.pub"));
}

#[test]
fn holders_together_and_post_quantum_keys() {
    let dir = Dir::new();
    let keys: Vec<_> = (0..3).map(|i| dir.keygen(&format!("k{i}"))).collect();
    dir.run(["keygen", "--pq", "-o", "pq.txt"]).ok();
    dir.write("a", "first");
    dir.write("b", bytes(100_000));
    dir.run(["encrypt", "-k", "2", "-r", &keys[0], "-r", &keys[1], "-r", &keys[2], "-o", "held", "a", "b"]).quiet();
    dir.run(["decrypt", "-i", "k2.txt", "-o", "no", "held"]).fails("2");
    assert!(!dir.exists("no"));
    dir.run(["decrypt", "-i", "k2.txt", "-i", "k0.txt", "-o", "yes", "held"]).quiet();
    assert!(dir.read("yes/b") == bytes(100_000));
    dir.run(["-e", "-i", "pq.txt", "-o", "pq", "a", "b"]).quiet();
    dir.run(["-d", "-i", "pq.txt", "-o", "pq.open", "pq"]).quiet();
    assert_eq!(dir.read("pq.open/a"), b"first");
}

#[test]
fn the_passphrase_of_an_identity_file_is_requested_once() {
    let dir = with_photos();
    dir.write("pass", "correct horse\n");
    dir.sh("AGE_PASSPHRASE_FD=3 \"$SEALANE\" -p -o key.age key.txt 3< pass").quiet();
    // The descriptor can be read only once.
    dir.sh("AGE_PASSPHRASE_FD=3 \"$SEALANE\" -e -i key.age -o sealed photos 3< pass").quiet();
    dir.sh("cat pass | AGE_PASSPHRASE_FD=0 \"$SEALANE\" -d -i key.age -t 3 -o open sealed").quiet();
    assert_alike(&dir, "photos", "open/photos");
    let wrong = dir.sh("AGE_PASSPHRASE=wrong \"$SEALANE\" -d -i key.age -o wrong sealed");
    wrong.fails("incorrect passphrase for identity file");
    assert!(!dir.exists("wrong"));
}

#[test]
fn a_folder_is_decrypted_beside_itself_but_not_into_itself() {
    let dir = Dir::with_key();
    for name in ["x", "y/sealed"] {
        fs::create_dir_all(dir.path(name)).unwrap();
        dir.write(&format!("{name}/a"), "content");
    }
    encrypt(&dir, ["-o", "sealed", "x"]);
    fs::remove_dir_all(dir.path("x")).unwrap();
    dir.run(["decrypt", "-i", "key.txt", "-o", ".", "sealed"]).quiet();
    assert_eq!(dir.read("x/a"), b"content");
    fs::remove_dir_all(dir.path("sealed")).unwrap();
    encrypt(&dir, ["-o", "sealed", "y/sealed"]);
    let before = listing(&dir.path("sealed"));
    dir.run(["decrypt", "-i", "key.txt", "-o", ".", "sealed"]).fails("\"./sealed\" is within the input \"sealed\"");
    assert!(listing(&dir.path("sealed")) == before);
}

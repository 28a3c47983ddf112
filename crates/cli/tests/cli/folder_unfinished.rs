//! Unfinished files of other runs, and files that only look like them.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Dir, bytes};

const CHUNKS: usize = 4 << 20;

/// Starts an encryption into the folder `sealed` that waits for the end of its input, and returns
/// it when its unfinished file is there.
fn unfinished(dir: &Dir) -> Child {
    let mut command = dir.command(["-R", "key.pub", "-o", "sealed/copy.age"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(&bytes(CHUNKS)).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while fs::read_dir(dir.path("sealed")).unwrap().count() == 0 {
        assert!(Instant::now() < deadline, "no unfinished file");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

#[test]
fn a_run_does_not_remove_the_unfinished_file_of_another() {
    let dir = Dir::with_key();
    for folder in ["sealed", "source"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    dir.write("source/a", "content");
    let mut child = unfinished(&dir);
    // The file that is being written would be missing in the manifest.
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).fails("\"sealed\" is not empty");
    dir.run(["encrypt", "--no-manifest", "-R", "key.pub", "-o", "sealed", "source"]).quiet();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    assert!(dir.run(["-d", "-i", "key.txt", "sealed/copy.age"]).quiet().stdout == bytes(CHUNKS));
    // A run that was killed leaves its file, which the next one removes.
    fs::remove_dir_all(dir.path("sealed")).unwrap();
    fs::create_dir(dir.path("sealed")).unwrap();
    let mut child = unfinished(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).quiet();
    dir.run(["verify", "-i", "key.txt", "sealed"]).quiet();
}

#[test]
fn files_of_the_user_are_not_taken_for_unfinished_ones() {
    let dir = Dir::with_key();
    for folder in ["sealed", "source"] {
        fs::create_dir(dir.path(folder)).unwrap();
    }
    dir.write("sealed/.sealane-precious.tmp", "precious");
    dir.write("source/a", "content");
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).fails("\"sealed\" is not empty");
    assert_eq!(dir.read("sealed/.sealane-precious.tmp"), b"precious");
    fs::remove_dir_all(dir.path("sealed")).unwrap();

    // Results of a decryption are not unfinished files, even under such names.
    let names = ["source/.sealane-work.tmp", "source/.sealane-0123456789abcdef.tmp"];
    names.iter().for_each(|name| dir.write(name, "old"));
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "source"]).quiet();
    let sealed = dir.read("sealed/source/a.age");
    dir.write("sealed/source/a.age", "damaged");
    let decrypt = ["decrypt", "--resume", "-i", "key.txt", "-o", "open", "sealed"];
    assert!(dir.run(decrypt).err().contains("1 of 3 files were not decrypted"));
    names.iter().for_each(|name| dir.write(&format!("open/{name}"), "edited"));
    dir.write("sealed/source/a.age", sealed);
    let errors = dir.run(decrypt).err();
    for name in names {
        assert!(errors.contains(&format!("\"open/{name}\" exists with another content")), "{errors}");
        assert_eq!(dir.read(&format!("open/{name}")), b"edited");
    }
    assert_eq!(dir.read("open/source/a"), b"content");
}

//! Results whose names are taken, or that the file system of the destination refuses.

use std::fs;
use std::process::Command;

use crate::files::{can_mount, unshare};
use crate::folder_resume::{WITH_LATE, interrupted, resume};
use crate::io_errors::can_trace;
use crate::support::{Dir, Run, SEALANE, finish};

/// Runs the command, in which each system call `call` with the path `path` fails with `error`.
fn run_with_fault(dir: &Dir, args: &str, call: &str, path: &str, error: &str) -> Run {
    let inject = format!("inject={call}:error={error}");
    let mut command = Command::new("strace");
    command.args(["-f", "-o", "trace", "-P", path, "-e", &format!("trace={call}"), "-e", &inject, SEALANE]);
    command.args(args.split(' ')).current_dir(dir.root());
    finish(command)
}

/// Creates a folder `in` with files of these names.
fn with_files(names: &[&str]) -> Dir {
    let dir = Dir::with_key();
    for name in names {
        let path = dir.path("in").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "content").unwrap();
    }
    dir
}

#[test]
fn a_file_that_the_run_did_not_write_is_never_replaced() {
    let dir = interrupted();
    dir.write("photos/new", "new");
    dir.write("sealed/photos/new.age", "somebody's");
    for _ in 0..2 {
        let run = resume(&dir, &WITH_LATE);
        assert!(run.err().contains("\"sealed/photos/new.age\" exists with another content"), "{}", run.err());
        assert_eq!(run.status.code(), Some(1));
        assert_eq!(dir.read("sealed/photos/new.age"), b"somebody's");
    }
    fs::remove_file(dir.path("sealed/photos/new.age")).unwrap();
    resume(&dir, &WITH_LATE).quiet();
    dir.run(["verify", "-i", "key.txt", "sealed"]).quiet();
}

#[test]
fn a_file_that_takes_the_name_of_a_result_is_never_replaced() {
    if !can_trace() {
        return;
    }
    let dir = with_files(&["a", "b"]);
    let args = ["encrypt", "-R", "key.pub", "-o", "out", "in"];
    let run = run_with_fault(&dir, &args.join(" "), "renameat2", "a.age", "EEXIST");
    assert!(run.err().contains("\"out/in/a.age\" exists with another content"), "{}", run.err());
    assert!(dir.exists("out/in/b.age"));
    dir.write("out/in/a.age", "somebody's");
    let run = resume(&dir, &args);
    assert!(run.err().contains("\"out/in/a.age\" exists with another content"), "{}", run.err());
    assert_eq!(dir.read("out/in/a.age"), b"somebody's");
    fs::remove_file(dir.path("out/in/a.age")).unwrap();
    resume(&dir, &args).quiet();
    dir.run(["verify", "-i", "key.txt", "out"]).quiet();
}

/// A file system that ignores case has one folder for both names, as here by a mount.
#[test]
fn two_folders_that_are_one_in_the_destination_are_not_merged() {
    if !can_mount() {
        return;
    }
    let dir = with_files(&["A/one", "a/two"]);
    dir.run(["encrypt", "-R", "key.pub", "-o", "sealed", "in"]).quiet();
    let script = "mkdir -p open/in/A open/in/a && mount --bind open/in/A open/in/a && \
        exec \"$SEALANE\" decrypt -i key.txt -o open --resume sealed";
    let mut command = unshare(&["sh", "-c", script]);
    command.current_dir(dir.root()).env("SEALANE", SEALANE);
    finish(command).fails("\"open/in/A\" and \"open/in/a\" are the same folder");
    assert!(!dir.exists("open/in/A/one") && !dir.exists("open/in/A/two"));
}

/// FAT refuses to create a folder of such a name, and then has no folder of that name.
#[test]
fn a_folder_that_the_destination_refuses_does_not_keep_others_from_being_written() {
    if !can_trace() {
        return;
    }
    let dir = with_files(&["10:30/a", "10:30/below/b", "c"]);
    // Some file systems have the same error for a question about such a name.
    for calls in ["mkdirat", "mkdirat,newfstatat"] {
        for (args, done) in [
            ("encrypt -R key.pub -o sealed in", "sealed/in/c.age"),
            ("encrypt --no-manifest -R key.pub -o bare in", "bare/in/c.age"),
        ] {
            for resumed in ["", " --resume"] {
                let run = run_with_fault(&dir, &format!("{args}{resumed}"), calls, "10:30", "EINVAL");
                let err = run.err();
                for name in ["10:30\": Invalid", "10:30/a\"", "10:30/below\": the", "10:30/below/b\""] {
                    assert!(err.contains(name), "{name}: {err}");
                }
                assert!(err.contains("files were not encrypted") && !err.contains("warning"), "{err}");
                assert!(run.status.code() == Some(1) && dir.exists(done), "{err}");
            }
            fs::remove_dir_all(dir.path(args.split(' ').rev().nth(1).unwrap())).unwrap();
        }
    }
    dir.run(["encrypt", "-R", "key.pub", "-o", "whole", "in"]).quiet();
    let run = run_with_fault(&dir, "decrypt -i key.txt -o open whole", "mkdirat", "10:30", "EINVAL");
    assert_eq!((run.status.code(), dir.read("open/in/c").as_slice()), (Some(1), &b"content"[..]), "{}", run.err());
    resume(&dir, &["decrypt", "-i", "key.txt", "-o", "open", "whole"]).quiet();
    assert_eq!(dir.read("open/in/10:30/below/b"), b"content");
}

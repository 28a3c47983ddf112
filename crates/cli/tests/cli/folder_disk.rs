//! Destinations that cannot store a result.

use std::fs;
use std::process::Command;

use crate::files::{can_mount, unshare};
use crate::folder::{assert_alike, with_photos};
use crate::folder_resume::{DECRYPT, ENCRYPT, resume};
use crate::io_errors::can_trace;
use crate::support::{Dir, SEALANE, finish};

/// FAT has no files of 4 GiB. A limit of the process gives the same error.
#[test]
fn a_file_that_is_too_large_does_not_keep_others_from_being_written() {
    let dir = with_photos();
    // The unit is 512 bytes. The large photo comes first and exceeds the limit.
    for (args, from, name, done) in [
        (&ENCRYPT, "photos/2020/may/large", "sealed/photos/2020/may/large.age", "encrypted"),
        (&DECRYPT, "sealed/photos/2020/may/large.age", "open/photos/2020/may/large", "decrypted"),
    ] {
        for resumed in ["", "--resume"] {
            let run = dir.sh(&format!("ulimit -f 1000; exec \"$SEALANE\" {} {resumed}", args.join(" ")));
            let err = run.err();
            assert!(err.contains(&format!("\"{from}\": cannot write to \"{name}\": File too large")), "{err}");
            assert!(err.contains(&format!("1 of 8 files was not {done}")), "{err}");
            assert!(run.status.code() == Some(1) && !dir.exists(name), "{err}");
        }
        resume(&dir, args).quiet();
    }
    assert_alike(&dir, "photos", "open/photos");
}

#[test]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    if !can_mount() {
        return;
    }
    let dir = with_photos();
    dir.run(["encrypt", "-R", "key.pub", "-o", "whole", "photos"]).quiet();
    for (to, args) in [("sealed", ENCRYPT.join(" ")), ("open", "decrypt -i key.txt -o open whole".to_owned())] {
        fs::create_dir(dir.path(to)).unwrap();
        let script = format!(
            "mount -t tmpfs -o size=1m none {to} && ! \"$SEALANE\" {args} && mount -o remount,size=100m {to} && \
            \"$SEALANE\" {args} --resume && cp -a {to} {to}.copy"
        );
        let mut command = unshare(&["sh", "-c", &script]);
        command.current_dir(dir.root()).env("SEALANE", SEALANE);
        let run = finish(command);
        let messages = run.err();
        assert!(messages.contains(&format!("cannot write to \"{to}/photos/2020/may/large")), "{messages}");
        assert!(messages.contains("No space left on device"), "{messages}");
        assert!(messages.contains("repeat the command with --resume"), "{messages}");
        assert_eq!(messages.lines().count(), 2, "{messages}");
        run.ok();
    }
    dir.run(["verify", "-i", "key.txt", "sealed.copy"]).quiet();
    assert_alike(&dir, "photos", "open.copy/photos");
}

/// Without a journal, no later run would notice that the file is not on the disk.
#[test]
fn a_single_file_is_on_the_disk_before_it_gets_its_name() {
    if !can_trace() {
        return;
    }
    let dir = Dir::with_key();
    dir.write("a", "content");
    dir.encrypt(b"content", "b.age");
    fs::create_dir(dir.path("out")).unwrap();
    for args in [["encrypt", "-R", "key.pub", "-o", "out", "a"], ["decrypt", "-i", "key.txt", "-o", "out", "b.age"]] {
        let mut command = Command::new("strace");
        command.args(["-f", "-o", "trace", "-e", "inject=fsync,fdatasync,syncfs:error=EIO", SEALANE]).args(args);
        command.current_dir(dir.root());
        finish(command).fails("Input/output error");
        assert_eq!(fs::read_dir(dir.path("out")).unwrap().count(), 0, "{args:?}");
    }
}

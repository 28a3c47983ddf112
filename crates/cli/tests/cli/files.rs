//! The file that `-o` names: it is complete, or it does not exist.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, symlink};
use std::process::Command;

use crate::support::{Dir, bytes, can_check, finish};

#[test]
fn sizes_around_a_chunk_come_back() {
    let dir = Dir::with_key();
    for len in [0, 1, 15, 16, 17, 65_535, 65_536, 65_537, 4 * 65_536 - 1, 4 * 65_536, 4 * 65_536 + 1, 3_000_000] {
        let data = bytes(len);
        dir.write("in", &data);
        for armor in [vec![], vec!["-a"]] {
            let mut args = vec!["-R", "key.pub", "-o", "out", "in"];
            args.extend(armor);
            dir.run(args).quiet();
            dir.run(["-d", "-i", "key.txt", "-o", "back", "out"]).quiet();
            assert!(dir.read("back") == data, "{len}");
            assert!(dir.run(["-d", "-i", "key.txt", "out"]).quiet().stdout == data, "{len}");
        }
    }
    assert_eq!(dir.names(), ["back", "in", "key.pub", "key.txt", "out"]);
}

#[test]
fn a_new_file_has_the_mode_that_the_umask_leaves() {
    let dir = Dir::with_key();
    for (umask, mode) in [("022", 0o644), ("077", 0o600), ("000", 0o666), ("027", 0o640)] {
        let run = dir.sh(&format!("umask {umask}; echo x | \"$SEALANE\" -R key.pub -o out-{umask}"));
        run.quiet();
        assert_eq!(dir.mode(&format!("out-{umask}")), mode, "umask {umask}");
    }
}

#[test]
fn an_existing_file_keeps_its_mode() {
    let dir = Dir::with_key();
    for mode in [0o600, 0o640, 0o666, 0o755] {
        dir.write("out", "old");
        dir.set_mode("out", mode);
        dir.run_with(b"new", ["-R", "key.pub", "-o", "out"]).quiet();
        assert_eq!(dir.mode("out"), mode);
        assert!(dir.read("out").starts_with(b"age-encryption.org/v1\n"));
    }
}

#[test]
fn a_symbolic_link_stays_one() {
    let dir = Dir::with_key();
    fs::create_dir(dir.path("sub")).unwrap();
    dir.write("sub/real", "old");
    symlink("sub/real", dir.path("link")).unwrap();
    symlink("link", dir.path("chain")).unwrap();
    symlink("sub/new", dir.path("dangling")).unwrap();
    for name in ["link", "chain", "dangling"] {
        dir.run_with(b"new", ["-R", "key.pub", "-o", name]).quiet();
        assert!(dir.path(name).symlink_metadata().unwrap().is_symlink());
    }
    assert!(dir.read("sub/real").starts_with(b"age-"));
    assert!(dir.read("sub/new").starts_with(b"age-"));
    symlink("loop", dir.path("loop")).unwrap();
    dir.run_with(b"new", ["-R", "key.pub", "-o", "loop"]).fails("cannot write to \"loop\"");
}

#[test]
fn special_files_are_written_directly() {
    let dir = Dir::with_key();
    dir.run_with(b"x", ["-R", "key.pub", "-o", "/dev/null"]).quiet();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    let out = dir.run_with(b"x", ["-R", "key.pub", "-o", "/dev/stdout"]).quiet();
    assert!(out.stdout.starts_with(b"age-encryption.org/v1\n"));
    dir.run_with(b"x", ["-R", "key.pub", "-o", "/dev/full"]).fails("cannot write to \"/dev/full\": No space left");
    let mkfifo = Command::new("mkfifo").arg(dir.path("fifo")).status().expect("mkfifo (coreutils)");
    assert!(mkfifo.success());
    dir.sh("cat fifo > got & echo x | \"$SEALANE\" -a -R key.pub -o fifo; wait").quiet();
    assert!(dir.read("got").starts_with(b"-----BEGIN AGE"));
    assert!(dir.path("fifo").metadata().unwrap().file_type().is_fifo());
    // With an empty plaintext, the reader of the FIFO must still see its end.
    dir.encrypt(b"", "empty");
    dir.sh("cat fifo > got & \"$SEALANE\" -d -i key.txt -o fifo empty; wait").quiet();
    assert_eq!(dir.read("got"), b"");
    // A file that is already open, under the name of its descriptor, is written and not replaced.
    dir.sh("echo x | \"$SEALANE\" -a -R key.pub -o /dev/stdout > direct").quiet();
    assert!(dir.read("direct").starts_with(b"-----BEGIN AGE"));
    // The same holds for links to such names, and to their directory.
    symlink("/dev/stdout", dir.path("link")).unwrap();
    symlink("link", dir.path("chain")).unwrap();
    symlink("/dev/fd/1", dir.path("fd-1")).unwrap();
    symlink("/dev/fd", dir.path("fds")).unwrap();
    for name in ["link", "chain", "fd-1", "fds/1"] {
        dir.write("direct", "");
        let inode = dir.path("direct").metadata().unwrap().ino();
        dir.sh(&format!("echo x | \"$SEALANE\" -a -R key.pub -o {name} > direct")).quiet();
        assert!(dir.read("direct").starts_with(b"-----BEGIN AGE"), "{name}");
        assert_eq!(dir.path("direct").metadata().unwrap().ino(), inode, "{name}: replaced");
    }
}

/// Other names of a file have a position of their own.
#[test]
fn what_standard_output_holds_is_kept() {
    let dir = Dir::with_key();
    dir.encrypt(b"secret\n", "x");
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        for redirection in [">", ">>"] {
            dir.write("out", "");
            let run = format!("echo before; \"$SEALANE\" -d -i key.txt -o {name} x; echo after");
            dir.sh(&format!("{{ {run}; }} {redirection} out")).quiet();
            assert_eq!(dir.read("out"), b"before\nsecret\nafter\n", "{name} {redirection}");
        }
        let piped = dir.sh(&format!("{{ echo before; \"$SEALANE\" -d -i key.txt -o {name} x; }} | cat"));
        assert_eq!(piped.quiet().stdout, b"before\nsecret\n");
    }
}

#[test]
fn an_impossible_output_is_refused_first() {
    let dir = Dir::with_key();
    let before = dir.names();
    for (output, what) in [
        (".", "is a directory"),
        ("no/such", "No such file or directory"),
        ("key.pub/x", "ot a directory"),
        ("new/", "ot a directory"),
        ("new/.", "ot a directory"),
        ("/dev/fd/99", "cannot write to \"/dev/fd/99\": the file descriptor is not open"),
    ] {
        dir.run_with(b"x", ["-R", "key.pub", "-o", output]).fails(what);
    }
    dir.run(["keygen", "-o", "new/."]).fails("irectory");
    assert_eq!(dir.names(), before);
}

/// Runs the command without root's capabilities, so that file modes apply to it. Another user might
/// be unable to start the command, because it may be in a folder that belongs to root.
pub(crate) fn bound_by_modes(dir: &Dir, args: &[&str]) -> Command {
    if dir.root().metadata().unwrap().uid() != 0 {
        return dir.without_terminal(args);
    }
    let mut command = Command::new("setsid");
    command
        .args(["--wait", "setpriv", "--bounding-set=-dac_override,-dac_read_search", crate::support::SEALANE])
        .args(args);
    command.current_dir(dir.root()).env_remove("AGE_PASSPHRASE").env_remove("AGE_PASSPHRASE_FD");
    command
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    let dir = Dir::with_key();
    dir.write("out", "old");
    dir.set_mode("out", 0o444);
    dir.set_mode(".", 0o777);
    let command = bound_by_modes(&dir, &["-R", "key.pub", "-o", "out", "/dev/null"]);
    finish(command).fails("cannot write to \"out\": Permission denied");
    assert_eq!(dir.read("out"), b"old");
    assert_eq!(dir.names(), ["key.pub", "key.txt", "out"]);
}

#[test]
fn an_unwritable_directory_is_an_error_before_any_prompt() {
    let dir = Dir::with_key();
    dir.set_mode(".", 0o755);
    fs::create_dir(dir.path("sub")).unwrap();
    dir.write("sub/old", "old");
    dir.set_mode("sub/old", 0o666);
    dir.set_mode("sub", 0o555);
    let command = bound_by_modes(&dir, &["-p", "-o", "sub/new", "key.pub"]);
    let run = finish(command).fails("cannot make a temporary file beside \"sub/new\": Permission denied");
    // The shell could not make that file either.
    assert!(!String::from_utf8_lossy(&run.stderr).contains("-o - >"));
    // For an existing file, the temporary file may be in TMPDIR, but this folder cannot be written
    // either.
    let mut command = bound_by_modes(&dir, &["-p", "-o", "sub/old", "key.pub"]);
    command.env("TMPDIR", dir.path("sub"));
    let run = finish(command).fails("cannot make a temporary file for \"sub/old\": Permission denied");
    assert!(String::from_utf8_lossy(&run.stderr).contains("TMPDIR must name a writable directory"));
    assert_eq!(dir.read("sub/old"), b"old");
    dir.set_mode("sub", 0o755);
}

#[test]
fn a_file_in_a_directory_that_may_not_be_written_is_overwritten() {
    let dir = Dir::with_key();
    dir.set_mode(".", 0o755);
    fs::create_dir(dir.path("sub")).unwrap();
    fs::create_dir(dir.path("tmp")).unwrap();
    dir.write("sub/out", "");
    dir.set_mode("sub/out", 0o640);
    let inode = dir.path("sub/out").metadata().unwrap().ino();
    dir.set_mode("sub", 0o555);
    let run = |args: &[&str]| {
        let mut command = bound_by_modes(&dir, args);
        command.env("TMPDIR", dir.path("tmp"));
        finish(command)
    };
    // Longer, shorter, empty, and from a pipe.
    for len in [100_000, 300_000, 10, 0, 70_000] {
        dir.write("in", bytes(len));
        dir.encrypt(&bytes(len), "x");
        run(&["-R", "key.pub", "-o", "sub/out", "in"]).quiet();
        assert_eq!(dir.run(["-d", "-i", "key.txt", "sub/out"]).quiet().stdout, bytes(len), "{len}");
        run(&["-d", "-i", "key.txt", "-o", "sub/out", "x"]).quiet();
        assert!(dir.read("sub/out") == bytes(len), "{len}");
    }
    // An empty variable counts as absent.
    let mut command = bound_by_modes(&dir, &["-R", "key.pub", "-o", "sub/out", "in"]);
    command.env("TMPDIR", "");
    finish(command).quiet();
    run(&["-R", "key.pub", "-o", "sub/out", "key.pub"]).quiet();
    run(&["-d", "-i", "key.txt", "-o", "sub/out", "x"]).quiet();
    // A failure leaves the file unchanged.
    let mut bad = dir.read("x");
    *bad.last_mut().unwrap() ^= 1;
    dir.write("bad", bad);
    for args in [
        &["-d", "-i", "key.txt", "-o", "sub/out", "bad"][..],
        &["-d", "-i", "key.txt", "-o", "sub/out", "-t", "1", "bad"],
    ] {
        run(args).fails("");
        assert!(dir.read("sub/out") == bytes(70_000));
    }
    let metadata = dir.path("sub/out").metadata().unwrap();
    assert_eq!((metadata.ino(), dir.mode("sub/out")), (inode, 0o640));
    // The only copy of a file is never overwritten with a copy that has a longer header, and no
    // file with a secret.
    dir.write("sub/out", dir.read("x"));
    dir.run(["keygen", "-o", "other.txt"]).ok();
    dir.sh("\"$SEALANE\" keygen -y other.txt > other.pub").ok();
    run(&["rekey", "--add", "-i", "key.txt", "-R", "other.pub", "sub/out"]).fails("write a new file with -o");
    assert!(dir.read("sub/out") == dir.read("x"));
    dir.run(["-k", "2", "-R", "key.pub", "-R", "other.pub", "-o", "held", "in"]).quiet();
    run(&["contribute", "-y", "-i", "key.txt", "-o", "sub/out", "held"]).fails("a secret never replaces a file");
    run(&["contribute", "-y", "-i", "key.txt", "-o", "", "held"]).misused("'--output <OUTPUT>'");
    assert!(dir.read("sub/out") == dir.read("x"));
    assert_eq!(fs::read_dir(dir.path("sub")).unwrap().count(), 1);
    assert_eq!(fs::read_dir(dir.path("tmp")).unwrap().count(), 0);
    dir.set_mode("sub", 0o755);
}

/// Runs a command that may mount file systems, which only it sees.
pub(crate) fn unshare(command: &[&str]) -> Command {
    let mut unshare = Command::new("unshare");
    unshare.arg("-rm").args(command);
    unshare
}

/// Returns whether users may mount. Not every machine allows it.
pub(crate) fn can_mount() -> bool {
    let can_mount = unshare(&["true"]).output().is_ok_and(|run| run.status.success());
    can_check(can_mount, "`unshare -rm` is refused")
}

/// The disk has room for the length of the file, but the file is a hole.
#[test]
fn a_file_with_a_hole_is_not_overwritten_halfway() {
    if !can_mount() {
        return;
    }
    let dir = Dir::with_key();
    dir.write("in", bytes(1 << 20));
    dir.write("out", "");
    fs::create_dir(dir.path("small")).unwrap();
    // A mount point is overwritten in place.
    let script = "mount -t tmpfs -o size=512k none small && echo old > small/out && truncate -s 2M small/out && \
        mount --bind small/out out && cp --sparse=always out before && \
        ! \"$SEALANE\" -R key.pub -o out in && cmp out before && \
        echo short | \"$SEALANE\" -R key.pub -o out && \"$SEALANE\" -d -i key.txt out";
    let mut command = unshare(&["sh", "-c", script]);
    command.current_dir(dir.root()).env("SEALANE", crate::support::SEALANE);
    let run = finish(command);
    assert!(run.err().contains("cannot write to \"out\": No space left on device"), "{}", run.err());
    assert_eq!(run.ok().stdout, b"short\n");
}

/// In a container, a single file can be a mount point.
#[test]
fn a_mount_point_is_overwritten() {
    if !can_mount() {
        return;
    }
    let dir = Dir::with_key();
    dir.write("in", bytes(70_000));
    for name in ["out", "mounted"] {
        dir.write(name, "old");
    }
    let run = |args: &str| {
        let script = format!("mount --bind mounted out && exec \"$SEALANE\" {args}");
        let mut command = unshare(&["sh", "-c", &script]);
        command.current_dir(dir.root()).env("SEALANE", crate::support::SEALANE);
        finish(command)
    };
    dir.keygen("other");
    dir.run(["-k", "2", "-R", "key.pub", "-R", "other.pub", "-o", "held", "in"]).quiet();
    let names = dir.names();
    run("-R key.pub -o out in").quiet();
    assert!(dir.run(["-d", "-i", "key.txt", "mounted"]).quiet().stdout == bytes(70_000));
    // A secret is not copied over a file.
    let before = dir.read("mounted");
    run("contribute -y -i key.txt -o out held").fails("a secret never replaces a file");
    assert!(dir.read("mounted") == before);
    assert_eq!((dir.read("out"), dir.names()), (b"old".to_vec(), names));
}

#[test]
fn input_that_cannot_be_read_makes_no_output() {
    let dir = Dir::with_key();
    dir.run(["-R", "key.pub", "-o", "out", "missing"]).fails("cannot open \"missing\": No such file");
    dir.run(["-R", "key.pub", "-o", "out", "."]).fails("\"out\" is within the input \".\"");
    let run = dir.run(["inspect", "."]);
    assert!(run.status.code() == Some(1) && run.err().contains("\".\" has no encrypted files"), "{}", run.err());
    dir.sh("exec \"$SEALANE\" -R key.pub -o out < .").fails("cannot read standard input: Is a directory");
    dir.run(["-d", "-i", "missing", "-o", "out", "key.pub"]).fails("identity file \"missing\"");
    dir.run(["-R", "missing", "-o", "out", "key.pub"]).fails("recipients file \"missing\"");
    dir.run(["-r", "BAD", "-o", "out", "key.pub"]).fails("unknown type of recipient");
    assert_eq!(dir.names(), ["key.pub", "key.txt"]);
}

#[test]
fn file_names_that_are_not_utf8() {
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStrExt as _;
    let dir = Dir::with_key();
    let odd = OsStr::from_bytes(b"\xff\x1b[2J\n");
    let args: Vec<OsString> = vec!["-R".into(), "key.pub".into(), "-o".into(), odd.into(), "key.pub".into()];
    dir.run(args).quiet();
    assert_eq!(
        dir.run([OsStr::new("-d"), OsStr::new("-i"), OsStr::new("key.txt"), odd]).quiet().stdout,
        dir.read("key.pub")
    );
    let missing = OsStr::from_bytes(b"\xfe\x1b[2J");
    let err = dir.run([OsStr::new("-d"), OsStr::new("-i"), OsStr::new("key.txt"), missing]).fails("cannot open").stderr;
    assert!(!err.contains(&0x1b), "escape sequences of a file's name must not reach the terminal");
}
